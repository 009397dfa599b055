/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the receiver decides (see part_ucx_decide.h).
 */
#include "wireup/part_ucx_decide.h"

#include "channel/part_ucx_datatype.h"
#include "channel/part_ucx_method.h"
#include "channel/part_ucx_shared_memory.h"
#include "path/part_ucx_paths.h"
#include "wireup/part_ucx_both_ends.h"

#include <string.h>

#include "ompi/runtime/ompi_rte.h"

static uint32_t only_pair; /* 0: all; n: the n-th only */

void mca_part_ucx_decide_only_pair(int pair)
{
    only_pair = pair < 0 ? 0 : (uint32_t) pair + 1;
}

/* The first of the peer's pairs that the channel uses. */
static const mca_part_ucx_pairing_t *first_pair(const mca_part_ucx_channel_t *channel)
{
    bool only = 1 == channel->pairs && 0 != only_pair && only_pair <= channel->peer->pairs;

    return &channel->peer->pair[only ? only_pair - 1 : 0];
}

static mca_part_ucx_device_kind_t kind_of(const mca_part_ucx_channel_t *channel)
{
    return mca_part_ucx_paths.path[first_pair(channel)->local].device.kind;
}

bool mca_part_ucx_decide_allows_copying(const mca_part_ucx_channel_t *channel)
{
    return PART_UCX_DEVICE_SHARED == kind_of(channel) && mca_part_ucx_shared_memory_allowed();
}

bool mca_part_ucx_decide_allows_placing(const mca_part_ucx_channel_t *channel)
{
    return 0 != channel->peer->process && mca_part_ucx_decide_allows_copying(channel);
}

/* UCX may have been asked for remote memory access here and not there: each process has variables
 * of its own. */
static bool both_put(const mca_part_ucx_channel_t *channel)
{
    const mca_part_ucx_pairing_t *pair = first_pair(channel);

    for (uint32_t i = 0; i < channel->pairs; ++i) {
        if (!mca_part_ucx_paths.path[pair[i].local].puts
            || !channel->peer->remote[pair[i].remote].puts) {
            return false;
        }
    }
    return true;
}

static mca_part_ucx_method_t choose_method(const mca_part_ucx_channel_t *base)
{
    uint64_t offset, length;

    if (!base->contiguous || 0 == base->total || NULL != base->piece || !both_put(base)) {
        return PART_UCX_METHOD_MESSAGE; /* only a message handler can unpack, or find a piece */
    }
    mca_part_ucx_map_range(&base->map, 0, base->map.group, &offset, &length);
    return mca_part_ucx_method_choose(kind_of(base), length);
}

/* Half of a message that is worth a unit for each of the two that copy. */
#define COPY_MIN UINT64_C(16384)

/* Two copy at the same time, as if they were two paths. */
static void share_copying(mca_part_ucx_map_limits_t *limits, uint64_t total)
{
    limits->pairs = 2;
    limits->stripe_min = limits->unit_min / 2 > COPY_MIN ? limits->unit_min / 2 : COPY_MIN;
    if (total / 2 >= COPY_MIN && total / 2 < limits->unit_min) {
        limits->unit_min = total / 2;
    }
}

static bool choose_map(mca_part_ucx_channel_t *channel, uint32_t send_partitions)
{
    bool shared = PART_UCX_DEVICE_SHARED == kind_of(channel);
    const mca_part_ucx_params_t *params = &mca_part_ucx_params;
    mca_part_ucx_map_limits_t limits = {
        .pairs = channel->pairs,
        .unit_min = shared ? params->shared_unit_min : params->unit_min,
        .unit_max = shared ? params->shared_unit_max : params->unit_max,
        .stripe_min = params->stripe_min};
    uint32_t slices, group;

    if (NULL != channel->piece) {
        return mca_part_ucx_map_init_pieces(&channel->map, channel->piece, channel->partitions,
                                            channel->pairs);
    }
    if (mca_part_ucx_decide_allows_placing(channel) && PART_UCX_COPY_BOTH == params->shared_copy) {
        share_copying(&limits, channel->total);
    }
    mca_part_ucx_map_choose(channel->total, send_partitions, &limits, &slices, &group);
    if (!mca_part_ucx_datatype_may_be_cut(channel->datatype)) {
        slices = 1; /* partitions hold whole elements */
    }
    return mca_part_ucx_map_init(&channel->map, channel->total, send_partitions,
                                 channel->partitions, slices, group, channel->pairs);
}

/* How many of the peer's pairs, from the first on, are as near as the first, and of its kind. */
static uint32_t count_alike(const mca_part_ucx_peer_t *peer)
{
    const mca_part_ucx_device_t *first = &mca_part_ucx_paths.path[peer->pair[0].local].device;
    uint32_t alike = 1;

    while (alike < peer->pairs) {
        const mca_part_ucx_device_t *device
            = &mca_part_ucx_paths.path[peer->pair[alike].local].device;

        if (device->kind != first->kind || device->distance != first->distance) {
            break;
        }
        ++alike;
    }
    return alike;
}

/* Processes of a host begin one after the other, and so do the channels of each. */
static void take_turn(mca_part_ucx_recv_t *recv, mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS])
{
    static uint32_t channels; /* under the set-up lock */
    const mca_part_ucx_peer_t *peer = recv->super.peer;
    uint32_t alike = count_alike(peer);

    recv->alike = (uint8_t) alike;
    recv->turn = (uint8_t) ((channels++ + ompi_process_info.my_local_rank) % alike);
    for (uint32_t i = 0; i < peer->pairs; ++i) {
        pair[i] = peer->pair[mca_part_ucx_recv_pair(recv, i)];
    }
}

/* A link that does not fail over ends with an error when a path of it dies. So it takes only those
 * that are well, if there are any. */
static uint32_t well_pairs(const mca_part_ucx_peer_t *peer,
                           mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < peer->pairs; ++i) {
        const mca_part_ucx_endpoint_t *endpoint
            = peer->remote[peer->pair[i].remote].endpoint[peer->pair[i].local];

        if (NULL == endpoint || mca_part_ucx_endpoint_is_up(endpoint)) {
            pair[count++] = peer->pair[i];
        }
    }
    return count;
}

/* For so many pairs. */
static bool decide_for(mca_part_ucx_recv_t *recv, uint32_t send_partitions,
                       const mca_part_ucx_pairing_t *pair, uint32_t pairs)
{
    mca_part_ucx_channel_t *channel = &recv->super;

    recv->network
        = PART_UCX_DEVICE_SHARED != mca_part_ucx_paths.path[pair[0].local].device.kind;
    channel->pairs = pairs;
    if (!choose_map(channel, send_partitions)) {
        return false;
    }
    channel->method = choose_method(channel);
    channel->fails_over = mca_part_ucx_both_ends_fail_over(channel, pair);
    return true;
}

bool mca_part_ucx_decide(mca_part_ucx_recv_t *recv, uint32_t send_partitions,
                         mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS])
{
    mca_part_ucx_channel_t *channel = &recv->super;
    mca_part_ucx_pairing_t well[PART_UCX_MAX_PATHS];
    uint32_t wells;

    if (0 != only_pair && only_pair <= channel->peer->pairs) {
        pair[0] = channel->peer->pair[only_pair - 1];
        return decide_for(recv, send_partitions, pair, 1);
    }
    take_turn(recv, pair);
    if (!decide_for(recv, send_partitions, pair, channel->peer->pairs)) {
        return false;
    }
    wells = NULL == channel->piece || channel->fails_over ? 0 : well_pairs(channel->peer, well);
    if (0 == wells || wells == channel->pairs) {
        return true;
    }
    recv->alike = 0; /* as they come */
    memcpy(pair, well, wells * sizeof(*pair));
    return decide_for(recv, send_partitions, pair, wells);
}
