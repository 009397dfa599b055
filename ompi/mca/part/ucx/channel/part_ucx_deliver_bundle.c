/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bundle: several small pieces of a link in one active message, a list and their bytes. The bytes
 * are copied together here, and to their places by the receiver's handler, which then tells of each
 * piece. Ordered as an eager message is: the same processor writes the bytes and tells.
 */
#include "channel/part_ucx_am.h"
#include "channel/part_ucx_bundle.h"

static bool serves(const mca_part_ucx_send_t *send)
{
    return NULL != send->super.piece;
}

static bool fits(mca_part_ucx_parcel_t *parcel)
{
    return NULL != parcel->bundle;
}

static bool post(mca_part_ucx_transfer_t *transfer, const mca_part_ucx_parcel_t *parcel)
{
    const void *source = mca_part_ucx_bundle_pack(transfer, parcel->send, parcel->bundle,
                                                  parcel->count, parcel->length);

    if (NULL == source) {
        mca_part_ucx_bundle_unload(parcel->send, parcel->bundle);
        transfer->header.count = 0; /* there is no list of what was to leave */
        mca_part_ucx_send_failed(transfer, UCS_ERR_NO_MEMORY);
        return true;
    }
    mca_part_ucx_am_settle(transfer, mca_part_ucx_am_post(transfer, PART_UCX_AM_BUNDLE, source,
                                                          parcel->length));
    return true;
}

const mca_part_ucx_delivery_t mca_part_ucx_deliver_bundle = {.name = "bundle",
                                                             .method = PART_UCX_METHOD_MESSAGE,
                                                             .carries = true,
                                                             .serves = serves,
                                                             .fits = fits,
                                                             .post = post,
                                                             .done = mca_part_ucx_send_done};
