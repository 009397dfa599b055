/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Life of a request: made by an init call, started, completed, freed. What is peculiar to sending
 * and receiving is in part_ucx_psend.c and part_ucx_precv.c.
 */
#include "mpi/part_ucx_request.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_datatype.h"
#include "mpi/part_ucx_errors.h"
#include "path/part_ucx_helper.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_process.h"

#include <stdlib.h>
#include <string.h>

/* ---- completion ---- */

static void set_status(mca_part_ucx_request_t *request)
{
    const mca_part_ucx_channel_t *channel = request->channel;
    ompi_status_public_t *status = &request->any.super.req_status;
    bool null_peer = mca_part_ucx_request_is_null(request);

    status->MPI_SOURCE = null_peer ? MPI_PROC_NULL : channel->peer_rank;
    status->MPI_TAG = null_peer ? MPI_ANY_TAG : channel->tag;
    status->MPI_ERROR = request->outcome;
    status->_ucount = null_peer || MPI_SUCCESS != status->MPI_ERROR ? 0 : channel->total;
    status->_cancelled = 0;
}

void mca_part_ucx_request_ended(void *context, int error)
{
    mca_part_ucx_request_t *request = context;

    request->outcome = error;
    mca_part_ucx_queue_push(&mca_part_ucx_process.done, &request->done.item);
}

static void complete(mca_part_ucx_task_t *task)
{
    mca_part_ucx_request_t *request = PART_UCX_CONTAINER(task, mca_part_ucx_request_t, done);

    set_status(request);
    atomic_fetch_sub(&mca_part_ucx_process.active, 1);
    mca_part_ucx_error_complete(&request->any.super);
}

int mca_part_ucx_requests_complete(void)
{
    mca_part_ucx_item_t *item = mca_part_ucx_queue_take(&mca_part_ucx_process.done);
    int completed = 0;

    while (NULL != item) {
        mca_part_ucx_task_t *task = PART_UCX_CONTAINER(item, mca_part_ucx_task_t, item);

        item = item->next;
        task->run(task);
        ++completed;
    }
    return completed;
}

/* ---- start ---- */

static void start_null(mca_part_ucx_request_t *request)
{
    mca_part_ucx_channel_t *channel = request->channel;

    atomic_store(&channel->epoch, mca_part_ucx_epoch_next(atomic_load(&channel->epoch)));
    set_status(request);
    request->any.super.req_complete = REQUEST_COMPLETED;
    request->any.super.req_state = OMPI_REQUEST_ACTIVE;
}

static void request_start(mca_part_ucx_request_t *request)
{
    ompi_request_t *super = &request->any.super;

    if (mca_part_ucx_request_is_null(request)) {
        start_null(request);
        return;
    }
    if (mca_part_ucx_epoch_is_last(atomic_load(&request->channel->epoch))) {
        mca_part_ucx_claims_forget(&request->claims);
    }
    super->req_status.MPI_ERROR = MPI_SUCCESS;
    super->req_type = OMPI_REQUEST_PART; /* see mca_part_ucx_error_complete() */
    super->req_complete = REQUEST_PENDING;
    super->req_state = OMPI_REQUEST_ACTIVE;
    atomic_store(&request->any.arrived, 0);
    atomic_fetch_add(&mca_part_ucx_process.active, 1);
    mca_part_ucx_channel_start(request->channel); /* from here on it can be completed */
}

int mca_part_ucx_requests_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; ++i) {
        request_start((mca_part_ucx_request_t *) requests[i]);
    }
    mca_part_ucx_helper_wake();
    return OMPI_SUCCESS;
}

/* ---- cancel and free ---- */

static int request_cancel(ompi_request_t *request, int complete_flag)
{
    mca_part_ucx_request_t *own = (mca_part_ucx_request_t *) request;

    (void) complete_flag;
    mca_part_ucx_help("cancel", own->channel->peer_rank, own->channel->tag);
    return mca_part_ucx_error_raise(own->any.super.req_mpi_object.comm, MPI_ERR_REQUEST,
                                    "MPI_Cancel", PART_UCX_RAISED_WITHOUT_OBJECT);
}

void mca_part_ucx_request_destroy(mca_part_ucx_request_t *request)
{
    if (NULL == request) {
        return;
    }
    if (NULL != request->channel) {
        mca_part_ucx_channel_destroy(request->channel);
    }
    mca_part_ucx_claims_fini(&request->claims);
    OBJ_RELEASE(request->any.super.req_mpi_object.comm);
    OBJ_RELEASE(request);
}

/* With the last reference to a datatype Open MPI calls the program's functions that delete its
 * attributes: not under the set-up lock. */
static void release_channel(mca_part_ucx_request_t *request)
{
    ompi_datatype_t *datatype = request->channel->datatype;

    OBJ_RETAIN(datatype);
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    mca_part_ucx_channel_release(request->channel);
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    OBJ_RELEASE(datatype);
    request->channel = NULL;
}

static int request_free(ompi_request_t **handle)
{
    mca_part_ucx_request_t *request = (mca_part_ucx_request_t *) *handle;
    ompi_request_t *super = *handle;

    if (!mca_part_ucx_may_be_freed(super)) {
        mca_part_ucx_help("free-active", request->channel->peer_rank, request->channel->tag);
        return mca_part_ucx_error_raise(super->req_mpi_object.comm, MPI_ERR_REQUEST,
                                        "MPI_Request_free", PART_UCX_RAISED_WITHOUT_OBJECT);
    }
    mca_part_ucx_error_freed(super);
    OMPI_REQUEST_FINI(super);
    if (!mca_part_ucx_request_is_null(request)) {
        release_channel(request);
    }
    mca_part_ucx_request_destroy(request);
    *handle = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

/* ---- creation ---- */

mca_part_ucx_request_t *mca_part_ucx_request_new(const mca_part_ucx_init_t *init,
                                                 const mca_part_ucx_ops_t *ops)
{
    mca_part_ucx_request_t *request = OBJ_NEW(mca_part_ucx_request_t);
    ompi_request_t *super;

    if (NULL == request) {
        return NULL;
    }
    super = &request->any.super;
    OMPI_REQUEST_INIT(super, true);
    super->req_type = OMPI_REQUEST_PART;
    super->req_start = mca_part_ucx_requests_start;
    super->req_free = request_free;
    super->req_cancel = request_cancel;
    super->req_mpi_object.comm = init->comm;
    super->req_status = ompi_status_empty;
    OBJ_RETAIN(init->comm);
    request->any.ops = ops;
    request->partitions = (uint32_t) init->partitions;
    request->done.run = complete;
    return request;
}

void mca_part_ucx_request_attach(mca_part_ucx_request_t *request,
                                 const mca_part_ucx_init_t *init,
                                 mca_part_ucx_channel_t *channel,
                                 const mca_part_ucx_observer_t *observer)
{
    size_t elements = init->partitions * init->count;
    size_t size;

    ompi_datatype_type_size(init->datatype, &size);
    OBJ_RETAIN(init->comm);
    OBJ_RETAIN(init->datatype);
    channel->observer = observer;
    channel->context = request;
    channel->comm = init->comm;
    channel->peer_rank = init->peer;
    channel->tag = init->tag;
    channel->space = PART_UCX_SPACE_USER;
    channel->datatype = init->datatype;
    channel->buffer = (char *) (uintptr_t) init->buffer;
    channel->count = init->count;
    channel->total = (uint64_t) elements * size;
    channel->partitions = 0 == init->partitions ? 1 : request->partitions;
    channel->data = (char *) channel; /* any address will do for a message without bytes */
    channel->contiguous = 0 == channel->total
                          || mca_part_ucx_datatype_contiguous(init->datatype, elements,
                                                              init->buffer, &channel->data);
    request->channel = channel;
}

static void construct(mca_part_ucx_request_t *request)
{
    memset((char *) request + sizeof(ompi_request_t), 0,
           sizeof(*request) - sizeof(ompi_request_t));
}

OBJ_CLASS_INSTANCE(mca_part_ucx_request_t, ompi_request_t, construct, NULL);
