/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A send that goes on when a path dies: what has left by which pair, and sending it again by
 * another one (docs/protocol.md, section 9). Its epoch ends when the receiver has acknowledged it,
 * and UCX has called back for each operation. So `remaining` of the send counts, beside segments,
 * the acknowledgement, and what resends.
 */
#ifndef PART_UCX_FAILOVER_RESEND_H
#define PART_UCX_FAILOVER_RESEND_H

#include "channel/part_ucx_send.h"

/** Make what a send needs that fails over. Open MPI code. */
int mca_part_ucx_failover_resend_make(mca_part_ucx_send_t *send);

void mca_part_ucx_failover_resend_free(mca_part_ucx_send_t *send);

/** What else than segments an epoch waits for. */
static inline uint32_t mca_part_ucx_failover_resend_extra(const mca_part_ucx_send_t *send)
{
    return NULL != send->resend ? 1 : 0;
}

/** Segments of one unit are going to be posted by this pair: returns `offset`, or, of a piece,
 * where its copy is. Under its path's lock. */
uint64_t mca_part_ucx_failover_resend_posted(mca_part_ucx_send_t *send, uint32_t pair,
                                             uint32_t first, uint32_t count, uint64_t offset);

/** They cannot be posted by this pair, which is lost: another one gets them. The send may be gone
 * when the lock of the pair's path is released. */
void mca_part_ucx_failover_resend_defer(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first,
                                        uint32_t count);

/** UCX has called back for a transfer. Under its path's lock. */
void mca_part_ucx_failover_resend_over(mca_part_ucx_transfer_t *transfer, ucs_status_t status);

/** The receiver has all of the epochs up to this one. Under a path's lock. */
void mca_part_ucx_failover_resend_acknowledged(mca_part_ucx_channel_t *channel, uint32_t epoch);

/** An endpoint is lost: send again what has left by it. Under the set-up lock. */
void mca_part_ucx_failover_resend_reroute(mca_part_ucx_channel_t *channel,
                                          mca_part_ucx_endpoint_t *endpoint);

#endif /* PART_UCX_FAILOVER_RESEND_H */
