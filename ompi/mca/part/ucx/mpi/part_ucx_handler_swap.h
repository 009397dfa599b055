/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Replacing the error handler of a communicator for a while. See part_ucx_errors.h.
 */
#ifndef PART_UCX_HANDLER_SWAP_H
#define PART_UCX_HANDLER_SWAP_H

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/errhandler/errhandler.h"

#include <stdbool.h>

/** Drop the binding's next call to this communicator's handler, by this thread. */
void mca_part_ucx_handler_swap_drop_next(ompi_communicator_t *comm);

/** No other thread replaces handlers until the matching unlock. False: not to be had. */
bool mca_part_ucx_handler_swap_lock(void);
void mca_part_ucx_handler_swap_unlock(void);

/** Replace the handler of a communicator. `*former` is what it was, with its reference; written
 * before `by` can be called. */
void mca_part_ucx_handler_swap_replace(ompi_communicator_t *comm, ompi_errhandler_t *by,
                                       ompi_errhandler_t **former);

/** Take that back, with the reference, unless the program has set another handler meanwhile. */
void mca_part_ucx_handler_swap_restore(ompi_communicator_t *comm, ompi_errhandler_t *by,
                                       ompi_errhandler_t *former);

#endif /* PART_UCX_HANDLER_SWAP_H */
