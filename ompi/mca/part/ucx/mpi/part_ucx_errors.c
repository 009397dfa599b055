/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors go to the error handler of the request's communicator (see part_ucx_errors.h).
 */
#include "mpi/part_ucx_errors.h"

#include "api/part_ucx_complete.h"
#include "mpi/part_ucx_failed_requests.h"
#include "mpi/part_ucx_handler_swap.h"

/* Since 5.0.10 completion calls leave persistent requests that have failed to the program; before,
 * they freed them. */
#define PART_UCX_FAILED_ARE_KEPT \
    (OMPI_MAJOR_VERSION > 5 || OMPI_MINOR_VERSION > 0 || OMPI_RELEASE_VERSION >= 10)

int mca_part_ucx_error_of(int rc)
{
    switch (rc) {
    case OMPI_SUCCESS:
        return MPI_SUCCESS;
    case OMPI_ERR_OUT_OF_RESOURCE:
        return MPI_ERR_NO_MEM;
    default:
        return MPI_ERR_OTHER;
    }
}

/* The communicator that the binding raises an error on. */
static ompi_communicator_t *raised_on(mca_part_ucx_raised_t binding)
{
    if (PART_UCX_RAISED_ON_WORLD == binding || ompi_mpi_compat_mpi3) {
        return &ompi_mpi_comm_world.comm;
    }
    return &ompi_mpi_comm_self.comm;
}

int mca_part_ucx_error_raise(ompi_communicator_t *comm, int error, const char *function,
                             mca_part_ucx_raised_t binding)
{
    ompi_communicator_t *target = raised_on(binding);

    if (comm != target) { /* else the binding does just what is wanted */
        (void) ompi_errhandler_invoke(comm->error_handler, comm, OMPI_ERRHANDLER_TYPE_COMM, error,
                                      function);
        mca_part_ucx_handler_swap_drop_next(target);
    }
    return error;
}

static void completes_with_error(ompi_request_t *request)
{
#if PART_UCX_FAILED_ARE_KEPT
    if (!mca_part_ucx_failed_requests_add((mca_part_ucx_any_request_t *) request)) {
        /* Completion calls look the object up by the type of the request: a collective's error is
         * raised on req_mpi_object.comm. MPI_Start sets the type back. */
        request->req_type = OMPI_REQUEST_COLL;
    }
#else
    (void) request; /* the completion call will free it first */
#endif
}

void mca_part_ucx_error_complete(ompi_request_t *request)
{
    if (MPI_SUCCESS != request->req_status.MPI_ERROR) {
        completes_with_error(request);
    }
    mca_part_ucx_complete(request);
}

void mca_part_ucx_error_freed(ompi_request_t *request)
{
#if PART_UCX_FAILED_ARE_KEPT
    mca_part_ucx_failed_requests_remove((mca_part_ucx_any_request_t *) request);
#else
    if (MPI_SUCCESS != request->req_status.MPI_ERROR
        && OMPI_REQUEST_INACTIVE == request->req_state) {
        mca_part_ucx_failed_requests_next(request);
    }
#endif
}

void mca_part_ucx_errors_forget(void)
{
    mca_part_ucx_failed_requests_forget();
}
