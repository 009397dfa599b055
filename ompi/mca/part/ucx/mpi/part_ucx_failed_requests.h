/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors of failed requests that a completion call has still to raise. Open MPI's raise them
 * without an object, that is, on MPI_COMM_SELF. So while there are any, MPI_COMM_SELF has a handler
 * of ours, which passes them on to the communicators of the requests.
 *
 * Of which request an error is nobody tells. Until Open MPI 5.0.9 a completion call frees the
 * failed request right before it raises the error. Later ones leave it to the program, but it can
 * be seen: the request is inactive, and its status has that error.
 *
 * What cannot be told apart: an error of the same class that a completion call raises for an
 * ordinary request on MPI_COMM_SELF. And if the program sets a handler for MPI_COMM_SELF between
 * the failure of a request and its completion, that one gets the error.
 */
#ifndef PART_UCX_FAILED_REQUESTS_H
#define PART_UCX_FAILED_REQUESTS_H

#include "api/part_ucx_ops.h"

/** A request that completion calls do not free is about to complete with an error. False: their
 * errors do not come to us. */
bool mca_part_ucx_failed_requests_add(mca_part_ucx_any_request_t *request);

/** The request is being freed. */
void mca_part_ucx_failed_requests_remove(mca_part_ucx_any_request_t *request);

/** A completion call frees the failed request, and raises its error next; or the program does. */
void mca_part_ucx_failed_requests_next(ompi_request_t *request);

/** MPI ends: the handler of MPI_COMM_SELF is the program's own again. */
void mca_part_ucx_failed_requests_forget(void);

#endif /* PART_UCX_FAILED_REQUESTS_H */
