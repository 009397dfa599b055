/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The window of a path: its operations, of which only so many, and so many bytes, are in flight at
 * any time. An operation is the beginning of what the path's user keeps of a transfer. But for
 * making and freeing, all under the path's lock.
 */
#ifndef PART_UCX_WINDOW_H
#define PART_UCX_WINDOW_H

#include "path/part_ucx_path.h"

struct mca_part_ucx_endpoint_t;
struct mca_part_ucx_peer_t;

/** More than any window of units needs to fill a link. */
#define PART_UCX_OPS_PER_POOL 64u

typedef enum mca_part_ucx_op_state_t {
    PART_UCX_OP_FREE,
    PART_UCX_OP_IN_FLIGHT,
    PART_UCX_OP_LOST /**< its peer has died; UCX may never call back */
} mca_part_ucx_op_state_t;

/** One data transfer in flight. A path has pools of them, which grow; a channel may have one of its
 * own. */
typedef struct mca_part_ucx_op_t {
    struct mca_part_ucx_op_t *next;           /**< in the pool; in flight, as its user likes */
    mca_part_ucx_path_t *path;                /**< owner */
    struct mca_part_ucx_endpoint_t *endpoint; /**< where it goes */
    void *channel;                            /**< whose bytes it carries */
    uint64_t bytes;                           /**< counted against the window */
    void *staging;                            /**< packed data, or NULL; owned by the operation */
    size_t staging_size;                      /**< bytes that it holds; its user allocates more */
    uint8_t state;                            /**< mca_part_ucx_op_state_t */
    bool own;                                 /**< not of the pool, but of its channel */
} mca_part_ucx_op_t;

/** Give the path a pool of operations, the first one or one more. Returns an Open MPI code. */
int mca_part_ucx_path_add_ops(mca_part_ucx_path_t *path);

/** Free all of its pools. */
void mca_part_ucx_path_free_ops(mca_part_ucx_path_t *path);

/** Take an operation if the window allows `bytes` more; NULL otherwise. */
mca_part_ucx_op_t *mca_part_ucx_path_take_op(mca_part_ucx_path_t *path, uint64_t bytes);

/** Give an operation back. */
void mca_part_ucx_path_return_op(mca_part_ucx_op_t *op);

/** Is an operation of this channel in flight here, apart from its own one? */
bool mca_part_ucx_path_carries(const mca_part_ucx_path_t *path, const void *channel);

/** The operation's bytes have left: they no longer count against the window. */
static inline void mca_part_ucx_path_bytes_left(mca_part_ucx_op_t *op)
{
    op->path->bytes_in_flight -= op->bytes;
    op->bytes = 0;
}

/** Is it one of those that the caller means? */
typedef bool (*mca_part_ucx_op_is_fn_t)(const mca_part_ucx_op_t *op, const void *context);

/** Operations in flight that are never going to end take no room of others any more. Under the
 * path's lock. */
void mca_part_ucx_path_lose_ops(mca_part_ucx_path_t *path, mca_part_ucx_op_is_fn_t is_lost,
                                const void *context);

/** Bytes of staging memory that operations of all paths have. */
extern atomic_size_t mca_part_ucx_window_staging;

#endif /* PART_UCX_WINDOW_H */
