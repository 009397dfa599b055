/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sending requests: MPI_Pready and MPIX_Pbuf_prepare.
 */
#include "mpi/part_ucx_request.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_gate.h"
#include "channel/part_ucx_send.h"

#include <stdlib.h>

static mca_part_ucx_send_t *send_of(const mca_part_ucx_request_t *request)
{
    return mca_part_ucx_send_of(request->channel);
}

/* A send to MPI_PROC_NULL is complete as soon as it has started. Its partitions may be marked all
 * the same, also when a completion call has made it inactive meanwhile. */
static bool is_in_use(const mca_part_ucx_request_t *request)
{
    return mca_part_ucx_request_is_active(request)
           || (mca_part_ucx_request_is_null(request)
               && 0 != atomic_load(&request->channel->epoch));
}

static int psend_pready(mca_part_ucx_any_request_t *any, size_t low, size_t high)
{
    mca_part_ucx_request_t *request = (mca_part_ucx_request_t *) any;
    mca_part_ucx_send_t *send;

    if (!is_in_use(request)) {
        return MPI_ERR_REQUEST;
    }
    if (low > high || high >= request->partitions) {
        return MPI_ERR_ARG;
    }
    send = send_of(request);
    /* A partition in the range that is marked already is an error, and then none is marked. */
    if (low != high
        && mca_part_ucx_epoch_any(send->marked, low, high, mca_part_ucx_send_epoch(send))) {
        return MPI_ERR_ARG;
    }
    return mca_part_ucx_gate_mark(send, low, high);
}

static int psend_prepare(mca_part_ucx_any_request_t *any)
{
    mca_part_ucx_request_t *request = (mca_part_ucx_request_t *) any;

    if (!is_in_use(request)) {
        return MPI_ERR_REQUEST;
    }
    return mca_part_ucx_request_is_null(request) ? mca_part_ucx_channel_error(request->channel)
                                                 : mca_part_ucx_send_prepare(send_of(request));
}

static const mca_part_ucx_ops_t psend_ops = {.version = MCA_PART_UCX_OPS_VERSION,
                                             .pready = psend_pready,
                                             .prepare = psend_prepare};

static const mca_part_ucx_observer_t observer = {.finished = mca_part_ucx_request_ended};

static bool make_channel(mca_part_ucx_request_t *request, const mca_part_ucx_init_t *init)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_new();

    if (NULL == send) {
        return false;
    }
    mca_part_ucx_request_attach(request, init, &send->super, &observer);
    send->self_marking = 0 == init->partitions;
    send->marked = calloc(init->partitions + 1, sizeof(*send->marked));
    return NULL != send->marked;
}

mca_part_ucx_request_t *mca_part_ucx_psend_new(const mca_part_ucx_init_t *init)
{
    mca_part_ucx_request_t *request = mca_part_ucx_request_new(init, &psend_ops);

    if (NULL != request && !make_channel(request, init)) {
        mca_part_ucx_request_destroy(request);
        return NULL;
    }
    return request;
}
