/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiver's part of set-up: receives and announced sends meet, in the order in which they
 * came; and wait for another one when one of them is freed unstarted. Under the set-up lock.
 */
#ifndef PART_UCX_MEET_H
#define PART_UCX_MEET_H

#include "channel/part_ucx_recv.h"

/** Look for the send. Returns an Open MPI code. */
int mca_part_ucx_meet(mca_part_ucx_recv_t *recv);

/** ANNOUNCE, WITHDRAW or GAVE_UP has come from a rank of a communicator. */
void mca_part_ucx_meet_announced(ompi_communicator_t *comm, int source, const void *message,
                                 size_t length);
void mca_part_ucx_meet_withdrawn(ompi_communicator_t *comm, int source, uint64_t send_key);
void mca_part_ucx_meet_gave_up(ompi_communicator_t *comm, int source, uint64_t send_key);

/** Forget announcements that nobody met, and that have not come (MPI_Finalize). */
void mca_part_ucx_meet_forget(void);

/** No request will be freed any more: give the queues' memory back. */
void mca_part_ucx_meet_close(void);

#endif /* PART_UCX_MEET_H */
