/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which channels have credit (see part_ucx_credit_limits.h).
 */
#include "channel/part_ucx_credit_limits.h"

#include "process/part_ucx_params.h"

/* A kind of channels. */
typedef struct limits_t {
    uint64_t most;    /* bytes; 0: none has credit */
    uint64_t memory;  /* bytes */
    uint32_t longest; /* epochs */
} limits_t;

static const limits_t boxes
    = {PART_UCX_CREDIT_BYTES, PART_UCX_CREDIT_MEMORY, PART_UCX_CREDIT_BOXED};
static const limits_t host
    = {PART_UCX_CREDIT_BYTES, PART_UCX_CREDIT_MEMORY, PART_UCX_CREDIT_LONGEST};
static const limits_t network
    = {PART_UCX_CREDIT_NETWORK_BYTES, PART_UCX_CREDIT_NETWORK_MEMORY, PART_UCX_CREDIT_LONGEST};

static uint32_t within(uint64_t value, uint32_t least, uint32_t most)
{
    return value < least ? least : value > most ? most : (uint32_t) value;
}

static uint32_t fitting(uint32_t segments, uint64_t total, const limits_t *limits)
{
    if (0 == limits->most || segments > PART_UCX_CREDIT_SEGMENTS || total > limits->most
        || total > mca_part_ucx_params.eager_limit
        || total > mca_part_ucx_params.shared_eager_limit) {
        return 0;
    }
    return within(limits->memory / (0 == total ? 1 : total), PART_UCX_CREDIT_LEAST,
                  limits->longest);
}

uint32_t mca_part_ucx_credit_limits_of_boxes(uint32_t pieces, uint64_t total)
{
    return fitting(pieces, total, &boxes);
}

static const limits_t *limits_of_link(const mca_part_ucx_recv_t *recv)
{
    if (NULL != mca_part_ucx_recv_boxed(recv)) {
        return &boxes;
    }
    return recv->network ? &network : &host;
}

/* The epochs of a channel that fails over end together at both ends. */
uint32_t mca_part_ucx_credit_limits_epochs(const mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_channel_t *channel = &recv->super;
    const limits_t user = {mca_part_ucx_params.credit, PART_UCX_CREDIT_USER_MEMORY,
                           PART_UCX_CREDIT_USER_LONGEST};

    if (channel->fails_over || PART_UCX_METHOD_MESSAGE != channel->method) {
        return 0;
    }
    return fitting(channel->map.segments, channel->map.total,
                   NULL == channel->piece ? &user : limits_of_link(recv));
}
