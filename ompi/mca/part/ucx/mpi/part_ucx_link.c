/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: channels whose partitions lie anywhere (see part_ucx_link.h).
 */
#include "api/part_ucx_link.h"

#include "mpi/part_ucx_error.h"
#include "base/part_ucx_poll.h"
#include "channel/part_ucx_request.h"

#include <stdlib.h>

#include "ompi/datatype/ompi_datatype.h"
#include "opal/runtime/opal_progress.h"

static uint64_t total_of(const mca_part_ucx_link_init_t *init)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < init->count; ++i) {
        total += init->piece[i].bytes;
    }
    return total;
}

static mca_part_ucx_request_t *new_link(const mca_part_ucx_link_init_t *init)
{
    mca_part_ucx_request_t *request;

    if (init->is_send) {
        request = (mca_part_ucx_request_t *) OBJ_NEW(mca_part_ucx_send_t);
    } else {
        request = (mca_part_ucx_request_t *) OBJ_NEW(mca_part_ucx_recv_t);
    }
    if (NULL == request) {
        return NULL;
    }
    if (!init->is_send) {
        ((mca_part_ucx_recv_t *) request)->shm = init->shm;
    }
    OMPI_REQUEST_INIT(&request->any.super, true);
    request->any.super.req_type = OMPI_REQUEST_PART;
    OBJ_RETAIN(init->comm);
    OBJ_RETAIN(&ompi_mpi_byte.dt);
    request->comm = init->comm;
    request->datatype = &ompi_mpi_byte.dt;
    request->partitions = request->cut = init->count;
    request->count = 1;
    request->total = total_of(init);
    request->peer_rank = init->peer;
    request->tag = PART_UCX_TAG_LINK;
    request->contiguous = true;
    request->piece = init->piece;
    request->observer = init->observer;
    request->context = init->context;
    request->fingerprint = init->fingerprint;
    request->warm = init->warm;
    atomic_store(&request->peer_epoch, UINT32_MAX);
    atomic_store(&request->link, PART_UCX_LINK_OPEN);
    return request;
}

static int prepare(void)
{
    int rc;

    pthread_mutex_lock(&mca_part_ucx.setup_lock);
    rc = mca_part_ucx_prepare_first();
    pthread_mutex_unlock(&mca_part_ucx.setup_lock);
    return OMPI_SUCCESS == rc ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int link_open(const mca_part_ucx_link_init_t *init, ompi_request_t **link)
{
    mca_part_ucx_request_t *request = new_link(init);
    int rc;

    if (NULL == request) {
        return MPI_ERR_NO_MEM;
    }
    rc = mca_part_ucx_request_connect(request);
    if (OMPI_SUCCESS != rc) {
        OMPI_REQUEST_FINI(&request->any.super);
        mca_part_ucx_request_destroy(request);
        return OMPI_ERR_OUT_OF_RESOURCE == rc ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
    }
    *link = &request->any.super;
    return MPI_SUCCESS;
}

static int link_state(ompi_request_t *link)
{
    mca_part_ucx_request_t *request = (mca_part_ucx_request_t *) link;

    switch (mca_part_ucx_request_link(request)) {
    case PART_UCX_LINK_READY:
        return MPI_SUCCESS;
    case PART_UCX_LINK_OPEN:
        return MPI_ERR_PENDING;
    default:
        return atomic_load(&request->error);
    }
}

static void link_start(ompi_request_t *link)
{
    mca_part_ucx_request_start_met((mca_part_ucx_request_t *) link);
}

static void link_mark(ompi_request_t *link, uint32_t piece)
{
    mca_part_ucx_send_mark_piece((mca_part_ucx_send_t *) link, piece);
}

static void link_push(void)
{
    mca_part_ucx_paths_push();
    if (!mca_part_ucx_tasks_empty(&mca_part_ucx.tasks)) {
        mca_part_ucx_async_wake_for_work();
    }
}

static void link_close(ompi_request_t *link)
{
    OMPI_REQUEST_FINI(link);
    mca_part_ucx_request_release((mca_part_ucx_request_t *) link);
}

static bool link_abandon(ompi_request_t *link)
{
    return mca_part_ucx_request_abandon((mca_part_ucx_request_t *) link);
}

static void defer(mca_part_ucx_task_t *task, bool application)
{
    mca_part_ucx_tasks_post(application ? &mca_part_ucx.app_tasks : &mca_part_ucx.tasks, task);
}

static void finish(mca_part_ucx_task_t *task)
{
    mca_part_ucx_queue_push(&mca_part_ucx.done, &task->link);
}

static void active(int change)
{
    atomic_fetch_add(&mca_part_ucx.active, change);
    if (change > 0) {
        mca_part_ucx_async_wake();
    }
}

static void miss(void)
{
    static _Thread_local mca_part_ucx_poll_t poll __attribute__((tls_model("initial-exec")));

    if (mca_part_ucx_poll_due(&poll)) {
        /* All of Open MPI's, for that leaves the processor to others where the user asked for it
         * (mpi_yield_when_idle): with more processes than cores, who polls keeps off who works. */
        opal_progress();
        mca_part_ucx_poll_over(&poll);
    }
}

static void complete(ompi_request_t *request)
{
    if (MPI_SUCCESS != request->req_status.MPI_ERROR) {
        mca_part_ucx_error_completes(request);
    }
    ompi_request_complete(request, true);
}

static int raise_error(ompi_communicator_t *comm, int error, const char *function)
{
    return mca_part_ucx_error_raise(comm, error, function, PART_UCX_RAISED_WITHOUT_OBJECT);
}

const mca_part_ucx_link_api_t mca_part_ucx_link_api = {.version = PART_UCX_LINK_VERSION,
                                                       .share = mca_part_ucx_share_make,
                                                       .probe = mca_part_ucx_share_probe,
                                                       .sees = mca_part_ucx_share_sees,
                                                       .hide = mca_part_ucx_shm_hide,
                                                       .unshare = mca_part_ucx_shm_free,
                                                       .prepare = prepare,
                                                       .open = link_open,
                                                       .state = link_state,
                                                       .start = link_start,
                                                       .mark = link_mark,
                                                       .push = link_push,
                                                       .close = link_close,
                                                       .abandon = link_abandon,
                                                       .defer = defer,
                                                       .finish = finish,
                                                       .active = active,
                                                       .miss = miss,
                                                       .complete = complete,
                                                       .raise = raise_error,
                                                       .freed = mca_part_ucx_error_freed};
