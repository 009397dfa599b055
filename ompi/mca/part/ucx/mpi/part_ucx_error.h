/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors go to the error handler of the request's communicator. Stock Open MPI's bindings raise
 * what a part component returns on another object: MPI_COMM_WORLD for the init calls, MPI_Pready*
 * and MPI_Parrived, and on none (that is, MPI_COMM_SELF) for MPI_Start, MPI_Request_free,
 * MPI_Cancel and the completion calls. A program that asks for MPI_ERRORS_RETURN on its own
 * communicator would be aborted.
 */
#ifndef PART_UCX_ERROR_H
#define PART_UCX_ERROR_H

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/request/request.h"

#include <stdbool.h>

/** Since 5.0.10 completion calls leave persistent requests that have failed to the program; before,
 * they freed them. */
#define PART_UCX_FAILED_ARE_KEPT \
    (OMPI_MAJOR_VERSION > 5 || OMPI_MINOR_VERSION > 0 || OMPI_RELEASE_VERSION >= 10)

/** What the binding will do with the error that it gets. */
typedef enum mca_part_ucx_raised_t {
    PART_UCX_RAISED_ON_WORLD,      /**< raise it on MPI_COMM_WORLD */
    PART_UCX_RAISED_WITHOUT_OBJECT /**< raise it on no object */
} mca_part_ucx_raised_t;

/**
 * Invoke the communicator's error handler, and keep the binding from invoking another one.
 *
 * @return the error class, to be returned to the binding
 */
int mca_part_ucx_error_raise(ompi_communicator_t *comm, int error, const char *function,
                             mca_part_ucx_raised_t binding);

/** A request is about to complete with an error. */
void mca_part_ucx_error_completes(ompi_request_t *request);

/** A request is being freed, by the program or by a completion call. */
void mca_part_ucx_error_freed(ompi_request_t *request);

/* ---- for part_ucx_owed.c ---- */

/** No other thread replaces handlers until the matching unlock. False: not to be had. */
bool mca_part_ucx_error_lock(void);
void mca_part_ucx_error_unlock(void);

/** Replace the handler of a communicator. Returns the former one, with its reference. */
ompi_errhandler_t *mca_part_ucx_error_replace(ompi_communicator_t *comm, ompi_errhandler_t *by);

/** Take that back, with the reference, unless the program has set another handler meanwhile. */
void mca_part_ucx_error_restore(ompi_communicator_t *comm, ompi_errhandler_t *by,
                                ompi_errhandler_t *former);

#endif /* PART_UCX_ERROR_H */
