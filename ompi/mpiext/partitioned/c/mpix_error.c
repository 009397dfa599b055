/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors of the MPIX functions (see mpix_error.h).
 */
#include "ompi_config.h"

#include "mpix_error.h"

#include <stdlib.h>

#include "ompi/errhandler/errhandler.h"
#include "opal/util/printf.h"

int mpix_error_raise(ompi_communicator_t *comm, int error, const char *function, const char *why)
{
    char *message = NULL;

    if (NULL == comm) {
        comm = &ompi_mpi_comm_self.comm;
    }
    if (NULL != why && opal_asprintf(&message, "%s: %s", function, why) < 0) {
        message = NULL;
    }
    error = ompi_errhandler_invoke(comm->error_handler, comm, OMPI_ERRHANDLER_TYPE_COMM, error,
                                   NULL == message ? function : message);
    free(message);
    return error;
}
