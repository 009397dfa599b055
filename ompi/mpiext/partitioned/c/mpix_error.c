/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors of the MPIX functions (see mpix_error.h).
 */
#include "ompi_config.h"

#include "mpix_error.h"

#include <stdio.h>

#include "ompi/errhandler/errhandler.h"

int mpix_error_raise(ompi_communicator_t *comm, int error, const char *function, const char *why)
{
    char message[2 * MPI_MAX_ERROR_STRING];

    if (NULL == comm) {
        comm = &ompi_mpi_comm_self.comm;
    }
    snprintf(message, sizeof(message), "%s%s%s", function, NULL == why ? "" : ": ",
             NULL == why ? "" : why);
    return ompi_errhandler_invoke(comm->error_handler, comm, OMPI_ERRHANDLER_TYPE_COMM, error,
                                  message);
}
