/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaving a channel on which something has gone wrong: an operation has failed, the other end has
 * ended, or the communicator has been revoked (MPIX_Comm_revoke, with Open MPI's fault tolerance),
 * of which each end learns in its own time, and after which no message of the PML gets through.
 *
 * Both ends live on. So that a buffer is its user's again when its request completes, each end
 *
 *   1. gives up (LEAVING): nothing leaves, what arrives is dropped;
 *   2. waits until its own operations are over, and says END (LEFT);
 *   3. ends its epoch: a receive whose memory the sender may write to when the sender has said END,
 *      too.
 *
 * END makes the other end give up: at once when the communicator was revoked, else when it has
 * ended the last epoch that was good. Ends that are not active leave as well, for the sake of the
 * other end. Steps 2 and 3 end after PART_UCX_LEAVE_PATIENCE in any case: an operation may hang on
 * a network that is down, and an end that has not heard of the match cannot answer.
 *
 * All functions run under the set-up lock.
 */
#ifndef PART_UCX_LEAVE_H
#define PART_UCX_LEAVE_H

#include "channel/part_ucx_channel.h"

/** Seconds; where paths are RDMA, whose adapters try again for long, the second one. */
#define PART_UCX_LEAVE_PATIENCE      10.0
#define PART_UCX_LEAVE_PATIENCE_RDMA 60.0

/** Has this end to leave, for whatever reason? */
bool mca_part_ucx_leave_has_to(mca_part_ucx_channel_t *channel);

/** Take the steps that can be taken now, `now` in seconds; until the channel is released. */
void mca_part_ucx_leave(mca_part_ucx_channel_t *channel, double now);

/** The other end's process has died: end the epoch when nobody touches the buffer any more. */
void mca_part_ucx_leave_orphan(mca_part_ucx_channel_t *channel, double now);

#endif /* PART_UCX_LEAVE_H */
