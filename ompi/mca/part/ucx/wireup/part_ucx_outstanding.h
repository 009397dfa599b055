/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up messages that are still to come when the request that they are for has been freed. Until
 * then their communicator must stay: its number would be given to another one, for which the PML
 * would take them, and then wait for ever for what that one's processes send.
 *
 *   an announcement   of each receive that was initialised, there is one, and only one
 *   an answer         to WITHDRAW, behind an ACCEPT that may be on its way (WITHDRAWN)
 *
 * All functions run under the set-up lock.
 */
#ifndef PART_UCX_OUTSTANDING_H
#define PART_UCX_OUTSTANDING_H

#include "wireup/part_ucx_listener.h"
#include "wireup/part_ucx_match.h"

/** A receive was initialised: an announcement of its key has to come, or has come before. */
void mca_part_ucx_outstanding_expect_announcement(const mca_part_ucx_match_key_t *key,
                                                  ompi_communicator_t *comm);

/** One has come. */
void mca_part_ucx_outstanding_announcement_came(const mca_part_ucx_match_key_t *key,
                                                ompi_communicator_t *comm);

/** One that has not come never will: its sender is gone, or cannot send. */
void mca_part_ucx_outstanding_announcement_never(const mca_part_ucx_match_key_t *key);

/** A send was withdrawn: its user of the listener stays until this has been answered. */
void mca_part_ucx_outstanding_expect_answer(mca_part_ucx_listener_t *listener, uint64_t send_key);

/** Is an answer to this one outstanding? */
bool mca_part_ucx_outstanding_answer_expected(const ompi_communicator_t *comm, uint64_t send_key);

/** It has been. */
void mca_part_ucx_outstanding_answer_came(const ompi_communicator_t *comm, uint64_t send_key);

/** Nothing is waited for any more (MPI_Finalize). */
void mca_part_ucx_outstanding_forget(void);

#endif /* PART_UCX_OUTSTANDING_H */
