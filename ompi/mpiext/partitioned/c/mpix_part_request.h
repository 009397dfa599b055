/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From an MPI_Request to the operations of part/ucx.
 */
#ifndef MPIX_PART_REQUEST_H
#define MPIX_PART_REQUEST_H

#include "ompi/communicator/communicator.h"
#include "api/part_ucx_ops.h"

/**
 * The operations of a partitioned request.
 *
 * @param[out] any  the request
 * @return MPI_SUCCESS; MPI_ERR_REQUEST when it is not a partitioned request;
 *         MPI_ERR_UNSUPPORTED_OPERATION when another part component made it
 */
int mpix_part_request_find(MPI_Request request, mca_part_ucx_any_request_t **any);

/** The communicator of a partitioned request; NULL for anything else. A request that has failed
 * need not look partitioned any more, so ask before. */
ompi_communicator_t *mpix_part_request_comm(MPI_Request request);

/** mpix_error_raise() of what such a function returns; `needs` says what it takes, in case that
 * something else was given. */
int mpix_part_request_error(ompi_communicator_t *comm, int error, const char *function,
                            const char *needs);

#endif /* MPIX_PART_REQUEST_H */
