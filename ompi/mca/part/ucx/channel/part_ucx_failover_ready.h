/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * READY of a receive that fails over: it has a message (part_ucx_ready.h) for each of its pairs. By
 * any of them it says, beside the epoch that it has started, the last one that is complete. What
 * may have been lost with a pair is said by another one.
 */
#ifndef PART_UCX_FAILOVER_READY_H
#define PART_UCX_FAILOVER_READY_H

#include "channel/part_ucx_ready.h"

struct mca_part_ucx_channel_t;

/** Give a receive that fails over a message for each of its pairs. Open MPI code. */
int mca_part_ucx_failover_ready_spread(struct mca_part_ucx_recv_t *recv,
                                       mca_part_ucx_endpoint_t *const *endpoint);

/** The message of a pair that works, from that by `path` on if there is such; NULL: none does. */
mca_part_ucx_ready_t *
mca_part_ucx_failover_ready_working(const struct mca_part_ucx_recv_t *recv,
                                    const mca_part_ucx_path_t *path);

/** What has been said may be lost: say it by another pair. Where none is left the receive fails. */
void mca_part_ucx_failover_ready_say_elsewhere(struct mca_part_ucx_recv_t *recv);

/** Send one that was queued, if there is something new to say. Under its path's lock. */
void mca_part_ucx_failover_ready_post(mca_part_ucx_ready_t *ready);

/** The receive has all of its epoch, the last of it by this path: say so. Under the path's lock. */
void mca_part_ucx_failover_ready_complete(struct mca_part_ucx_recv_t *recv,
                                          const mca_part_ucx_path_t *path);

/** An endpoint is lost: say everything once more. Under the set-up lock. */
void mca_part_ucx_failover_ready_reroute(struct mca_part_ucx_channel_t *channel,
                                         mca_part_ucx_endpoint_t *endpoint);

/** One of those that are freed together has been let go of. */
void mca_part_ucx_failover_ready_let_go(mca_part_ucx_readies_t *together);

#endif /* PART_UCX_FAILOVER_READY_H */
