/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * CLOSE tells the other end of a channel that a request has been freed, and how far it went; FAIL
 * and LEAVE that it has given up (part_ucx_leave.h). The message outlives the request, so it has
 * its own memory. A request may have been freed because a path has failed, so one that fails takes
 * the next path.
 */
#include "base/part_ucx_help.h"
#include "channel/part_ucx_request.h"

#include <stdlib.h>

typedef struct closing_t {
    mca_part_ucx_work_t work;
    mca_part_ucx_wire_event_t event;
    unsigned id; /* of the active message */
    uint32_t turn, endpoints;
    mca_part_ucx_endpoint_t *endpoint[PART_UCX_MAX_PATHS]; /* to be tried in this order */
} closing_t;

static void close_push(closing_t *closing)
{
    mca_part_ucx_path_push(closing->endpoint[closing->turn]->path, &closing->work);
}

static void close_sent(void *request, ucs_status_t status, void *user_data)
{
    closing_t *closing = user_data;

    if (NULL != request) {
        ucp_request_free(request);
    }
    /* What is cancelled is cancelled by the end of MPI. */
    if (UCS_OK != status && UCS_ERR_CANCELED != status
        && ++closing->turn < closing->endpoints) {
        close_push(closing);
    } else {
        free(closing); /* a peer that cannot be told has other troubles */
    }
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
    status = ucp_am_send_nbx(closing->endpoint[closing->turn]->ucp, closing->id,
                             &closing->event, sizeof(closing->event), NULL, 0, &param);
    if (!UCS_PTR_IS_PTR(status)) {
        close_sent(NULL, UCS_PTR_RAW_STATUS(status), closing);
    }
    return true;
}

/* The endpoints of a channel. A receive has only the first; others to its peer may be there. */
static void collect(closing_t *closing, const mca_part_ucx_request_t *request)
{
    const mca_part_ucx_peer_t *peer = request->peer;

    if (mca_part_ucx_request_is_send(request)) {
        const mca_part_ucx_send_t *send = (const mca_part_ucx_send_t *) request;

        while (closing->endpoints < request->pairs && NULL != send->endpoint[closing->endpoints]) {
            closing->endpoint[closing->endpoints] = send->endpoint[closing->endpoints];
            ++closing->endpoints;
        }
        return;
    }
    if (NULL == ((const mca_part_ucx_recv_t *) request)->endpoint) {
        return;
    }
    closing->endpoint[closing->endpoints++] = ((const mca_part_ucx_recv_t *) request)->endpoint;
    for (uint32_t i = 0; i < peer->pairs; ++i) {
        const mca_part_ucx_pairing_t *pair = &peer->pair[i];
        mca_part_ucx_endpoint_t *endpoint = peer->remote[pair->remote].endpoint[pair->local];

        if (NULL != endpoint && endpoint != closing->endpoint[0]
            && closing->endpoints < PART_UCX_MAX_PATHS) {
            closing->endpoint[closing->endpoints++] = endpoint;
        }
    }
}

/* The last epoch that the peer may bring to its end. A request that has failed may have been
 * started again, for nothing. A link is given up at once, and the epoch of its collective, too. */
static uint32_t last_epoch(mca_part_ucx_request_t *request)
{
    uint32_t epoch = atomic_load(&request->epoch);

    if (PART_UCX_LINK_FAILED != mca_part_ucx_request_link(request)) {
        return epoch;
    }
    if (NULL != request->observer) {
        return 0 != epoch ? epoch - 1 : 0;
    }
    return atomic_load(&request->good_epoch);
}

void mca_part_ucx_close_send(mca_part_ucx_request_t *request, unsigned event, bool busy)
{
    closing_t *closing = calloc(1, sizeof(*closing));
    mca_part_ucx_path_t *path;

    if (NULL == closing) {
        mca_part_ucx_help("setup-lost", request->peer_rank);
        return;
    }
    collect(closing, request);
    if (0 == closing->endpoints) {
        free(closing);
        return;
    }
    closing->work.post = close_post;
    closing->work.urgent = true;
    closing->id = event;
    closing->event.key = atomic_load(&request->peer_key);
    closing->event.from = request->key;
    closing->event.epoch = last_epoch(request);
    closing->event.busy = busy;
    /* Now, not when the path is driven next: an early offer must not be released before it. */
    path = closing->endpoint[0]->path;
    mca_part_ucx_path_lock(path);
    (void) close_post(path, &closing->work);
    mca_part_ucx_path_unlock(path);
}
