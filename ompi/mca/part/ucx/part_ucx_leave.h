/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaving a communicator that has been revoked (MPIX_Comm_revoke, with Open MPI's fault tolerance).
 *
 * Both ends of a channel live on, each learns of it in its own time, and no message of the PML gets
 * through any more. So that a buffer is its user's again when its request completes, each end
 *
 *   1. gives up: nothing leaves, what arrives is dropped;
 *   2. waits until its own operations are over, and says so (LEAVE);
 *   3. completes: a receive whose memory the sender may write to when the sender has left, too.
 *
 * LEAVE makes the other end give up at once. Requests that are not active leave as well, for the
 * sake of the other end. Steps 2 and 3 end after PART_UCX_LEAVE_PATIENCE in any case: an operation
 * may hang on a network that is down, and an end that has not heard of the match cannot answer.
 */
#ifndef PART_UCX_LEAVE_H
#define PART_UCX_LEAVE_H

#include "part_ucx_request.h"

/** Seconds. */
#define PART_UCX_LEAVE_PATIENCE 10.0

/** Has this peer, by its channel key, said LEAVE? */
bool mca_part_ucx_leave_is_told(mca_part_ucx_request_t *request, uint64_t peer);

/** Has this end to leave? */
bool mca_part_ucx_leave_is_due(mca_part_ucx_request_t *request);

/** Give up, with an error that says why. Any thread. */
void mca_part_ucx_leave_begin(mca_part_ucx_request_t *request);

/** Take the steps that can be taken now. Under the set-up lock, until the request is freed. */
void mca_part_ucx_leave(mca_part_ucx_request_t *request, double now);

/** LEAVE has come from this peer, whose last good epoch was `epoch`. Under a path's lock. A send
 * may not know its peer yet; part_ucx_accept.c looks again. */
void mca_part_ucx_leave_told(mca_part_ucx_request_t *request, uint64_t peer, uint32_t epoch);

#endif /* PART_UCX_LEAVE_H */
