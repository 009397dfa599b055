/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Viewed: a piece of a link that lies in memory which its receiver, on the same host, shares. The
 * sender copies it there without a system call, and then tells the receiver.
 */
#include "channel/part_ucx_am.h"

#include "base/part_ucx_shared_copy.h"
#include "channel/part_ucx_shared_memory.h"
#include "channel/part_ucx_targets.h"

static bool serves(const mca_part_ucx_send_t *send)
{
    return NULL != send->targets && NULL != send->targets->view.here;
}

static bool fits(mca_part_ucx_parcel_t *parcel)
{
    return parcel->length > mca_part_ucx_shared_memory_limit()
           && NULL != mca_part_ucx_targets_view(parcel->send, parcel->first, parcel->length);
}

static bool post(mca_part_ucx_transfer_t *transfer, const mca_part_ucx_parcel_t *parcel)
{
    mca_part_ucx_send_t *send = parcel->send;
    ucp_worker_h worker = transfer->op.path->worker;

    /* The receiver is told after it, as after the system call. */
    mca_part_ucx_shared_copy(&send->targets->copies,
                             mca_part_ucx_targets_view(send, parcel->first, parcel->length),
                             mca_part_ucx_channel_at(&send->super, parcel->offset), parcel->length);
    mca_part_ucx_am_post_placed(transfer);
    (void) ucp_worker_progress(worker); /* copying takes long */
    return true;
}

const mca_part_ucx_delivery_t mca_part_ucx_deliver_shm = {.name = "shm",
                                                          .method = PART_UCX_METHOD_MESSAGE,
                                                          .instant = true,
                                                          .serves = serves,
                                                          .fits = fits,
                                                          .post = post,
                                                          .done = mca_part_ucx_send_done};
