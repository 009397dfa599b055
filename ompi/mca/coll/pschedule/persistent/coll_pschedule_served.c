/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Persistent collectives that are served here (see coll_pschedule_served.h).
 */
#include "persistent/coll_pschedule_served.h"

#include <stdlib.h>
#include <string.h>

typedef mca_coll_pschedule_served_t served_t;

/* ---- start ---- */

static void begin(ompi_request_t *request)
{
    request->req_status = ompi_status_empty;
    request->req_complete = REQUEST_PENDING;
    request->req_state = OMPI_REQUEST_ACTIVE;
}

/* Errors come with the completion. */
static int requests_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; ++i) {
        served_t *served = (served_t *) requests[i];

        begin(requests[i]);
        (void) served->inner->req_start(1, &served->inner);
    }
    return OMPI_SUCCESS;
}

/* ---- free and cancel ---- */

/* Arrays that the Fortran bindings have converted for this request: pointers in Open MPI 5.0,
 * numbers in 6.0. */
static void free_arrays(served_t *served)
{
    for (int i = 0; i < OMPI_REQ_NB_RELEASE_ARRAYS; ++i) {
        void *array = (void *) (intptr_t) served->super.data.release_arrays[i];

        if (NULL == array) {
            break;
        }
        free(array);
        served->super.data.release_arrays[i] = 0;
    }
}

void mca_coll_pschedule_served_drop(served_t *served)
{
    ompi_request_t *request = &served->super.super;

    OMPI_REQUEST_FINI(request);
    OBJ_RELEASE(served);
}

/* The inner one knows whether it may be freed, and raises the error. */
static int request_free(ompi_request_t **handle)
{
    served_t *served = (served_t *) *handle;
    int rc = served->inner->req_free(&served->inner);

    if (OMPI_SUCCESS == rc) {
        free_arrays(served);
        mca_coll_pschedule_served_drop(served);
        *handle = MPI_REQUEST_NULL;
    }
    return rc;
}

static int request_cancel(ompi_request_t *request, int complete)
{
    served_t *served = (served_t *) request;

    return served->inner->req_cancel(served->inner, complete);
}

/* ---- making ---- */

served_t *mca_coll_pschedule_served_new(ompi_communicator_t *comm)
{
    served_t *served = OBJ_NEW(mca_coll_pschedule_served_t);
    ompi_request_t *request;

    if (NULL == served) {
        return NULL;
    }
    request = &served->super.super;
    OMPI_REQUEST_INIT(request, true);
    request->req_type = OMPI_REQUEST_COLL;
    request->req_start = requests_start;
    request->req_free = request_free;
    request->req_cancel = request_cancel;
    request->req_mpi_object.comm = comm; /* the inner one keeps it */
    request->req_status = ompi_status_empty;
    return served;
}

static void construct(served_t *served)
{
    memset((char *) served + sizeof(ompi_request_t), 0, sizeof(*served) - sizeof(ompi_request_t));
}

OBJ_CLASS_INSTANCE(mca_coll_pschedule_served_t, ompi_coll_base_nbc_request_t, construct, NULL);
