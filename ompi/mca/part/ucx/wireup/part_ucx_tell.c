/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Short set-up messages (see part_ucx_tell.h).
 */
#include "wireup/part_ucx_tell.h"

#include "channel/part_ucx_end.h"
#include "process/part_ucx_help.h"
#include "wireup/part_ucx_listener.h"

mca_part_ucx_wire_header_t mca_part_ucx_tell_header(mca_part_ucx_wire_kind_t kind,
                                                    uint64_t send_key)
{
    return (mca_part_ucx_wire_header_t) {.magic = PART_UCX_WIRE_MAGIC,
                                         .version = PART_UCX_WIRE_VERSION,
                                         .kind = (uint16_t) kind,
                                         .send_key = send_key};
}

void mca_part_ucx_tell(const mca_part_ucx_channel_t *channel, mca_part_ucx_wire_kind_t kind)
{
    mca_part_ucx_wire_header_t message = mca_part_ucx_tell_header(kind, channel->key);

    mca_part_ucx_listener_tell(channel->comm, channel->peer_rank, &message, sizeof(message));
}

void mca_part_ucx_tell_apart(mca_part_ucx_channel_t *channel, uint64_t total, uint32_t partitions)
{
    channel->other_total = total;
    channel->other_partitions = partitions;
    (void) mca_part_ucx_channel_change(channel, PART_UCX_ON_MISMATCH);
    if (atomic_load(&channel->running)) {
        channel->wireup->mismatch(channel);
    }
}

void mca_part_ucx_tell_mismatch(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_help("size-mismatch", channel->peer_rank, channel->tag,
                      (unsigned long long) channel->total, channel->partitions,
                      (unsigned long long) channel->other_total, channel->other_partitions);
    mca_part_ucx_channel_fail(channel, MPI_ERR_TRUNCATE);
}

void mca_part_ucx_tell_freed(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_state_t state = mca_part_ucx_channel_state(channel);
    uint32_t epoch;

    if (PART_UCX_LEFT == state || PART_UCX_ORPHANED == state
        || 0 == atomic_load(&channel->peer_key)) {
        return;
    }
    if (PART_UCX_MATCHED == state && mca_part_ucx_channel_is_revoked(channel)) {
        /* Before it has been looked after. */
        mca_part_ucx_end_send(channel, PART_UCX_END_REVOKED, false);
    } else if (!mca_part_ucx_channel_peer_ended(channel, &epoch)
               || mca_part_ucx_channel_is_awaited(channel)) {
        mca_part_ucx_end_send(channel, PART_UCX_END_FREED, false);
    }
}
