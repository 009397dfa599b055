/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * CLOSE: tells the other end of a channel that a request has been freed, and how far it went.
 * The message outlives the request, so it has memory of its own.
 */
#include "part_ucx_request.h"

#include <stdlib.h>

typedef struct closing_t {
    mca_part_ucx_work_t work;
    ucp_ep_h endpoint;
    mca_part_ucx_wire_event_t event;
} closing_t;

static void close_sent(void *request, ucs_status_t status, void *user_data)
{
    (void) status; /* a peer that cannot be told has other troubles */
    if (NULL != request) {
        ucp_request_free(request);
    }
    free(user_data);
}

static bool close_post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    closing_t *closing = PART_UCX_CONTAINER(work, closing_t, work);
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA
                                                 | UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_AM_SEND_FLAG_EAGER,
                                 .cb.send = close_sent,
                                 .user_data = closing};
    ucs_status_ptr_t status;

    atomic_store_explicit(&path->dirty, true, memory_order_relaxed);
    status = ucp_am_send_nbx(closing->endpoint, PART_UCX_AM_CLOSE, &closing->event,
                             sizeof(closing->event), NULL, 0, &param);
    if (!UCS_PTR_IS_PTR(status)) {
        close_sent(NULL, UCS_PTR_RAW_STATUS(status), closing);
    }
    return true;
}

void mca_part_ucx_close_send(mca_part_ucx_request_t *request)
{
    mca_part_ucx_endpoint_t *endpoint = mca_part_ucx_request_is_send(request)
                                            ? ((mca_part_ucx_send_t *) request)->endpoint[0]
                                            : ((mca_part_ucx_recv_t *) request)->endpoint;
    closing_t *closing = NULL == endpoint ? NULL : calloc(1, sizeof(*closing));

    if (NULL == closing) {
        return;
    }
    closing->work.post = close_post;
    closing->work.urgent = true;
    closing->endpoint = endpoint->ucp;
    closing->event.key = atomic_load(&request->peer_key);
    closing->event.from = request->key;
    closing->event.epoch = atomic_load(&request->epoch);
    if (PART_UCX_LINK_FAILED == mca_part_ucx_request_link(request)) {
        --closing->event.epoch; /* the last one was not brought to its end */
    }
    mca_part_ucx_path_push(endpoint->path, &closing->work);
    (void) mca_part_ucx_path_drive(endpoint->path, false);
}
