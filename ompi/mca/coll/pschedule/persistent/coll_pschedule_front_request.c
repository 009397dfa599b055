/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Persistent collectives that are served here (see coll_pschedule_front_request.h).
 */
#include "persistent/coll_pschedule_front_request.h"

#include "call/coll_pschedule_help.h"
#include "persistent/coll_pschedule_counters.h"
#include "plan/coll_pschedule_shapes.h"

#include "api/part_ucx_complete.h"
#include "api/part_ucx_ops.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/communicator/communicator.h"

typedef mca_coll_pschedule_front_request_t front_t;

/* ---- start ---- */

static void begin(ompi_request_t *request)
{
    request->req_status = ompi_status_empty;
    request->req_complete = REQUEST_PENDING;
    request->req_state = OMPI_REQUEST_ACTIVE;
}

static void tell(const front_t *front, bool here)
{
    ompi_communicator_t *comm = front->super.super.req_mpi_object.comm;
    const uint64_t *ballot = front->rival->ballot;

    if (0 == ompi_comm_rank(comm)) {
        COLL_PSCHEDULE_VERBOSE(
            1, "persistent %s on %s: %s: a round took %.1f us here, %.1f us before",
            mca_coll_pschedule_names[front->collective], comm->c_name,
            here ? "stays here" : "handed back", 1e-3 * (double) ballot[COLL_PSCHEDULE_HERE],
            1e-3 * (double) ballot[COLL_PSCHEDULE_THERE]);
    }
}

/* What the vote of the last round has brought. */
static void decide(front_t *front)
{
    switch (mca_coll_pschedule_rival_result(front->rival)) {
    case COLL_PSCHEDULE_HERE_WINS:
        tell(front, true);
        (void) mca_coll_pschedule_rival_free(front->rival);
        front->rival = NULL;
        break;
    case COLL_PSCHEDULE_THERE_WINS:
        tell(front, false);
        mca_coll_pschedule_counters_hand_back();
        mca_coll_pschedule_rival_wins(front->rival);
        break;
    default:
        break;
    }
}

/* Errors come with the completion. */
static void start(front_t *front)
{
    mca_coll_pschedule_turn_t turn = {.who = COLL_PSCHEDULE_HERE};

    begin(&front->super.super);
    if (NULL != front->rival) {
        decide(front);
    }
    if (NULL != front->rival) {
        turn = mca_coll_pschedule_rival_begin(front->rival, &front->super.super);
    }
    if (COLL_PSCHEDULE_HERE == turn.who) {
        (void) front->inner->req_start(1, &front->inner);
    }
    if (COLL_PSCHEDULE_HERE != turn.who || turn.votes) {
        mca_coll_pschedule_rival_started(front->rival);
    }
}

static int requests_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; ++i) {
        start((front_t *) requests[i]);
    }
    return OMPI_SUCCESS;
}

void mca_coll_pschedule_front_request_over(ompi_request_t *request, int error)
{
    mca_coll_pschedule_rival_t *rival = ((front_t *) request)->rival;

    if (NULL != rival) {
        mca_coll_pschedule_rival_served(rival, error);
        return;
    }
    request->req_status.MPI_ERROR = error;
    mca_part_ucx_complete(request);
}

/* ---- free and cancel ---- */

/* Open MPI 5.0's binding of MPI_Reduce_scatter_init leaves recvcounts here even if there was
 * nothing to convert, so that it is the program's. */
static bool are_arrays_ours(mca_coll_pschedule_collective_t collective)
{
    bool converted = OMPI_SIZEOF_FORTRAN_INTEGER != SIZEOF_INT || OMPI_MAJOR_VERSION > 5;

    return converted || COLL_PSCHEDULE_REDUCE_SCATTER != collective;
}

/* Arrays that the Fortran bindings have converted for this request: pointers in Open MPI 5.0,
 * numbers in 6.0. */
static void free_arrays(front_t *front)
{
    for (int i = 0; are_arrays_ours(front->collective) && i < OMPI_REQ_NB_RELEASE_ARRAYS; ++i) {
        void *array = (void *) (intptr_t) front->super.data.release_arrays[i];

        if (NULL == array) {
            break;
        }
        free(array);
        front->super.data.release_arrays[i] = 0;
    }
}

void mca_coll_pschedule_front_request_drop(front_t *front)
{
    ompi_request_t *request = &front->super.super;

    OMPI_REQUEST_FINI(request);
    OBJ_RELEASE(front);
}

/* Open MPI 6.0.0rc2 puts a function of its own before request_free() where a Fortran binding has
 * arrays to release. That one looks at the request once more after this has returned. So the memory
 * of such a request is kept until its thread frees the next one. */
static void drop_later(front_t *front)
{
    static _Thread_local front_t *last;

    OMPI_REQUEST_FINI(&front->super.super);
    if (NULL != last) {
        OBJ_RELEASE(last);
    }
    last = front;
}

/* The inner one knows whether it may be freed, and raises the error. When it is over, and this one
 * not quite (complete_front() in coll_pschedule_request.c), this is Open MPI before 5.0.10, which
 * frees all requests of an MPI_Waitall when one has failed. It ignores the error, and the next call
 * that completes this one frees it. Likewise in a round of the rival. */
static int request_free(ompi_request_t **handle)
{
    front_t *front = (front_t *) *handle;
    int rc;

    if (!mca_part_ucx_may_be_freed(*handle) && mca_part_ucx_may_be_freed(front->inner)) {
        return MPI_ERR_REQUEST;
    }
    if (NULL != front->rival && mca_part_ucx_may_be_freed(front->inner)) {
        if (!mca_coll_pschedule_rival_free(front->rival)) { /* uses what the inner one keeps */
            (*handle)->req_status.MPI_ERROR = MPI_ERR_OTHER; /* so that the communicator stays */
        }
        front->rival = NULL;
    }
    rc = front->inner->req_free(&front->inner);
    if (OMPI_SUCCESS == rc) {
        free_arrays(front);
        if (request_free == front->super.super.req_free) {
            mca_coll_pschedule_front_request_drop(front);
        } else {
            drop_later(front);
        }
        *handle = MPI_REQUEST_NULL;
    }
    return rc;
}

static int request_cancel(ompi_request_t *request, int complete)
{
    front_t *front = (front_t *) request;

    return front->inner->req_cancel(front->inner, complete);
}

/* ---- making ---- */

front_t *mca_coll_pschedule_front_request_new(ompi_communicator_t *comm,
                                              mca_coll_pschedule_collective_t collective)
{
    front_t *front = OBJ_NEW(mca_coll_pschedule_front_request_t);
    ompi_request_t *request;

    if (NULL == front) {
        return NULL;
    }
    request = &front->super.super;
    OMPI_REQUEST_INIT(request, true);
    request->req_type = OMPI_REQUEST_COLL;
    request->req_start = requests_start;
    request->req_free = request_free;
    request->req_cancel = request_cancel;
    request->req_mpi_object.comm = comm; /* the inner one keeps it */
    request->req_status = ompi_status_empty;
    front->collective = collective;
    return front;
}

static void construct(front_t *front)
{
    memset((char *) front + sizeof(ompi_request_t), 0, sizeof(*front) - sizeof(ompi_request_t));
}

OBJ_CLASS_INSTANCE(mca_coll_pschedule_front_request_t, ompi_coll_base_nbc_request_t, construct,
                   NULL);
