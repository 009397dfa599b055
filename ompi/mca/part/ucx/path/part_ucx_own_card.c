/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing our business card (see part_ucx_own_card.h).
 */
#include "path/part_ucx_own_card.h"

#include "base/part_ucx_host.h"
#include "path/part_ucx_business_card.h"
#include "path/part_ucx_cma.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_help.h"

#include <string.h>

/* Is the peer to know where this path is? */
static bool is_for(const mca_part_ucx_path_t *path, const mca_part_ucx_peer_t *peer)
{
    return PART_UCX_DEVICE_SHARED != path->device.kind
           || path == mca_part_ucx_peer_shared_path(peer);
}

static uint32_t write_card(const mca_part_ucx_peer_t *peer, void *buffer, size_t size)
{
    mca_part_ucx_wire_peer_t head = {.paths = (uint32_t) mca_part_ucx_paths.count,
                                     .memory = mca_part_ucx_host_ours()->memory,
                                     .network = mca_part_ucx_host_ours()->network};
    char *at = buffer;
    size_t used = sizeof(head);

    if (size < used) {
        return 0;
    }
    mca_part_ucx_cma_describe(&head);
    memcpy(at, &head, sizeof(head));
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        const mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];
        size_t address = is_for(path, peer) ? path->address_length : 0;
        mca_part_ucx_wire_path_t record = {.kind = path->device.kind,
                                           .address_bytes = (uint32_t) address,
                                           .subnet = path->device.subnet,
                                           .puts = path->puts,
                                           .fails_over = path->fails_over};

        if (size - used < sizeof(record) + address) {
            return 0;
        }
        memcpy(record.name, path->device.name, sizeof(record.name));
        memcpy(at + used, &record, sizeof(record));
        used += sizeof(record);
        if (0 != address) {
            memcpy(at + used, path->address, address);
            used += address;
        }
    }
    return (uint32_t) used;
}

uint32_t mca_part_ucx_own_card_write(const mca_part_ucx_peer_t *peer, void *buffer, size_t size)
{
    uint32_t length = write_card(peer, buffer, size);

    if (0 == length) {
        mca_part_ucx_help("addresses-too-long", mca_part_ucx_paths.count);
    }
    return length;
}
