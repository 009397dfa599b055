/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors go to the error handler of the request's communicator. All that this takes is behind this
 * header, so that it can go when Open MPI does it:
 *
 *   Open MPI     errors of                        are raised on    needs
 *   5.0.0 on     init calls, Pready, Parrived     MPI_COMM_WORLD   part_ucx_handler_swap.c
 *   5.0.0 on     Start, Request_free, Cancel      no object        part_ucx_handler_swap.c
 *   5.0.0 to 9   completion calls, which free     no object        part_ucx_failed_requests.c:
 *                the failed request first                          `next`
 *   5.0.10 on    completion calls, which leave    no object        part_ucx_failed_requests.c:
 *                the failed request as it is                       `failed`
 *
 * Open MPI raises on MPI_COMM_SELF what belongs to no object.
 *
 * A program that asks for MPI_ERRORS_RETURN on its own communicator would be aborted. When a
 * binding raises errors on the request's communicator itself, both files go: then
 * mca_part_ucx_error_raise() returns its argument, mca_part_ucx_error_complete() only completes,
 * mca_part_ucx_error_freed() and mca_part_ucx_errors_forget() do nothing. With the files go
 * mca_part_ucx_failed_t and `failed` (api/part_ucx_ops.h), the restoring of req_type in
 * mpi/part_ucx_request.c and coll/pschedule's coll_pschedule_request.c, and `complete`, `raise` and
 * `freed` of api/part_ucx_link.h, which then has a new version. When 5.0.9 is not supported any
 * more, PART_UCX_FAILED_ARE_KEPT and mca_part_ucx_failed_requests_next() go.
 */
#ifndef PART_UCX_ERRORS_H
#define PART_UCX_ERRORS_H

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/request/request.h"

/** What the binding will do with the error that it gets. */
typedef enum mca_part_ucx_raised_t {
    PART_UCX_RAISED_ON_WORLD,      /**< raise it on MPI_COMM_WORLD */
    PART_UCX_RAISED_WITHOUT_OBJECT /**< raise it on no object */
} mca_part_ucx_raised_t;

/** The MPI error class of an Open MPI code. */
int mca_part_ucx_error_of(int rc);

/**
 * Invoke the communicator's error handler, and keep the binding from invoking another one.
 *
 * @return the error class, to be returned to the binding
 */
int mca_part_ucx_error_raise(ompi_communicator_t *comm, int error, const char *function,
                             mca_part_ucx_raised_t binding);

/** Complete a request, whose status says with which error. */
void mca_part_ucx_error_complete(ompi_request_t *request);

/** A request is being freed, by the program or by a completion call. */
void mca_part_ucx_error_freed(ompi_request_t *request);

/** MPI ends: the handler of MPI_COMM_SELF is the program's own again. */
void mca_part_ucx_errors_forget(void);

#endif /* PART_UCX_ERRORS_H */
