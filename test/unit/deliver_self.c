/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Self: what is small and goes to this very process is copied into the receive buffer, and then the
 * receiver is told. One copy instead of the two of a message, and no system call.
 *
 * No flag before its data: the bytes are in place when memcpy() returns. The news of it is sent
 * after that by the same thread, and only the news sets flags (docs/protocol.md, "Placed"). Nothing
 * is written before the receiver has started: without `early` no unit leaves before READY.
 *
 * The example of docs/adding-a-delivery-method.md; test_delivery.c has it in its table.
 */
#include "channel/part_ucx_am.h"

#include <string.h>
#include <unistd.h>

/* `cma_process` is the receiver's process id, if it lets senders write into its memory. */
static bool serves(const mca_part_ucx_send_t *send)
{
    return NULL == send->super.piece
           && getpid() == atomic_load_explicit(&send->cma_process, memory_order_relaxed);
}

/* What is larger would keep others from the path for long; "cma" copies it without the lock. */
static bool fits(mca_part_ucx_parcel_t *parcel)
{
    const mca_part_ucx_path_t *path = parcel->send->endpoint[parcel->pair]->path;

    return !parcel->reserved && !parcel->placed
           && parcel->length <= mca_part_ucx_am_eager_limit(path);
}

static bool post(mca_part_ucx_transfer_t *transfer, const mca_part_ucx_parcel_t *parcel)
{
    const mca_part_ucx_send_t *send = parcel->send;
    void *target = (void *) (uintptr_t) (send->remote_data + parcel->offset);

    if (0 != parcel->length) {
        memcpy(target, mca_part_ucx_channel_at(&send->super, parcel->offset), parcel->length);
    }
    mca_part_ucx_am_post_placed(transfer); /* the send may be gone now */
    return true;
}

const mca_part_ucx_delivery_t mca_part_ucx_deliver_self = {.name = "self",
                                                           .method = PART_UCX_METHOD_MESSAGE,
                                                           .instant = true,
                                                           .serves = serves,
                                                           .fits = fits,
                                                           .post = post,
                                                           .done = mca_part_ucx_send_done};
