/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Remote paths (see part_ucx_remote.h).
 */
#include "path/part_ucx_remote.h"

#include "path/part_ucx_paths.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

/* False: no memory. */
static bool take_address(mca_part_ucx_remote_t *remote,
                         const mca_part_ucx_business_card_path_t *path)
{
    free(remote->address);
    remote->address = NULL;
    remote->address_bytes = path->record.address_bytes;
    if (0 == remote->address_bytes) {
        return true; /* it is not open: nothing meets it */
    }
    remote->address = malloc(remote->address_bytes);
    if (NULL == remote->address) {
        return false;
    }
    memcpy(remote->address, path->address, remote->address_bytes);
    return true;
}

/* False: no memory. */
static bool take_path(mca_part_ucx_remote_t *remote,
                      const mca_part_ucx_business_card_path_t *path)
{
    const mca_part_ucx_wire_path_t *record = &path->record;

    remote->kind = (mca_part_ucx_device_kind_t) record->kind;
    remote->subnet = record->subnet;
    remote->puts = 0 != record->puts;
    remote->fails_over = 0 != record->fails_over;
    memcpy(remote->name, record->name, sizeof(remote->name));
    remote->endpoints = mca_part_ucx_paths.count;
    remote->endpoint = calloc((size_t) remote->endpoints, sizeof(*remote->endpoint));
    return NULL != remote->endpoint && take_address(remote, path);
}

void mca_part_ucx_remotes_free(mca_part_ucx_remote_t *remote, uint32_t count)
{
    for (uint32_t i = 0; NULL != remote && i < count; ++i) {
        free(remote[i].address);
        for (int j = 0; NULL != remote[i].endpoint && j < remote[i].endpoints; ++j) {
            free(remote[i].endpoint[j]);
        }
        free((void *) remote[i].endpoint);
        while (NULL != remote[i].former) {
            mca_part_ucx_endpoint_t *former = remote[i].former;

            remote[i].former = former->former;
            free(former);
        }
    }
    free(remote);
}

mca_part_ucx_remote_t *mca_part_ucx_remotes_new(const mca_part_ucx_business_card_t *card)
{
    uint32_t count = card->head.paths;
    mca_part_ucx_remote_t *remote = calloc(count, sizeof(*remote));

    for (uint32_t i = 0; NULL != remote && i < count; ++i) {
        if (!take_path(&remote[i], &card->path[i])) {
            mca_part_ucx_remotes_free(remote, count);
            return NULL;
        }
    }
    return remote;
}

/* Endpoints to a path that has been opened again lead nowhere. A channel whose other end is gone
 * may still have one. */
static void leave_former(mca_part_ucx_remote_t *remote)
{
    for (int i = 0; i < remote->endpoints; ++i) {
        mca_part_ucx_endpoint_t *endpoint = remote->endpoint[i];

        if (NULL != endpoint) {
            endpoint->former = remote->former;
            remote->former = endpoint;
            remote->endpoint[i] = NULL;
        }
    }
}

/* Is it of shared memory, and now at another address? */
static bool has_moved(const mca_part_ucx_remote_t *remote,
                      const mca_part_ucx_business_card_path_t *path)
{
    uint32_t bytes = path->record.address_bytes;

    return PART_UCX_DEVICE_SHARED == remote->kind && 0 != bytes
           && (NULL == remote->address || bytes != remote->address_bytes
               || 0 != memcmp(path->address, remote->address, bytes));
}

int mca_part_ucx_remotes_renew(mca_part_ucx_remote_t *remote, uint32_t count,
                               const mca_part_ucx_business_card_t *card)
{
    if (card->head.paths != count) {
        return OMPI_ERR_BAD_PARAM;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!has_moved(&remote[i], &card->path[i])) {
            continue;
        }
        leave_former(&remote[i]);
        if (!take_address(&remote[i], &card->path[i])) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return OMPI_SUCCESS;
}

bool mca_part_ucx_remotes_forget(mca_part_ucx_remote_t *remote, uint32_t count, int path)
{
    bool left = false;

    for (uint32_t i = 0; i < count; ++i) {
        free(remote[i].endpoint[path]);
        remote[i].endpoint[path] = NULL;
        for (int j = 0; j < remote[i].endpoints; ++j) {
            left = left || NULL != remote[i].endpoint[j];
        }
    }
    return left;
}
