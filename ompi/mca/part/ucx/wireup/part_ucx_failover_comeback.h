/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A path that had died works again: both processes open their endpoints anew (docs/protocol.md,
 * section 9). One of the two asks, the other one follows.
 */
#ifndef PART_UCX_FAILOVER_COMEBACK_H
#define PART_UCX_FAILOVER_COMEBACK_H

#include "channel/part_ucx_channel.h"

/** The next step with an endpoint that is DOWN or TRYING, by a channel that fails over. Under the
 * set-up lock. */
void mca_part_ucx_failover_comeback(mca_part_ucx_channel_t *channel,
                                    mca_part_ucx_endpoint_t *endpoint, double now);

/** One that was in use has been lost. Under the set-up lock. */
void mca_part_ucx_failover_comeback_lost(mca_part_ucx_failover_outage_t *outage, double now);

#endif /* PART_UCX_FAILOVER_COMEBACK_H */
