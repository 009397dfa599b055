/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Short set-up messages (see part_ucx_wire.h).
 */
#include "wireup/part_ucx_wire.h"

#include "channel/part_ucx_channel.h"
#include "wireup/part_ucx_listener.h"

#include <stdlib.h>

mca_part_ucx_wire_header_t mca_part_ucx_wire_header(mca_part_ucx_wire_kind_t kind,
                                                    uint64_t send_key)
{
    return (mca_part_ucx_wire_header_t) {.magic = PART_UCX_WIRE_MAGIC,
                                         .version = PART_UCX_WIRE_VERSION,
                                         .kind = (uint16_t) kind,
                                         .send_key = send_key};
}

void mca_part_ucx_wire_tell(ompi_communicator_t *comm, int rank, mca_part_ucx_wire_kind_t kind,
                            uint64_t send_key)
{
    mca_part_ucx_wire_header_t message = mca_part_ucx_wire_header(kind, send_key);

    mca_part_ucx_listener_tell(comm, rank, &message, sizeof(message));
}

void mca_part_ucx_wire_send(const mca_part_ucx_channel_t *channel, mca_part_ucx_wire_kind_t kind)
{
    mca_part_ucx_wire_tell(channel->comm, channel->peer_rank, kind, channel->key);
}

int mca_part_ucx_wire_send_built(const mca_part_ucx_channel_t *channel, void *message,
                                 size_t length)
{
    void *kept = realloc(message, length);

    return mca_part_ucx_listener_send(channel->comm, channel->peer_rank,
                                      NULL == kept ? message : kept, length);
}
