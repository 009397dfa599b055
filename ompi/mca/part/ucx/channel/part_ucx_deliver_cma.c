/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Placed: the sender writes into the receive buffer of a process on its host by a system call, and
 * then tells the receiver, which sets the flags.
 *
 * A unit that is one partition, or a slice of one, is placed by the thread that has marked it,
 * before it is pushed on its path's queue and without any lock, so threads copy side by side. Four
 * kinds are placed under the path's lock, by the thread that posts them:
 *
 *   units of several partitions    some may have left alone and be in the application's hands again
 *                                  at the receiver, as only part_ucx_post.c knows
 *   units complete before READY    the thread that opens the gate does not copy for others
 *   small ones                     quickly done, by one thread at a time
 *   pieces of collectives          the engine marks them, perhaps under a lock
 */
#include "channel/part_ucx_am.h"

#include "base/part_ucx_clock.h"
#include "channel/part_ucx_copy_side.h"
#include "path/part_ucx_cma.h"
#include "process/part_ucx_log.h"

static int process_of(const mca_part_ucx_send_t *send)
{
    return atomic_load_explicit(&send->cma_process, memory_order_relaxed);
}

static bool serves(const mca_part_ucx_send_t *send)
{
    return 0 != process_of(send);
}

static bool fits(mca_part_ucx_parcel_t *parcel)
{
    return parcel->placed
           || (!parcel->reserved && 0 != process_of(parcel->send)
               && mca_part_ucx_copy_side_take(parcel));
}

/* Any thread; under the path's lock if the bytes are few enough to be carried. */
static bool place(const mca_part_ucx_parcel_t *parcel)
{
    mca_part_ucx_send_t *send = parcel->send;
    mca_part_ucx_cheaper_t *cheaper = mca_part_ucx_copy_side_cheaper(parcel);
    const mca_part_ucx_targets_t *targets = send->targets;
    uint64_t target = NULL != targets ? targets->piece[parcel->first].address
                                      : send->remote_data + parcel->offset;
    uint64_t begin = NULL != cheaper ? mca_part_ucx_clock_ns() : 0;
    int process = process_of(send);

    if (0 == process
        || !mca_part_ucx_cma_write(process, target,
                                   mca_part_ucx_channel_at(&send->super, parcel->offset),
                                   parcel->length)) {
        PART_UCX_VERBOSE(1, "the memory of rank %d cannot be written to any more; it fetches",
                         send->super.peer_rank);
        atomic_store_explicit(&send->cma_process, 0, memory_order_relaxed);
        return false;
    }
    if (NULL != cheaper) {
        mca_part_ucx_copy_side_note(cheaper, PART_UCX_PLACE, parcel->length, begin);
    }
    return true;
}

static void ahead(mca_part_ucx_parcel_t *parcel)
{
    /* What is small is quickly done, by one thread at a time. */
    parcel->placed = 0 != process_of(parcel->send)
                     && parcel->length > mca_part_ucx_params.shared_eager_limit
                     && mca_part_ucx_copy_side_take_large(parcel) && place(parcel);
}

static bool post(mca_part_ucx_transfer_t *transfer, const mca_part_ucx_parcel_t *parcel)
{
    ucp_worker_h worker = transfer->op.path->worker;

    if (!parcel->placed && !place(parcel)) {
        return false;
    }
    mca_part_ucx_am_post_placed(transfer);
    if (!parcel->placed) {
        /* Copying takes long: see what the peer has fetched meanwhile, before the next unit. */
        (void) ucp_worker_progress(worker);
    }
    return true;
}

const mca_part_ucx_delivery_t mca_part_ucx_deliver_cma = {.name = "cma",
                                                          .method = PART_UCX_METHOD_MESSAGE,
                                                          .instant = true,
                                                          .serves = serves,
                                                          .fits = fits,
                                                          .ahead = ahead,
                                                          .post = post,
                                                          .done = mca_part_ucx_send_done};
