/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Credit: how many epochs a sender may be ahead of what it knows of its receiver.
 *
 * The receiver of a channel that carries few bytes keeps memory for the segments of some epochs
 * that it has not started. So the sender need not wait for READY in each epoch, and the receiver
 * need not say READY in each: half as often as there are such epochs is enough, unless the sender
 * asks for each (part_ucx_ask.h). What comes for the present epoch goes to its place, as ever. What
 * comes for a later one is kept, and put into its place when that epoch starts: before, the place
 * may be in use.
 */
#ifndef PART_UCX_CREDIT_H
#define PART_UCX_CREDIT_H

#include "channel/part_ucx_recv.h"

/** Make the memory of a receive, if it is to have some. Returns an Open MPI code. */
int mca_part_ucx_credit_build(mca_part_ucx_recv_t *recv);

/** The match is undone, or the receive is given up: it has none any more. What threads may look at
 * stays. Under the set-up lock. */
void mca_part_ucx_credit_end(mca_part_ucx_recv_t *recv);

/** Free that of all matches. */
void mca_part_ucx_credit_free(mca_part_ucx_recv_t *recv);

/** The epochs that its sender is told; 0: no credit. */
uint32_t mca_part_ucx_credit_epochs(const mca_part_ucx_recv_t *recv);

/** Is this an epoch that this receive has not started, and has memory for? It may start it at any
 * moment. */
bool mca_part_ucx_credit_covers(mca_part_ucx_recv_t *recv, uint32_t epoch);

/**
 * Keep what has come for a later epoch: a bundle, or neighbouring segments.
 *
 * @param[out] kept  false: the epoch has started meanwhile; the message is judged as any other
 */
mca_part_ucx_verdict_t mca_part_ucx_credit_keep(mca_part_ucx_recv_t *recv,
                                                const mca_part_ucx_data_header_t *header,
                                                const void *data, size_t length, bool *kept);

/** Arm the receive for its present epoch. True: READY is due. */
bool mca_part_ucx_credit_arm(mca_part_ucx_recv_t *recv);

/** The sender needs READY in each epoch from now on. Under a path's lock. */
void mca_part_ucx_credit_asked(mca_part_ucx_recv_t *recv);

/** Put into its place, and report, what was kept for an epoch, by the thread that has armed the
 * receive for it. */
void mca_part_ucx_credit_deliver(mca_part_ucx_recv_t *recv, uint32_t epoch);

#endif /* PART_UCX_CREDIT_H */
