/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The two ends of a channel differ in size. That is an error once both are started; before, one of
 * them may be freed, and the other meets another one. Or they cannot be joined for other reasons.
 * Under the set-up lock.
 */
#ifndef PART_UCX_MISMATCH_H
#define PART_UCX_MISMATCH_H

#include "channel/part_ucx_channel.h"

/** The other end is of another size: remember that, until both are started. */
void mca_part_ucx_mismatch_found(mca_part_ucx_channel_t *channel, uint64_t total,
                                 uint32_t partitions);

/** Tells the user that the two ends cannot be joined. */
void mca_part_ucx_mismatch_tell_failed(const mca_part_ucx_channel_t *channel);

/** Both ends are started: this one fails, and the user is told. */
void mca_part_ucx_mismatch_fail(mca_part_ucx_channel_t *channel);

#endif /* PART_UCX_MISMATCH_H */
