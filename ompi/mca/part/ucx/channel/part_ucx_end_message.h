/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * END: one end of a channel tells the other that it goes no further, and why.
 */
#ifndef PART_UCX_END_MESSAGE_H
#define PART_UCX_END_MESSAGE_H

#include "channel/part_ucx_channel.h"

/** Send it; `busy`: operations of this end still run. Under the set-up lock. */
void mca_part_ucx_end_send(mca_part_ucx_channel_t *channel, mca_part_ucx_reason_t reason,
                           bool busy);

/** The channel is freed: send it, if the other end does not know that this one ends, and waits for
 * it perhaps. Under the set-up lock. */
void mca_part_ucx_end_freed(mca_part_ucx_channel_t *channel);

#endif /* PART_UCX_END_MESSAGE_H */
