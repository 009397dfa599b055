/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations in flight, and when one more may be (see part_ucx_window.h).
 */
#include "path/part_ucx_window.h"

#include "process/part_ucx_params.h"

#include <stdlib.h>

#include "ompi/constants.h"

atomic_size_t mca_part_ucx_window_staging;

/* Operations that were made together: PART_UCX_OPS_PER_POOL of the size that the user wants. */
struct mca_part_ucx_pool_t {
    mca_part_ucx_pool_t *next;
    size_t op_bytes;
    _Alignas(16) char memory[];
};

static mca_part_ucx_op_t *op_at(const mca_part_ucx_pool_t *pool, uint32_t index)
{
    return (mca_part_ucx_op_t *) (void *) (uintptr_t) (pool->memory + index * pool->op_bytes);
}

int mca_part_ucx_path_add_ops(mca_part_ucx_path_t *path)
{
    size_t op_bytes = path->user->op_bytes;
    mca_part_ucx_pool_t *pool = calloc(1, sizeof(*pool) + PART_UCX_OPS_PER_POOL * op_bytes);

    if (NULL == pool) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pool->op_bytes = op_bytes;
    pool->next = path->pools;
    path->pools = pool;
    for (uint32_t i = 0; i < PART_UCX_OPS_PER_POOL; ++i) {
        mca_part_ucx_op_t *op = op_at(pool, i);

        op->path = path;
        op->next = path->free_ops;
        path->free_ops = op;
    }
    return OMPI_SUCCESS;
}

void mca_part_ucx_path_free_ops(mca_part_ucx_path_t *path)
{
    while (NULL != path->pools) {
        mca_part_ucx_pool_t *pool = path->pools;

        path->pools = pool->next;
        for (uint32_t i = 0; i < PART_UCX_OPS_PER_POOL; ++i) {
            atomic_fetch_sub(&mca_part_ucx_window_staging, op_at(pool, i)->staging_size);
            free(op_at(pool, i)->staging);
        }
        free(pool);
    }
}

mca_part_ucx_op_t *mca_part_ucx_path_take_op(mca_part_ucx_path_t *path, uint64_t bytes)
{
    mca_part_ucx_op_t *op = path->free_ops;

    /* Two operations always, so that one is on the wire while the other is acknowledged. */
    if (NULL == op
        || (0 != bytes && path->ops_in_flight >= 2
            && path->bytes_in_flight + bytes > mca_part_ucx_params.window)) {
        return NULL;
    }
    path->free_ops = op->next;
    ++path->ops_in_flight;
    path->bytes_in_flight += bytes;
    op->next = NULL;
    op->bytes = bytes;
    op->state = PART_UCX_OP_IN_FLIGHT;
    return op;
}

/* It no longer counts against the window. */
static void give_room_back(mca_part_ucx_op_t *op)
{
    mca_part_ucx_path_bytes_left(op);
    --op->path->ops_in_flight;
}

void mca_part_ucx_path_return_op(mca_part_ucx_op_t *op)
{
    mca_part_ucx_path_t *path = op->path;

    if (op->own) {
        op->state = PART_UCX_OP_FREE;
        return;
    }
    if (PART_UCX_OP_LOST != op->state) {
        give_room_back(op);
    }
    op->state = PART_UCX_OP_FREE;
    op->next = path->free_ops;
    path->free_ops = op;
}

bool mca_part_ucx_path_carries(const mca_part_ucx_path_t *path, const void *channel)
{
    for (const mca_part_ucx_pool_t *pool = path->pools; NULL != pool; pool = pool->next) {
        for (uint32_t i = 0; i < PART_UCX_OPS_PER_POOL; ++i) {
            const mca_part_ucx_op_t *op = op_at(pool, i);

            if (PART_UCX_OP_IN_FLIGHT == op->state && channel == op->channel) {
                return true;
            }
        }
    }
    return false;
}

/* Links keep the lost pieces in `queued`: they count as a guess of what the path has to do. */
void mca_part_ucx_path_lose_ops(mca_part_ucx_path_t *path, mca_part_ucx_op_is_fn_t is_lost,
                                const void *context)
{
    uint32_t lost = 0;

    for (mca_part_ucx_pool_t *pool = path->pools; NULL != pool; pool = pool->next) {
        for (uint32_t i = 0; i < PART_UCX_OPS_PER_POOL; ++i) {
            mca_part_ucx_op_t *op = op_at(pool, i);

            if (PART_UCX_OP_IN_FLIGHT == op->state && is_lost(op, context)) {
                give_room_back(op); /* not itself: UCX may still look at it */
                op->state = PART_UCX_OP_LOST;
                ++lost;
            }
        }
    }
    if (0 != lost) {
        /* Without memory the path goes on with what is left. */
        (void) mca_part_ucx_path_add_ops(path);
    }
}
