/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaving a channel on which something has gone wrong: an operation has failed, the other end has
 * given up, or the communicator has been revoked (MPIX_Comm_revoke, with Open MPI's fault
 * tolerance), of which each end learns in its own time, and after which no message of the PML gets
 * through.
 *
 * Both ends live on. So that a buffer is its user's again when its request completes, each end
 *
 *   1. gives up: nothing leaves, what arrives is dropped;
 *   2. waits until its own operations are over, and says so (FAIL; on a revoked communicator
 *      LEAVE);
 *   3. completes: a receive whose memory the sender may write to when the sender has left, too.
 *
 * Either message makes the other end give up, LEAVE at once, FAIL when it has ended the last epoch
 * that was good. Requests that are not active leave as well, for the sake of the other end. Steps 2
 * and 3 end after PART_UCX_LEAVE_PATIENCE in any case: an operation may hang on a network that is
 * down, and an end that has not heard of the match cannot answer.
 */
#ifndef PART_UCX_LEAVE_H
#define PART_UCX_LEAVE_H

#include "channel/part_ucx_request.h"

/** Seconds. */
#define PART_UCX_LEAVE_PATIENCE 10.0

/** Has this peer, by its channel key, said LEAVE? */
bool mca_part_ucx_leave_is_told(mca_part_ucx_request_t *request, uint64_t peer);

/** Does the peer, which has left, wait for this end? */
bool mca_part_ucx_leave_is_awaited(mca_part_ucx_request_t *request);

/** Has this end to leave because of a revoked communicator? */
bool mca_part_ucx_leave_is_due(mca_part_ucx_request_t *request);

/** Has this end to leave, for whatever reason? Under the set-up lock. */
bool mca_part_ucx_leave_has_to(mca_part_ucx_request_t *request);

/** Give up, with this error unless there was one before; MPI_ERR_REVOKED overrides both. Any
 * thread. */
void mca_part_ucx_leave_begin(mca_part_ucx_request_t *request, int error);

/** Take the steps that can be taken now. Under the set-up lock, until the request is freed. */
void mca_part_ucx_leave(mca_part_ucx_request_t *request, double now);

/** Does UCX write into the buffer of this request now? False for a send. */
bool mca_part_ucx_leave_fetches(mca_part_ucx_request_t *request);

/** Tell the user that a request completes although its buffer may still be in use, after so many
 * seconds. */
void mca_part_ucx_leave_tell_uncertain(mca_part_ucx_request_t *request, double waited);

/** LEAVE has come from this peer, whose last good epoch was `epoch`. Under a path's lock. A send
 * may not know its peer yet; part_ucx_accept.c looks again. */
void mca_part_ucx_leave_told(mca_part_ucx_request_t *request, uint64_t peer, uint32_t epoch);

#endif /* PART_UCX_LEAVE_H */
