/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up of channels: a send announces itself, a receive meets it, decides how the channel is
 * cut and answers. Lazy, local and pairwise: init calls return without waiting, nothing is
 * collective. Unless it says otherwise a function runs under the set-up lock; all run in threads
 * of the application.
 *
 *   sender                        receiver
 *   ANNOUNCE  ----------------->  matched with a receive, or kept
 *   MATCHED      <-------------   ACCEPT (MATCHED), or REFUSE (another size, or failure)
 *   WITHDRAW  ----------------->  the announcement, or the match, is forgotten (freed unstarted)
 *                <-------------   WITHDRAWN: nothing more comes of it
 *   MISMATCH  ----------------->  the refused send was started, or the accepted one has failed:
 *                                 both fail
 */
#ifndef PART_UCX_WIREUP_H
#define PART_UCX_WIREUP_H

#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_send.h"

/** A new channel looks for its other end. Not under the set-up lock. Returns an Open MPI code; on
 * failure the channel is as before. */
int mca_part_ucx_wireup_send(mca_part_ucx_send_t *send);
int mca_part_ucx_wireup_recv(mca_part_ucx_recv_t *recv);

/** Handle set-up messages. Returns how many. */
int mca_part_ucx_wireup_progress(void);

/**
 * MPI ends in this process. Hear what peers still have to say of requests that were never started,
 * and answer, for that many seconds at most: what is sent to a process that has left ends the job
 * in Open MPI's transports. Where MPI_Finalize waits for all, this hardly waits. Not under the
 * set-up lock. Returns whether nothing is left to be said.
 */
bool mca_part_ucx_wireup_settle(double seconds);

#endif /* PART_UCX_WIREUP_H */
