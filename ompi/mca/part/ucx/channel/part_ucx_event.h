/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sending the short messages READY, END, DOWN, BACK, ASK and PROBE.
 */
#ifndef PART_UCX_EVENT_H
#define PART_UCX_EVENT_H

#include "channel/part_ucx_message.h"
#include "path/part_ucx_peer.h"

/**
 * Send an event of `size` bytes over an endpoint, under the lock of its path.
 *
 * @param event  must stay until `sent` is called, with `context`; that may be at once
 * @param data   goes with it, and must stay as long; NULL: nothing
 */
static inline void mca_part_ucx_event_post(mca_part_ucx_endpoint_t *endpoint, unsigned id,
                                           const void *event, size_t size, const void *data,
                                           size_t length, ucp_send_nbx_callback_t sent,
                                           void *context)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA
                                                 | UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_AM_SEND_FLAG_EAGER,
                                 .cb.send = sent,
                                 .user_data = context};
    ucs_status_ptr_t status;

    atomic_store_explicit(&endpoint->path->dirty, true, memory_order_relaxed);
    status = ucp_am_send_nbx(endpoint->ucp, id, event, size, data, length, &param);
    if (!UCS_PTR_IS_PTR(status)) {
        sent(NULL, UCS_PTR_RAW_STATUS(status), context); /* UCX does not call it then */
    }
}

/** Send nothing, which the other end's system acknowledges: if there is none, UCX finds out. Takes
 * the path's lock. */
void mca_part_ucx_event_probe(mca_part_ucx_endpoint_t *endpoint);

#endif /* PART_UCX_EVENT_H */
