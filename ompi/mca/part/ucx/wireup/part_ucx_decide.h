/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the receiver decides when the two ends meet: over which pairs of paths, how the message is
 * cut, by which method it is delivered, and what the sender may copy itself. Under the set-up lock.
 */
#ifndef PART_UCX_DECIDE_H
#define PART_UCX_DECIDE_H

#include "channel/part_ucx_recv.h"

/** Of channels that meet from now on, only the n-th pair of paths counts (-1: all): to measure it.
 */
void mca_part_ucx_decide_only_pair(int pair);

/**
 * Choose pairs, map and method of a receiving end; the peer's paths are paired.
 *
 * Channels begin with different pairs, as far as these are equally near: a message that is too
 * small for all paths, and every READY, takes the first.
 *
 * @param send_partitions  of the sender
 * @param[out] pair        the channel's pairs of paths, in its order: as many as it has
 * @return false: the sender's numbers make no sense
 */
bool mca_part_ucx_decide(mca_part_ucx_recv_t *recv, uint32_t send_partitions,
                         mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS]);

/** May the sender copy to where the data go? The sender has its own conditions. After the cut. */
bool mca_part_ucx_decide_allows_copying(const mca_part_ucx_channel_t *channel);

/** Also into any memory of this process? */
bool mca_part_ucx_decide_allows_placing(const mca_part_ucx_channel_t *channel);

#endif /* PART_UCX_DECIDE_H */
