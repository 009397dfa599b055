/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The two ends differ in size (see part_ucx_mismatch.h).
 */
#include "wireup/part_ucx_mismatch.h"

#include "path/part_ucx_peer.h"
#include "process/part_ucx_help.h"

void mca_part_ucx_mismatch_found(mca_part_ucx_channel_t *channel, uint64_t total,
                                 uint32_t partitions)
{
    channel->other_total = total;
    channel->other_partitions = partitions;
    (void) mca_part_ucx_channel_change(channel, PART_UCX_ON_MISMATCH);
    if (atomic_load(&channel->running)) {
        channel->wireup->mismatch(channel);
    }
}

void mca_part_ucx_mismatch_tell_failed(const mca_part_ucx_channel_t *channel)
{
    const char *host = mca_part_ucx_peer_host(channel->peer);

    if (NULL == channel->piece) {
        mca_part_ucx_help("setup-failed", channel->peer_rank, channel->tag, host);
    } else {
        mca_part_ucx_help("link-failed", channel->peer_rank, host);
    }
}

void mca_part_ucx_mismatch_fail(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_help("size-mismatch", channel->peer_rank, channel->tag,
                      (unsigned long long) channel->total, channel->partitions,
                      (unsigned long long) channel->other_total, channel->other_partitions);
    mca_part_ucx_channel_fail(channel, MPI_ERR_TRUNCATE);
}
