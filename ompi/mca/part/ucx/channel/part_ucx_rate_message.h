/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the receiver has found paths to carry (part_ucx_rate_measure.h) goes to the sender with
 * READY: one number per pair, in the channel's order, bytes per millisecond, 0 where there is
 * nothing new. All channels between two processes share what is known, so each finding is told
 * once.
 */
#ifndef PART_UCX_RATE_MESSAGE_H
#define PART_UCX_RATE_MESSAGE_H

#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_send.h"

/** Write what is new; returns its bytes, 0 if nothing is. `rate` has room for all pairs. Under the
 * lock of any path. */
size_t mca_part_ucx_rate_message_tell(const mca_part_ucx_recv_t *recv, uint32_t *rate);

/** Such a message has come. What does not fit the channel is not heeded. Under a path's lock. */
void mca_part_ucx_rate_message_heed(mca_part_ucx_send_t *send, const void *data, size_t length);

/** A data message has come over a path. Under its lock. */
void mca_part_ucx_rate_message_note(const mca_part_ucx_recv_t *recv,
                                    const mca_part_ucx_path_t *path,
                                    const mca_part_ucx_data_header_t *header, size_t length);

/** Say in a message that is to be posted how long after the last one that is. Under the lock of its
 * path. */
void mca_part_ucx_rate_message_stamp(mca_part_ucx_endpoint_t *endpoint,
                                     mca_part_ucx_data_header_t *header);

#endif /* PART_UCX_RATE_MESSAGE_H */
