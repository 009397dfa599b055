/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Endpoints that may be lost while their process goes on: those between paths that fail over
 * (mca_part_ucx_path_t). An endpoint is lost when UCX says so, when the system's acknowledgements
 * fail to come, or when the other end has given it up. Then it is closed by force: UCX ends what
 * was under way on it with errors, and reads no source any more. docs/protocol.md, section 9, says
 * what becomes of the data.
 *
 * `outage.state` is changed under the lock of the path, so a thread that posts under that lock
 * knows what it posts to.
 */
#ifndef PART_UCX_FAILOVER_OUTAGE_H
#define PART_UCX_FAILOVER_OUTAGE_H

#include "path/part_ucx_peer.h"

#include <stdbool.h>
#include <stdint.h>

/** The same as mca_part_ucx_endpoint_lose(), taking the lock. */
void mca_part_ucx_failover_outage_give_up(mca_part_ucx_endpoint_t *endpoint, const char *why);

/** Close one that is lost. Afterwards UCX has called back for all that was posted, or does so
 * before the state is DOWN. Under the set-up lock. */
void mca_part_ucx_failover_outage_close(mca_part_ucx_endpoint_t *endpoint);

/** If the closing has ended it is DOWN. Under the set-up lock. */
void mca_part_ucx_failover_outage_end_close(mca_part_ucx_endpoint_t *endpoint);

/** The peer has given up a generation of it, and wants to hear the same, or answers. Any thread. */
void mca_part_ucx_failover_outage_heard(mca_part_ucx_endpoint_t *endpoint, uint32_t generation,
                                        bool answer);

/** The peer has opened a generation of it. Any thread. */
void mca_part_ucx_failover_outage_heard_back(mca_part_ucx_endpoint_t *endpoint,
                                             uint32_t generation);

/** Has the peer given up this generation, or a later one? */
static inline bool mca_part_ucx_failover_outage_is_agreed(mca_part_ucx_endpoint_t *endpoint)
{
    return atomic_load(&endpoint->outage.heard_down) > atomic_load(&endpoint->outage.generation);
}

#endif /* PART_UCX_FAILOVER_OUTAGE_H */
