/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests that have failed, and whose error no completion call has raised yet.
 *
 * Open MPI 6 keeps such requests. Its completion calls raise their errors without an object, that
 * is, on MPI_COMM_SELF. So while there are any, MPI_COMM_SELF has a handler of ours, which passes
 * the error on to the communicator of the request that the call has just completed. Which request
 * that is nobody tells, but it can be seen: it is inactive, and its status has that error.
 */
#ifndef PART_UCX_OWED_H
#define PART_UCX_OWED_H

#include "part_ucx_ops.h"

/** A request is about to complete with an error. False: a completion call would not find us. */
bool mca_part_ucx_owed_add(mca_part_ucx_any_request_t *request);

/** The request is being freed. */
void mca_part_ucx_owed_remove(mca_part_ucx_any_request_t *request);

/** MPI ends: the handler of MPI_COMM_SELF is the program's own again. */
void mca_part_ucx_owed_forget(void);

#endif /* PART_UCX_OWED_H */
