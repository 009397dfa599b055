/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Offered: an active message without data, which the receiver fetches (UCX's rendezvous) into the
 * user's buffer, and then sets the flags. For what is large and lies in one range of memory on both
 * sides.
 */
#include "channel/part_ucx_am.h"

static bool serves(const mca_part_ucx_send_t *send)
{
    return send->super.contiguous && !send->eager_only;
}

static bool is_large(const mca_part_ucx_send_t *send, uint32_t pair, uint64_t length)
{
    return length > mca_part_ucx_am_eager_limit(send->endpoint[pair]->path);
}

/* The receiver fetches when it has started, so the offer need not wait to hear that it has. */
static bool early(const mca_part_ucx_send_t *send)
{
    return 1 == send->super.map.units && NULL == send->super.piece
           && is_large(send, 0, send->super.total);
}

static bool fits(mca_part_ucx_parcel_t *parcel)
{
    return parcel->reserved || is_large(parcel->send, parcel->pair, parcel->length);
}

static bool post(mca_part_ucx_transfer_t *transfer, const mca_part_ucx_parcel_t *parcel)
{
    const void *source = mca_part_ucx_delivery_source(transfer, parcel);

    mca_part_ucx_am_settle(transfer, mca_part_ucx_am_post(transfer, PART_UCX_AM_OFFER, source,
                                                          parcel->length));
    return true;
}

static void done(mca_part_ucx_transfer_t *transfer)
{
    if (transfer->op.own) {
        mca_part_ucx_send_started(mca_part_ucx_send_in(transfer), transfer->header.epoch);
    }
    mca_part_ucx_send_done(transfer);
}

const mca_part_ucx_delivery_t mca_part_ucx_deliver_rndv = {.name = "rndv",
                                                           .method = PART_UCX_METHOD_MESSAGE,
                                                           .serves = serves,
                                                           .early = early,
                                                           .fits = fits,
                                                           .post = post,
                                                           .done = done};
