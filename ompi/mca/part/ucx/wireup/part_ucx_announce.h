/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender's part of set-up: it announces itself, and takes the answer. Under the set-up lock.
 */
#ifndef PART_UCX_ANNOUNCE_H
#define PART_UCX_ANNOUNCE_H

#include "channel/part_ucx_send.h"

/** Look for the receive. Returns an Open MPI code. */
int mca_part_ucx_announce(mca_part_ucx_send_t *send);

/** ACCEPT or REFUSE has come from a rank. */
void mca_part_ucx_announce_accepted(ompi_communicator_t *comm, int source, const void *message,
                                    size_t length);
void mca_part_ucx_announce_refused(ompi_communicator_t *comm, int source, const void *message,
                                   size_t length);

#endif /* PART_UCX_ANNOUNCE_H */
