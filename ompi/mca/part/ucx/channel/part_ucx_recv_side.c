/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receiving, as one side of a channel: making it ready, its epochs, what is under way, release.
 */
#include "channel/part_ucx_recv_side.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_datatype.h"
#include "channel/part_ucx_fastbox.h"
#include "channel/part_ucx_failover_ready.h"
#include "channel/part_ucx_ready.h"
#include "channel/part_ucx_traffic.h"

#include <stdlib.h>

#include "ompi/constants.h"

/* ---- building ---- */

static int build_flags(mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    bool puts = PART_UCX_METHOD_MESSAGE != recv->super.method;
    mca_part_ucx_arrivals_t *arrivals = mca_part_ucx_arrivals_make(map, puts);

    if (NULL == arrivals) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    arrivals->earlier = atomic_load_explicit(&recv->arrivals, memory_order_relaxed);
    atomic_store_explicit(&recv->arrivals, arrivals, memory_order_release);
    recv->flag = arrivals->flag;
    recv->polled.recv = recv;
    recv->polled.gap = mca_part_ucx_map_flag(map, map->segments - 1) + 1;
    return OMPI_SUCCESS;
}

/* The arrivals of a link are its observer's business, but that each comes once is not. */
static int build_came(mca_part_ucx_recv_t *recv)
{
    recv->came = calloc(recv->super.map.segments, sizeof(*recv->came));
    return NULL == recv->came ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}

int mca_part_ucx_recv_side_build(mca_part_ucx_recv_t *recv)
{
    int rc;

    recv->ready = mca_part_ucx_ready_make(recv);
    if (NULL == recv->ready) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = mca_part_ucx_credit_build(recv);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    mca_part_ucx_fastbox_build(recv);
    return NULL != recv->super.piece ? build_came(recv) : build_flags(recv);
}

static void unregister(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_of(channel);

    mca_part_ucx_region_release(recv->region);
    mca_part_ucx_region_release(recv->flag_region);
    recv->region = NULL;
    recv->flag_region = NULL;
}

static void unlink_polled(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_path_t *path = recv->endpoint->path;
    mca_part_ucx_polled_t **link = &mca_part_ucx_traffic_of(path)->polled;

    mca_part_ucx_path_lock(path);
    while (NULL != *link && &recv->polled != *link) {
        link = &(*link)->next;
    }
    if (NULL != *link) {
        *link = (*link)->next;
    }
    mca_part_ucx_path_unlock(path);
}

void mca_part_ucx_recv_side_unbuild(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_ready_release(recv);
    mca_part_ucx_credit_end(recv);
    if (NULL == recv->super.piece) {
        unlink_polled(recv);
    }
    unregister(&recv->super);
    mca_part_ucx_datatype_release(recv->super.convertor, recv->super.pairs);
    recv->super.convertor = NULL;
}

/* ---- as one side of a channel ---- */

/* Its sender may be ahead. READY of a link leaves when the owner pushes. */
static void start_with_credit(mca_part_ucx_recv_t *recv)
{
    /* The first epoch of a receive that has met its sender late is started by a thread that does
     * set-up. As soon as READY has left it may end, and another thread start the next one, and
     * take what is kept for that. */
    uint32_t epoch = mca_part_ucx_recv_epoch(recv);
    bool due = mca_part_ucx_credit_arm(recv);

    if (due && NULL != recv->super.piece) {
        mca_part_ucx_ready_queue(recv->ready);
    } else if (due) {
        mca_part_ucx_ready_started(recv);
    }
    mca_part_ucx_credit_deliver(recv, epoch);
    mca_part_ucx_fastbox_start(recv);
}

static void start(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_of(channel);

    if (NULL == channel->piece && mca_part_ucx_epoch_is_last(atomic_load(&recv->armed))) {
        mca_part_ucx_arrivals_forget(recv->arrivals); /* nobody asks a link */
    }
    atomic_store_explicit(&recv->remaining, channel->map.segments, memory_order_relaxed);
    if (NULL != recv->credit) {
        start_with_credit(recv);
        return;
    }
    atomic_store_explicit(&recv->armed, mca_part_ucx_recv_epoch(recv), memory_order_release);
    mca_part_ucx_ready_started(recv);
}

/* Its own, and others to its peer that are there. */
static uint32_t endpoints(const mca_part_ucx_channel_t *channel,
                          mca_part_ucx_endpoint_t *list[PART_UCX_MAX_PATHS])
{
    const mca_part_ucx_recv_t *recv = (const mca_part_ucx_recv_t *) channel;
    const mca_part_ucx_peer_t *peer = channel->peer;
    uint32_t count = 0;

    if (NULL == recv->endpoint) {
        return 0;
    }
    list[count++] = recv->endpoint;
    if (!channel->fails_over && channel->pairs < peer->pairs) {
        return count; /* which of the others are its own is not kept */
    }
    for (uint32_t i = 0; i < peer->pairs; ++i) {
        const mca_part_ucx_pairing_t *pair = &peer->pair[i];
        mca_part_ucx_endpoint_t *endpoint = peer->remote[pair->remote].endpoint[pair->local];

        if (NULL != endpoint && endpoint != recv->endpoint && count < PART_UCX_MAX_PATHS) {
            list[count++] = endpoint;
        }
    }
    return count;
}

static bool touched(mca_part_ucx_channel_t *channel)
{
    return 0 != atomic_load(&mca_part_ucx_recv_of(channel)->fetching);
}

static bool exposed(mca_part_ucx_channel_t *channel)
{
    uint32_t epoch;

    return mca_part_ucx_recv_of(channel)->writable
           && (!mca_part_ucx_channel_peer_ended(channel, &epoch)
               || atomic_load(&channel->said.busy));
}

/* Also of one that has failed and stays. */
static void retire(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_credit_end(mca_part_ucx_recv_of(channel));
    mca_part_ucx_fastbox_end(mca_part_ucx_recv_of(channel));
}

static void release(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_of(channel);

    mca_part_ucx_ready_release(recv);
    unregister(channel);
    free((void *) recv->came);
    free(mca_part_ucx_recv_boxed(recv));
    mca_part_ucx_credit_free(recv);
    while (NULL != recv->arrivals) {
        mca_part_ucx_arrivals_t *arrivals = recv->arrivals;

        recv->arrivals = arrivals->earlier;
        mca_part_ucx_arrivals_free(arrivals);
    }
    free(recv->matching);
}

static bool has(mca_part_ucx_channel_t *channel, uint32_t partition)
{
    mca_part_ucx_arrivals_t *arrivals = atomic_load(&mca_part_ucx_recv_of(channel)->arrivals);

    return NULL != arrivals
           && mca_part_ucx_arrivals_has(arrivals, partition, atomic_load(&channel->epoch));
}

/* READY has not left: one for each epoch. */
static bool waits(mca_part_ucx_channel_t *channel, uint32_t *remaining)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_of(channel);

    *remaining = atomic_load(&recv->armed);
    return NULL != recv->ready && PART_UCX_READY_IDLE != atomic_load(&recv->ready->state);
}

const mca_part_ucx_side_t mca_part_ucx_recv_side = {.name = "receive",
                                                    .start = start,
                                                    .reroute = mca_part_ucx_failover_ready_reroute,
                                                    .endpoints = endpoints,
                                                    .touched = touched,
                                                    .exposed = exposed,
                                                    .waits = waits,
                                                    .stalled = "ready-stalled",
                                                    .has = has,
                                                    .lacks = "not here",
                                                    .unregister = unregister,
                                                    .retire = retire,
                                                    .release = release};
