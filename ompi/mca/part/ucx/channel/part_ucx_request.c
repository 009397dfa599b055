/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Life of a request: made by an init call, started, completed, freed. What is peculiar to
 * sending and receiving is in part_ucx_send.c and part_ucx_recv.c.
 */
#include "channel/part_ucx_request.h"

#include "channel/part_ucx_datatype.h"
#include "api/part_ucx_epoch.h"
#include "mpi/part_ucx_error.h"
#include "base/part_ucx_help.h"
#include "channel/part_ucx_leave.h"
#include "wireup/part_ucx_setup.h"

#include <stdlib.h>
#include <string.h>

/* Requests that have failed: UCX may still point into their memory. Under the set-up lock. */
static mca_part_ucx_link_t *failed;

bool mca_part_ucx_request_is_send(const mca_part_ucx_request_t *request)
{
    return &mca_part_ucx_send_ops == request->any.ops;
}

/* ---- completion ---- */

/* A receive that has its data: the sender has our ACCEPT, and our addresses with the first of
 * those. In a process that only receives nothing else shows that. */
static void note_good_end(mca_part_ucx_request_t *request)
{
    atomic_store_explicit(&request->good_epoch,
                          atomic_load_explicit(&request->epoch, memory_order_relaxed),
                          memory_order_relaxed);
    if (!mca_part_ucx_request_is_send(request)) {
        atomic_store_explicit(&request->any.arrived, request->partitions, memory_order_release);
        atomic_store_explicit(&request->peer->knows_us, true, memory_order_relaxed);
    }
}

void mca_part_ucx_request_finish(mca_part_ucx_request_t *request)
{
    int error = atomic_load(&request->error); /* what comes later is not of this epoch */

    if (!atomic_exchange(&request->running, false)) {
        return;
    }
    request->outcome = error;
    if (MPI_SUCCESS == error) {
        note_good_end(request);
    }
    if (NULL != request->observer) {
        request->any.super.req_state = OMPI_REQUEST_INACTIVE;
        atomic_fetch_sub(&mca_part_ucx.active, 1);
        request->observer->finished(request->context, error);
    } else {
        mca_part_ucx_queue_push(&mca_part_ucx.done, &request->done.link);
    }
}

void mca_part_ucx_request_give_up(mca_part_ucx_request_t *request, int error)
{
    int none = MPI_SUCCESS;

    (void) atomic_compare_exchange_strong(&request->error, &none, error);
    if (PART_UCX_LINK_OPEN == atomic_exchange(&request->link, PART_UCX_LINK_FAILED)) {
        atomic_fetch_sub(&mca_part_ucx.unmatched, 1);
    }
}

void mca_part_ucx_request_fail(mca_part_ucx_request_t *request, int error)
{
    if (PART_UCX_LINK_READY == mca_part_ucx_request_link(request)) {
        mca_part_ucx_leave_begin(request, error);
        return;
    }
    mca_part_ucx_request_give_up(request, error);
    if (!atomic_load(&request->leaving)) {
        mca_part_ucx_request_finish(request);
    }
}

void mca_part_ucx_request_peer_closed(mca_part_ucx_request_t *request, uint32_t epoch)
{
    atomic_store(&request->peer_epoch, epoch);
    if (!atomic_load(&request->leaving) && atomic_load(&request->running)
        && (int32_t) (atomic_load(&request->epoch) - epoch) > 0) {
        if (NULL == request->observer) { /* who owns links tells it once for all of them */
            mca_part_ucx_help("peer-freed", request->peer_rank, request->tag);
        }
        mca_part_ucx_request_fail(request, MPI_ERR_OTHER);
    }
}

static void set_status(mca_part_ucx_request_t *request)
{
    ompi_status_public_t *status = &request->any.super.req_status;
    bool null_peer = MPI_PROC_NULL == request->peer_rank;

    status->MPI_SOURCE = null_peer ? MPI_PROC_NULL : request->peer_rank;
    status->MPI_TAG = null_peer ? MPI_ANY_TAG : request->tag;
    status->MPI_ERROR = request->outcome;
    status->_ucount = null_peer || MPI_SUCCESS != status->MPI_ERROR ? 0 : request->total;
    status->_cancelled = 0;
}

void mca_part_ucx_request_complete(mca_part_ucx_task_t *task)
{
    mca_part_ucx_request_t *request = PART_UCX_CONTAINER(task, mca_part_ucx_request_t, done);

    set_status(request);
    if (MPI_SUCCESS != request->any.super.req_status.MPI_ERROR) {
        mca_part_ucx_error_completes(&request->any.super);
    }
    atomic_fetch_sub(&mca_part_ucx.active, 1);
    ompi_request_complete(&request->any.super, true);
}

int mca_part_ucx_requests_complete(void)
{
    mca_part_ucx_link_t *link = mca_part_ucx_queue_take(&mca_part_ucx.done);
    int completed = 0;

    while (NULL != link) {
        mca_part_ucx_task_t *task = PART_UCX_CONTAINER(link, mca_part_ucx_task_t, link);

        link = link->next;
        task->run(task);
        ++completed;
    }
    return completed;
}

/* ---- start ---- */

/* Take the request into an epoch: from here on it can be completed. */
static void begin(mca_part_ucx_request_t *request)
{
    request->any.super.req_status.MPI_ERROR = MPI_SUCCESS;
    request->any.super.req_type = OMPI_REQUEST_PART; /* see mca_part_ucx_error_completes() */
    request->any.super.req_complete = REQUEST_PENDING;
    request->any.super.req_state = OMPI_REQUEST_ACTIVE;
    atomic_store(&request->any.arrived, 0);
    atomic_store(&request->epoch, mca_part_ucx_epoch_next(atomic_load(&request->epoch)));
    atomic_fetch_add(&mca_part_ucx.active, 1);
    atomic_store(&request->running, true); /* last: from here on it can be completed */
}

static void start_null(mca_part_ucx_request_t *request)
{
    atomic_store(&request->epoch, mca_part_ucx_epoch_next(atomic_load(&request->epoch)));
    set_status(request);
    request->any.super.req_complete = REQUEST_COMPLETED;
    request->any.super.req_state = OMPI_REQUEST_ACTIVE;
}

void mca_part_ucx_request_start_ready(mca_part_ucx_request_t *request)
{
    uint32_t last = atomic_load(&request->peer_epoch);

    if (UINT32_MAX != last && (int32_t) (atomic_load(&request->epoch) - last) > 0) {
        mca_part_ucx_request_peer_closed(request, last);
    } else if (mca_part_ucx_request_is_send(request)) {
        mca_part_ucx_send_start((mca_part_ucx_send_t *) request);
    } else {
        mca_part_ucx_recv_start((mca_part_ucx_recv_t *) request);
    }
}

void mca_part_ucx_request_start_met(mca_part_ucx_request_t *request)
{
    begin(request);
    /* Who makes it fail from here on sees that it runs, and completes it. For that the load must
     * not pass the store of `running`, so acquire is not enough. */
    if (PART_UCX_LINK_FAILED == atomic_load(&request->link)) {
        mca_part_ucx_request_finish(request);
    } else {
        mca_part_ucx_request_start_ready(request);
    }
}

/*
 * The first epoch, or one before the link is READY: set-up may still change the link, even take
 * READY back, because no data have moved, and looks at `running`. So both happen under its lock.
 */
static void start_first(mca_part_ucx_request_t *request)
{
    int link;

    pthread_mutex_lock(&mca_part_ucx.setup_lock);
    begin(request);
    link = mca_part_ucx_request_link(request);
    if (PART_UCX_LINK_FAILED == link) {
        mca_part_ucx_request_finish(request);
    } else if (request->mismatched && mca_part_ucx_request_is_send(request)) {
        mca_part_ucx_setup_mismatch(request);
    } else if (request->mismatched) {
        mca_part_ucx_setup_refuse_size((mca_part_ucx_recv_t *) request);
    } else if (PART_UCX_LINK_READY == link) {
        mca_part_ucx_request_start_ready(request);
    }
    pthread_mutex_unlock(&mca_part_ucx.setup_lock);
}

static void request_start(mca_part_ucx_request_t *request)
{
    int link = mca_part_ucx_request_link(request);

    if (PART_UCX_LINK_NULL_PEER == link) {
        start_null(request);
    } else if (PART_UCX_LINK_OPEN == link || 0 == atomic_load(&request->epoch)) {
        start_first(request);
    } else {
        mca_part_ucx_request_start_met(request);
    }
}

int mca_part_ucx_requests_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; ++i) {
        request_start((mca_part_ucx_request_t *) requests[i]);
    }
    mca_part_ucx_async_wake();
    return OMPI_SUCCESS;
}

/* ---- cancel and free ---- */

static int request_cancel(ompi_request_t *request, int complete)
{
    mca_part_ucx_request_t *own = (mca_part_ucx_request_t *) request;

    (void) complete;
    mca_part_ucx_help("cancel", own->peer_rank, own->tag);
    return mca_part_ucx_error_raise(own->comm, MPI_ERR_REQUEST, "MPI_Cancel",
                                    PART_UCX_RAISED_WITHOUT_OBJECT);
}

/* Handlers that looked the request up before its key was removed run under a path's lock. */
static void wait_for_handlers(void)
{
    for (int i = 0; i < mca_part_ucx.path_count; ++i) {
        mca_part_ucx_path_lock(&mca_part_ucx.paths[i]);
        mca_part_ucx_path_unlock(&mca_part_ucx.paths[i]);
    }
}

void mca_part_ucx_request_destroy(mca_part_ucx_request_t *request)
{
    mca_part_ucx_datatype_release(request->convertor, request->pairs);
    if (mca_part_ucx_request_is_send(request)) {
        mca_part_ucx_send_release((mca_part_ucx_send_t *) request);
    } else {
        mca_part_ucx_recv_release((mca_part_ucx_recv_t *) request);
    }
    OBJ_RELEASE(request->datatype);
    OBJ_RELEASE(request->comm);
    OBJ_RELEASE(request);
}

/* Under the set-up lock. */
static void release(mca_part_ucx_request_t *request)
{
    if (PART_UCX_LINK_NULL_PEER != mca_part_ucx_request_link(request)) {
        mca_part_ucx_setup_detach(request);
        mca_part_ucx_table_remove(&mca_part_ucx.table, request->key);
        wait_for_handlers();
    }
    if (mca_part_ucx_request_is_send(request)) {
        /* Also of one that has failed and stays: the memory is the peer's. */
        mca_part_ucx_share_end((mca_part_ucx_send_t *) request);
    }
    if (PART_UCX_LINK_FAILED == mca_part_ucx_request_link(request)) {
        request->done.link.next = failed;
        failed = &request->done.link;
    } else {
        mca_part_ucx_request_destroy(request);
    }
}

void mca_part_ucx_request_release(mca_part_ucx_request_t *request)
{
    pthread_mutex_lock(&mca_part_ucx.setup_lock);
    release(request);
    pthread_mutex_unlock(&mca_part_ucx.setup_lock);
}

static void unregister(mca_part_ucx_request_t *request)
{
    if (mca_part_ucx_request_is_send(request)) {
        mca_part_ucx_send_unregister((mca_part_ucx_send_t *) request);
    } else {
        mca_part_ucx_recv_unregister((mca_part_ucx_recv_t *) request);
    }
}

void mca_part_ucx_requests_unregister(void)
{
    uint32_t slots = mca_part_ucx_table_slots(&mca_part_ucx.table);

    for (uint32_t i = 0; i < slots; ++i) {
        mca_part_ucx_request_t *request = mca_part_ucx_table_at(&mca_part_ucx.table, i);

        if (NULL != request) {
            unregister(request);
        }
    }
    for (mca_part_ucx_link_t *link = failed; NULL != link; link = link->next) {
        unregister(PART_UCX_CONTAINER(link, mca_part_ucx_request_t, done.link));
    }
}

bool mca_part_ucx_request_abandon(mca_part_ucx_request_t *request)
{
    bool over;

    if (0 != pthread_mutex_trylock(&mca_part_ucx.setup_lock)) {
        return false;
    }
    if (atomic_load(&request->running)) {
        mca_part_ucx_request_fail(request, MPI_ERR_OTHER);
    }
    over = !atomic_load(&request->running);
    if (over) {
        mca_part_ucx_request_give_up(request, MPI_ERR_OTHER); /* CLOSE then says n - 1 */
        release(request);
    }
    pthread_mutex_unlock(&mca_part_ucx.setup_lock);
    return over;
}

static int request_free(ompi_request_t **handle)
{
    mca_part_ucx_request_t *request = (mca_part_ucx_request_t *) *handle;
    ompi_request_t *super = *handle;

    if (!mca_part_ucx_may_be_freed(super)) {
        mca_part_ucx_help("free-active", request->peer_rank, request->tag);
        return mca_part_ucx_error_raise(request->comm, MPI_ERR_REQUEST, "MPI_Request_free",
                                        PART_UCX_RAISED_WITHOUT_OBJECT);
    }
    mca_part_ucx_error_freed(super);
    OMPI_REQUEST_FINI(super);
    mca_part_ucx_request_release(request);
    *handle = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

/* ---- creation ---- */


static void fill(mca_part_ucx_request_t *request, const mca_part_ucx_init_t *init)
{
    ompi_request_t *super = &request->any.super;
    size_t elements = init->partitions * init->count;
    size_t size;

    OMPI_REQUEST_INIT(super, true);
    super->req_type = OMPI_REQUEST_PART;
    super->req_start = mca_part_ucx_requests_start;
    super->req_free = request_free;
    super->req_cancel = request_cancel;
    super->req_mpi_object.comm = init->comm;
    super->req_status = ompi_status_empty;
    OBJ_RETAIN(init->comm);
    OBJ_RETAIN(init->datatype);
    request->comm = init->comm;
    request->datatype = init->datatype;
    request->buffer = (char *) (uintptr_t) init->buffer;
    request->count = init->count;
    request->partitions = (uint32_t) init->partitions;
    request->cut = 0 == init->partitions ? 1 : request->partitions;
    atomic_store(&request->any.arrived, init->is_send ? 0 : request->partitions); /* not started */
    request->peer_rank = init->peer;
    request->tag = init->tag;
    ompi_datatype_type_size(init->datatype, &size);
    request->total = (uint64_t) elements * size;
    request->data = (char *) request; /* any address will do for a message without bytes */
    request->contiguous = 0 == request->total
                          || mca_part_ucx_datatype_contiguous(init->datatype, elements,
                                                              init->buffer, &request->data);
    atomic_store(&request->peer_epoch, UINT32_MAX);
    atomic_store(&request->link, MPI_PROC_NULL == init->peer ? PART_UCX_LINK_NULL_PEER
                                                             : PART_UCX_LINK_OPEN);
}

int mca_part_ucx_request_connect(mca_part_ucx_request_t *request)
{
    int rc;

    opal_progress(); /* lets the PML see what peers have sent before this call */
    pthread_mutex_lock(&mca_part_ucx.setup_lock);
    rc = mca_part_ucx_prepare_first();
    if (OMPI_SUCCESS == rc) {
        request->key = mca_part_ucx_table_add(&mca_part_ucx.table, request);
        rc = 0 == request->key ? OMPI_ERR_OUT_OF_RESOURCE : mca_part_ucx_setup_attach(request);
        if (OMPI_SUCCESS != rc && 0 != request->key) {
            mca_part_ucx_table_remove(&mca_part_ucx.table, request->key);
        }
    }
    pthread_mutex_unlock(&mca_part_ucx.setup_lock);
    return rc;
}

int mca_part_ucx_request_create(const mca_part_ucx_init_t *init, ompi_request_t **handle)
{
    mca_part_ucx_request_t *request;
    int rc = OMPI_SUCCESS;

    if (init->is_send) {
        request = (mca_part_ucx_request_t *) OBJ_NEW(mca_part_ucx_send_t);
    } else {
        request = (mca_part_ucx_request_t *) OBJ_NEW(mca_part_ucx_recv_t);
    }
    if (NULL == request) {
        return MPI_ERR_NO_MEM;
    }
    fill(request, init);
    if (init->is_send) {
        mca_part_ucx_send_t *send = (mca_part_ucx_send_t *) request;

        send->marked = calloc(init->partitions + 1, sizeof(*send->marked));
        rc = NULL == send->marked ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    } else if (!mca_part_ucx_claims_init(&((mca_part_ucx_recv_t *) request)->claims,
                                         request->partitions)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == rc && MPI_PROC_NULL != init->peer) {
        rc = mca_part_ucx_request_connect(request);
    }
    if (OMPI_SUCCESS != rc) {
        mca_part_ucx_request_destroy(request);
        return OMPI_ERR_OUT_OF_RESOURCE == rc ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
    }
    *handle = &request->any.super;
    return MPI_SUCCESS;
}
