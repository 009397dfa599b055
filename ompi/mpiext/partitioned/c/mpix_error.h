/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors of the MPIX functions.
 */
#ifndef MPIX_ERROR_H
#define MPIX_ERROR_H

#include "ompi/communicator/communicator.h"

/**
 * Raise an error on a communicator.
 *
 * @param comm      NULL: MPI_COMM_SELF
 * @param error     MPI error class
 * @param function  that the user has called
 * @param why       goes into what the handler reports; NULL: the class says all
 * @return the class
 */
int mpix_error_raise(ompi_communicator_t *comm, int error, const char *function, const char *why);

#endif /* MPIX_ERROR_H */
