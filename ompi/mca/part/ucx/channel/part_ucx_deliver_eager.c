/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Eager: one active message with header and data; the receiver copies, then sets the flags. Ordered
 * by construction, and the cheapest way for what is small.
 */
#include "channel/part_ucx_am.h"

#include "base/part_ucx_clock.h"
#include "channel/part_ucx_copy_side.h"

static bool post(mca_part_ucx_transfer_t *transfer, const mca_part_ucx_parcel_t *parcel)
{
    const void *source = mca_part_ucx_delivery_source(transfer, parcel);
    mca_part_ucx_cheaper_t *cheaper = mca_part_ucx_copy_side_cheaper(parcel);
    uint64_t begin = NULL != cheaper ? mca_part_ucx_clock_ns() : 0;
    ucs_status_ptr_t status;

    if (NULL == source) {
        mca_part_ucx_send_failed(transfer, UCS_ERR_NO_MEMORY);
        return true;
    }
    status = mca_part_ucx_am_post(transfer, PART_UCX_AM_DATA, source, parcel->length);
    if (NULL != cheaper && !UCS_PTR_IS_PTR(status)) {
        mca_part_ucx_copy_side_note(cheaper, PART_UCX_EAGER, parcel->length, begin);
    }
    mca_part_ucx_am_settle(transfer, status);
    return true;
}

const mca_part_ucx_delivery_t mca_part_ucx_deliver_eager = {.name = "eager",
                                                            .method = PART_UCX_METHOD_MESSAGE,
                                                            .carries = true,
                                                            .post = post,
                                                            .done = mca_part_ucx_send_done};
