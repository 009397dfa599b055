/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that senders of this host may write to (see part_ucx_shared_memory.h).
 */
#include "channel/part_ucx_shared_memory.h"

#include "channel/part_ucx_method.h"
#include "path/part_ucx_paths.h"

bool mca_part_ucx_shared_memory_allowed(void)
{
    return NULL != mca_part_ucx_paths.shared
           && PART_UCX_COPY_RECEIVER != mca_part_ucx_params.shared_copy
           && PART_UCX_METHOD_MESSAGE
                  == mca_part_ucx_method_choose(PART_UCX_DEVICE_SHARED, UINT64_MAX);
}

bool mca_part_ucx_shared_memory_make(mca_part_ucx_shm_t *shm, uint64_t bytes)
{
    return mca_part_ucx_shared_memory_allowed() && mca_part_ucx_shm_make(shm, bytes);
}

bool mca_part_ucx_shared_memory_beacon(mca_part_ucx_shm_t *shm)
{
    return mca_part_ucx_shared_memory_allowed() && mca_part_ucx_shm_beacon(shm);
}

bool mca_part_ucx_shared_memory_sees(const mca_part_ucx_shm_t *shm)
{
    return 0 != shm->bytes && mca_part_ucx_shared_memory_allowed() && mca_part_ucx_shm_found(shm);
}

#define VIEW_LIMIT UINT64_C(8192)

uint64_t mca_part_ucx_shared_memory_limit(void)
{
    uint64_t limit = mca_part_ucx_params.shared_eager_limit;

    return limit < VIEW_LIMIT ? limit : VIEW_LIMIT;
}

bool mca_part_ucx_shared_memory_is_used(const mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_shm_t *shm = recv->shm;
    const mca_part_ucx_piece_t *piece = recv->super.piece;

    for (uint32_t i = 0; NULL != shm && i < recv->super.partitions; ++i) {
        if (piece[i].bytes > mca_part_ucx_shared_memory_limit()
            && piece[i].address - shm->base < shm->bytes) {
            return true;
        }
    }
    return false;
}
