/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What both ends of a channel do alike once they know its pairs of paths. They must find the same,
 * and are told nothing of what the other one has found.
 */
#ifndef PART_UCX_BOTH_ENDS_H
#define PART_UCX_BOTH_ENDS_H

#include "channel/part_ucx_channel.h"
#include "path/part_ucx_memory.h"
#include "path/part_ucx_peer.h"

/** Does a channel go on when one of its paths dies? Its method and number of pairs are known. */
bool mca_part_ucx_both_ends_fail_over(const mca_part_ucx_channel_t *channel,
                                      const mca_part_ucx_pairing_t *pairing);

/** Can it use its endpoints? One that fails over needs one of them, any other one all: nobody else
 * tells one that fails over if all have been lost before. */
bool mca_part_ucx_both_ends_are_usable(mca_part_ucx_endpoint_t *const *endpoint, uint32_t count,
                                       bool fails_over);

/** Our paths of its pairs, a bit for each. */
uint32_t mca_part_ucx_both_ends_paths(const mca_part_ucx_channel_t *channel,
                                      const mca_part_ucx_pairing_t *pairing);

/**
 * Make its buffer ready: what is no range of memory is packed or unpacked, and what UCX reads or
 * writes by puts is registered.
 *
 * @param packs   this is the sender
 * @param region  of the buffer, if it is registered
 * @return Open MPI code
 */
int mca_part_ucx_both_ends_prepare(mca_part_ucx_channel_t *channel,
                                   const mca_part_ucx_pairing_t *pairing, bool packs,
                                   mca_part_ucx_region_t **region);

#endif /* PART_UCX_BOTH_ENDS_H */
