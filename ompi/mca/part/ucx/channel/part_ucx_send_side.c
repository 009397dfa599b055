/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sending, as one side of a channel: making it ready, what is under way, release.
 */
#include "channel/part_ucx_send_side.h"

#include "channel/part_ucx_bundle.h"
#include "channel/part_ucx_delivery.h"
#include "channel/part_ucx_failover_resend.h"
#include "channel/part_ucx_gate.h"
#include "channel/part_ucx_pair_choice.h"
#include "channel/part_ucx_post.h"
#include "channel/part_ucx_regroup.h"
#include "channel/part_ucx_targets.h"

#include <stdlib.h>

#include "ompi/constants.h"

/* ---- the receiver is known ---- */

/* Flags of up to this many neighbouring segments (or of one unit) leave in one put. */
#define FLAG_RUN 64u

int mca_part_ucx_send_side_adapt(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t group = map->group;

    mca_part_ucx_delivery_prepare(send);
    mca_part_ucx_regroup_adapt(send);
    /* It stays so if another receive takes the place of this one: units have got their pairs. */
    send->rotates = send->rotates
                    || (NULL == send->super.piece && 0 != send->credit
                        && map->units < map->pairs);
    if (OMPI_SUCCESS != mca_part_ucx_failover_resend_make(send)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (PART_UCX_METHOD_MESSAGE == send->super.method || NULL != send->flag_source) {
        return OMPI_SUCCESS;
    }
    send->flag_run = group > FLAG_RUN ? group : FLAG_RUN;
    send->flag_source = calloc(send->flag_run, sizeof(*send->flag_source));
    if (NULL == send->flag_source) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (uint32_t i = 0; i < send->flag_run; ++i) {
        send->flag_source[i] = mca_part_ucx_send_epoch(send); /* it may have been started */
    }
    return OMPI_SUCCESS;
}

/* Build what depends on the map; if an epoch is already running, take over its marks. */
int mca_part_ucx_send_side_build(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    uint32_t units;
    bool fills;

    send->own.op.own = true;
    if (OMPI_SUCCESS != mca_part_ucx_send_side_adapt(send)
        || OMPI_SUCCESS != mca_part_ucx_regroup_build(send)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    units = mca_part_ucx_regroup_units(send);
    fills = mca_part_ucx_regroup_fills(send);
    send->unit = calloc(units, sizeof(*send->unit));
    if (NULL != send->super.piece && OMPI_SUCCESS != mca_part_ucx_bundle_build(send)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS != mca_part_ucx_pair_choice_build(send)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (fills) {
        send->sent = calloc(map->segments, sizeof(*send->sent));
        send->partial = calloc(map->pairs, sizeof(*send->partial));
    }
    if (NULL == send->unit || (fills && (NULL == send->sent || NULL == send->partial))) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (uint32_t i = 0; NULL != send->partial && i < map->pairs; ++i) {
        send->partial[i].send = send;
        send->partial[i].work.post = mca_part_ucx_post_partial;
        send->partial[i].work.urgent = true;
    }
    for (uint32_t i = 0; i < units; ++i) {
        send->unit[i].send = send;
        send->unit[i].work.post
            = NULL == send->sent ? mca_part_ucx_delivery_post_unit : mca_part_ucx_post_unit;
        send->unit[i].pair = mca_part_ucx_map_pair(map, i);
    }
    for (uint32_t i = 0; 0 != epoch && i < map->segments; ++i) {
        if (atomic_load(&send->marked[mca_part_ucx_map_partition_of(map, i)]) == epoch) {
            atomic_fetch_add(&send->unit[mca_part_ucx_map_unit_of(map, i)].marks, 1);
        }
    }
    return OMPI_SUCCESS;
}

/* ---- as one side of a channel ---- */

static void start(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_gate_start(mca_part_ucx_send_of(channel));
}

static uint32_t endpoints(const mca_part_ucx_channel_t *channel,
                          mca_part_ucx_endpoint_t *list[PART_UCX_MAX_PATHS])
{
    const mca_part_ucx_send_t *send = (const mca_part_ucx_send_t *) channel;
    uint32_t count = 0;

    while (count < channel->pairs && NULL != send->endpoint[count]) {
        list[count] = send->endpoint[count];
        ++count;
    }
    return count;
}

/* A unit that may leave before READY is the only one, and takes the first pair. */
static bool carried(const mca_part_ucx_channel_t *channel, const mca_part_ucx_path_t *path)
{
    const mca_part_ucx_send_t *send = (const mca_part_ucx_send_t *) channel;
    bool own = NULL != send->endpoint[0] && path == send->endpoint[0]->path
               && PART_UCX_OP_FREE != send->own.op.state;

    return own || mca_part_ucx_path_carries(path, channel);
}

/*
 * Is a thread inside MPI_Pready copying a unit into the receiver's memory, without a lock? It has
 * completed the unit's marks, then looked at the state, and takes the marks back afterwards. Giving
 * up has changed the state before this looks at the marks: one of the two sees the other.
 */
static bool touched(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_of(channel);
    uint32_t first, count;

    for (uint32_t unit = 0; NULL != send->unit && unit < channel->map.units; ++unit) {
        mca_part_ucx_map_unit(&channel->map, unit, &first, &count);
        if ((count | PART_UCX_UNIT_OPEN) == atomic_load(&send->unit[unit].marks)) {
            return true;
        }
    }
    return false;
}

static bool has(mca_part_ucx_channel_t *channel, uint32_t partition)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_of(channel);

    return atomic_load(&channel->epoch)
           == atomic_load_explicit(&send->marked[partition], memory_order_relaxed);
}

static bool all_marked(mca_part_ucx_channel_t *channel)
{
    for (uint32_t i = 0; i < channel->partitions; ++i) {
        if (!has(channel, i)) {
            return false;
        }
    }
    return true;
}

static bool answered(mca_part_ucx_channel_t *channel)
{
    return mca_part_ucx_send_is_open(mca_part_ucx_send_of(channel));
}

/* Has anything been pushed on a link that it still waits for, or all? */
static bool pieces_wait(mca_part_ucx_send_t *send, uint32_t remaining)
{
    uint32_t pushed = atomic_load(&send->pushed);
    uint32_t all = send->super.map.segments;
    uint32_t extra = mca_part_ucx_failover_resend_extra(send);

    return (0 != extra && pushed == all) || pushed > all + extra - remaining;
}

/* All that is to leave in this epoch, or for a link anything. */
static bool waits(mca_part_ucx_channel_t *channel, uint32_t *remaining)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_of(channel);

    *remaining = atomic_load(&send->remaining);
    return mca_part_ucx_send_is_open(send)
           && (NULL != channel->piece ? pieces_wait(send, *remaining) : all_marked(channel));
}

static void unregister(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_of(channel);

    for (uint32_t i = 0; NULL != send->keys && i < channel->pairs; ++i) {
        if (NULL != send->endpoint[i]) {
            mca_part_ucx_rkey_destroy(send->endpoint[i]->path, &send->keys[i].data);
            mca_part_ucx_rkey_destroy(send->endpoint[i]->path, &send->keys[i].flags);
        }
    }
    mca_part_ucx_region_release(send->region);
    send->region = NULL;
}

static void retire(mca_part_ucx_channel_t *channel)
{
    /* One that is over stays; so may its view, while a thread still writes there. */
    if (!mca_part_ucx_channel_is_over(channel) || !touched(channel)) {
        mca_part_ucx_targets_end(mca_part_ucx_send_of(channel));
    }
}

static void release(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_of(channel);

    unregister(channel);
    free(send->keys);
    free(send->flag_source);
    mca_part_ucx_targets_forget(send);
    free(send->unit);
    mca_part_ucx_bundle_free(send);
    free(send->sent);
    free(send->partial);
    free(send->share);
    free(send->regroup);
    mca_part_ucx_failover_resend_free(send);
    free(send->marked);
}

const mca_part_ucx_side_t mca_part_ucx_send_side = {.name = "send",
                                                    .start = start,
                                                    .acknowledged =
                                                        mca_part_ucx_failover_resend_acknowledged,
                                                    .reroute = mca_part_ucx_failover_resend_reroute,
                                                    .settled = mca_part_ucx_send_is_settled,
                                                    .endpoints = endpoints,
                                                    .carried = carried,
                                                    .touched = touched,
                                                    .waits = waits,
                                                    .stalled = "stalled",
                                                    .has = has,
                                                    .lacks = "not marked",
                                                    .answered = answered,
                                                    .unregister = unregister,
                                                    .retire = retire,
                                                    .release = release};
