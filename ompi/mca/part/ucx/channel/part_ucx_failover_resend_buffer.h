/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a link that fails over keeps of its pieces: a copy of each, made when it leaves for the
 * first time in an epoch. UCX sends that copy, now and whenever it has to be sent again. So the
 * plan gets the piece's source back at once, and may overwrite it within the epoch, as plans do:
 * with what comes next into a slot, or with a sum. A link that does not fail over needs none of
 * this.
 */
#ifndef PART_UCX_FAILOVER_RESEND_BUFFER_H
#define PART_UCX_FAILOVER_RESEND_BUFFER_H

#include "channel/part_ucx_send.h"

/** Memory for a copy of each piece. NULL: there is none. */
mca_part_ucx_failover_resend_buffer_t *
mca_part_ucx_failover_resend_buffer_make(const mca_part_ucx_map_t *map);

void mca_part_ucx_failover_resend_buffer_free(mca_part_ucx_failover_resend_buffer_t *buffer);

/** The copy of a piece in this epoch. The first call makes it, and tells the owner that the source
 * may be overwritten. Under the lock of the path that the piece is about to leave by. */
const void *mca_part_ucx_failover_resend_buffer_copy(mca_part_ucx_send_t *send, uint32_t piece);

/** Where that copy lies. */
const void *mca_part_ucx_failover_resend_buffer_at(const mca_part_ucx_send_t *send, uint32_t piece);

#endif /* PART_UCX_FAILOVER_RESEND_BUFFER_H */
