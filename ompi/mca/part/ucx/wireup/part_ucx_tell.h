/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Short set-up messages, and what both ends of a mismatch have in common. Under the set-up lock.
 */
#ifndef PART_UCX_TELL_H
#define PART_UCX_TELL_H

#include "channel/part_ucx_channel.h"
#include "wireup/part_ucx_wire.h"

/** The beginning of a set-up message. */
mca_part_ucx_wire_header_t mca_part_ucx_tell_header(mca_part_ucx_wire_kind_t kind,
                                                    uint64_t send_key);

/** A send says something that needs no more words: WITHDRAW or MISMATCH. */
void mca_part_ucx_tell(const mca_part_ucx_channel_t *channel, mca_part_ucx_wire_kind_t kind);

/** The other end is of another size: remember that, until both are started. */
void mca_part_ucx_tell_apart(mca_part_ucx_channel_t *channel, uint64_t total, uint32_t partitions);

/** Both ends of a mismatch are started: this one fails, and the user is told. */
void mca_part_ucx_tell_mismatch(mca_part_ucx_channel_t *channel);

/** Does the other end not know yet that this one ends, and wait for it perhaps? Then tell it. */
void mca_part_ucx_tell_freed(mca_part_ucx_channel_t *channel);

#endif /* PART_UCX_TELL_H */
