/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Registrations (see part_ucx_memory.h).
 */
#include "path/part_ucx_memory.h"

#include "path/part_ucx_paths.h"
#include "process/part_ucx_log.h"

#include <stdlib.h>
#include <string.h>

static bool map_on(mca_part_ucx_region_t *region, uint32_t index)
{
    mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[index];
    ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS
                                                 | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
                                   .address = region->base,
                                   .length = region->length};
    ucs_status_t status;

    mca_part_ucx_path_lock(path);
    status = ucp_mem_map(path->context, &params, &region->memh[index]);
    mca_part_ucx_path_unlock(path);
    if (UCS_OK != status) {
        region->memh[index] = NULL;
        PART_UCX_VERBOSE(1, "path %u cannot register %zu bytes: %s", index, region->length,
                         ucs_status_string(status));
    }
    return UCS_OK == status;
}

mca_part_ucx_region_t *mca_part_ucx_region_make(void *base, size_t length, uint32_t paths)
{
    mca_part_ucx_region_t *region = calloc(1, sizeof(*region));

    if (NULL == region) {
        return NULL;
    }
    region->base = base;
    region->length = length;
    for (uint32_t i = 0; i < PART_UCX_MAX_PATHS; ++i) {
        if (0 != (paths >> i & 1) && !map_on(region, i)) {
            mca_part_ucx_region_release(region);
            return NULL;
        }
    }
    return region;
}

void mca_part_ucx_region_release(mca_part_ucx_region_t *region)
{
    if (NULL == region) {
        return;
    }
    for (uint32_t i = 0; i < PART_UCX_MAX_PATHS; ++i) {
        if (NULL != region->memh[i]) {
            mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];

            mca_part_ucx_path_lock(path);
            (void) ucp_mem_unmap(path->context, region->memh[i]);
            mca_part_ucx_path_unlock(path);
        }
    }
    free(region);
}

uint32_t mca_part_ucx_region_pack(const mca_part_ucx_region_t *region, uint32_t path,
                                  void *buffer, size_t size)
{
    mca_part_ucx_path_t *object = &mca_part_ucx_paths.path[path];
    ucs_status_t status;
    void *packed;
    size_t length;

    mca_part_ucx_path_lock(object);
    status = ucp_rkey_pack(object->context, region->memh[path], &packed, &length);
    mca_part_ucx_path_unlock(object);
    if (UCS_OK != status) {
        return 0;
    }
    if (length <= size) {
        memcpy(buffer, packed, length);
    } else {
        length = 0;
    }
    ucp_rkey_buffer_release(packed);
    return (uint32_t) length;
}

void mca_part_ucx_rkey_destroy(mca_part_ucx_path_t *path, ucp_rkey_h *rkey)
{
    if (NULL != *rkey) {
        mca_part_ucx_path_lock(path);
        ucp_rkey_destroy(*rkey);
        mca_part_ucx_path_unlock(path);
        *rkey = NULL;
    }
}
