/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up messages over the PML (see part_ucx_listener.h).
 */
#include "wireup/part_ucx_listener.h"

#include "process/part_ucx_help.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_process.h"
#include "process/part_ucx_reserve.h"
#include "wireup/part_ucx_wire.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/mca/topo/topo.h"

/* Looks at a listener from one try to post its receive to the next. */
#define LOOKS_PER_TRY 64u

/* A message on its way. */
typedef struct outgoing_t {
    struct outgoing_t *next;
    ompi_request_t *request;
    void *message;
} outgoing_t;

/* Both under the set-up lock. */
static mca_part_ucx_listener_t *listeners;
static outgoing_t *outgoing;

/* The same on all ranks. */
static int tag_of(const ompi_communicator_t *comm)
{
    return mca_pml.pml_max_tag < 1 << 24 && OMPI_COMM_IS_CART(comm)
                   && comm->c_topo->mtc.cart->ndims > 3
               ? PART_UCX_LISTENER_TAG_OF_GRIDS
               : PART_UCX_LISTENER_TAG;
}

static int post_receive(mca_part_ucx_listener_t *listener)
{
    int rc = MCA_PML_CALL(irecv(listener->buffer, PART_UCX_WIRE_MAX, &ompi_mpi_byte.dt,
                                MPI_ANY_SOURCE, tag_of(listener->comm), listener->comm,
                                &listener->receive));

    if (OMPI_SUCCESS != rc) {
        listener->receive = NULL;
        PART_UCX_VERBOSE(1, "cannot listen on communicator %s", listener->comm->c_name);
    }
    return rc;
}

/* A receive has failed, or could not be posted: a process of the communicator may have died, or
 * memory be short. Without one, channels would wait for ever. On a revoked communicator it never
 * succeeds; its channels end without messages. */
static void listen_again(mca_part_ucx_listener_t *listener)
{
    if (NULL == listener->receive && 0 != listener->users && !mca_part_ucx_process.closing
        && 0 == ++listener->missed % LOOKS_PER_TRY) {
        (void) post_receive(listener);
    }
}

static void listener_free(mca_part_ucx_listener_t *listener)
{
    OBJ_RELEASE(listener->comm);
    free(listener->buffer);
    free(listener);
}

mca_part_ucx_listener_t *mca_part_ucx_listener_get(ompi_communicator_t *comm)
{
    mca_part_ucx_listener_t *listener;

    if (mca_part_ucx_process.closing) {
        return NULL;
    }
    for (listener = listeners; NULL != listener; listener = listener->next) {
        if (listener->comm == comm) {
            /* It may be about to close; progress posts a receive again if its own was cancelled. */
            ++listener->users;
            return listener;
        }
    }
    listener = calloc(1, sizeof(*listener));
    if (NULL == listener) {
        return NULL;
    }
    listener->buffer = malloc(PART_UCX_WIRE_MAX);
    listener->comm = comm;
    listener->users = 1;
    OBJ_RETAIN(comm);
    if (NULL == listener->buffer || OMPI_SUCCESS != post_receive(listener)) {
        listener_free(listener);
        return NULL;
    }
    listener->next = listeners;
    listeners = listener;
    return listener;
}

void mca_part_ucx_listener_put(mca_part_ucx_listener_t *listener)
{
    if (0 == --listener->users && NULL != listener->receive) {
        /* A message that has matched already still arrives; progress then frees the listener. */
        (void) ompi_request_cancel(listener->receive);
    }
}

int mca_part_ucx_listener_send(ompi_communicator_t *comm, int rank, void *message, size_t length)
{
    outgoing_t *entry = mca_part_ucx_reserve_calloc(sizeof(*entry));
    int rc = OMPI_ERR_OUT_OF_RESOURCE;

    if (NULL != entry) {
        entry->message = message;
        rc = MCA_PML_CALL(isend(message, length, &ompi_mpi_byte.dt, rank, tag_of(comm),
                                MCA_PML_BASE_SEND_STANDARD, comm, &entry->request));
    }
    if (OMPI_SUCCESS != rc) {
        mca_part_ucx_reserve_free(message);
        mca_part_ucx_reserve_free(entry);
        return rc;
    }
    entry->next = outgoing;
    outgoing = entry;
    return OMPI_SUCCESS;
}

/* Has that rank failed, or the communicator? Then nobody waits for a message. */
static bool is_broken(ompi_communicator_t *comm, int rank)
{
#if OPAL_ENABLE_FT_MPI
    return ompi_comm_is_revoked(comm) || !ompi_proc_is_active(ompi_comm_peer_lookup(comm, rank));
#else
    (void) comm, (void) rank;
    return false;
#endif
}

void mca_part_ucx_listener_tell(ompi_communicator_t *comm, int rank, const void *message,
                                size_t length)
{
    void *copy = mca_part_ucx_reserve_calloc(length);
    int rc = OMPI_ERR_OUT_OF_RESOURCE;

    if (NULL != copy) {
        memcpy(copy, message, length);
        rc = mca_part_ucx_listener_send(comm, rank, copy, length);
    }
    if (OMPI_SUCCESS != rc && !mca_part_ucx_process.closing && !is_broken(comm, rank)) {
        mca_part_ucx_help("setup-lost", rank);
    }
}

static void release_sent(void)
{
    outgoing_t **link = &outgoing;

    while (NULL != *link) {
        outgoing_t *entry = *link;

        if (REQUEST_COMPLETE(entry->request)) {
            *link = entry->next;
            ompi_request_free(&entry->request);
            mca_part_ucx_reserve_free(entry->message);
            mca_part_ucx_reserve_free(entry);
        } else {
            link = &entry->next;
        }
    }
}

/* Deliver one message if there is one; true if so. */
static bool deliver_one(mca_part_ucx_listener_t *listener, mca_part_ucx_message_fn_t deliver)
{
    ompi_status_public_t status;

    if (NULL == listener->receive || !REQUEST_COMPLETE(listener->receive)) {
        return false;
    }
    opal_atomic_rmb();
    status = listener->receive->req_status;
    ompi_request_free(&listener->receive);
    listener->receive = NULL;
    if (0 == status._cancelled && MPI_SUCCESS != status.MPI_ERROR) {
        PART_UCX_VERBOSE(1, "listening on a communicator failed: %d", status.MPI_ERROR);
        return false; /* posting again at once might fail at once, for ever */
    }
    if (0 == status._cancelled) {
        deliver(listener->comm, status.MPI_SOURCE, listener->buffer, status._ucount);
    }
    if (0 != listener->users && !mca_part_ucx_process.closing) {
        (void) post_receive(listener);
    }
    return 0 == status._cancelled;
}

int mca_part_ucx_listeners_progress(mca_part_ucx_message_fn_t deliver)
{
    mca_part_ucx_listener_t **link = &listeners;
    int delivered = 0;

    release_sent();
    while (NULL != *link) {
        mca_part_ucx_listener_t *listener = *link;

        while (deliver_one(listener, deliver)) {
            ++delivered;
        }
        listen_again(listener);
        if (0 == listener->users && NULL == listener->receive) {
            *link = listener->next;
            listener_free(listener);
        } else {
            link = &listener->next;
        }
    }
    return delivered;
}

/* Somebody uses it; or a message has come that is still to be delivered: an announcement, say. */
static bool is_needed(const mca_part_ucx_listener_t *listener)
{
    const ompi_request_t *receive = listener->receive;

    return 0 != listener->users
           || (NULL != receive
               && !(REQUEST_COMPLETE(receive) && 0 != receive->req_status._cancelled));
}

bool mca_part_ucx_listeners_of_others(const ompi_instance_t *instance)
{
    for (const mca_part_ucx_listener_t *listener = listeners; NULL != listener;
         listener = listener->next) {
        if (is_needed(listener) && NULL != listener->comm->instance
            && instance != listener->comm->instance) {
            return true;
        }
    }
    return false;
}

void mca_part_ucx_listeners_open(void)
{
    /* What the end of MPI has left was the old PML's. A request that is freed only now still has
     * its listener. */
    for (mca_part_ucx_listener_t *listener = listeners; NULL != listener;
         listener = listener->next) {
        listener->receive = NULL;
    }
    listeners = NULL;
    outgoing = NULL;
}

static void ignore(ompi_communicator_t *comm, int source, const void *message, size_t length)
{
    (void) comm, (void) source, (void) message, (void) length;
}

void mca_part_ucx_listeners_close(bool flush)
{
    for (mca_part_ucx_listener_t *listener = listeners; NULL != listener;
         listener = listener->next) {
        if (NULL != listener->receive) {
            (void) ompi_request_cancel(listener->receive);
        }
    }
    /* Requests that the program frees later, or never, keep their listener. */
    (void) mca_part_ucx_listeners_progress(ignore);
    for (int i = 0; flush && i < 100; ++i) {
        opal_progress();
        (void) mca_part_ucx_listeners_progress(ignore);
    }
}
