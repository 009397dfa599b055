/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Looking after channels that do not get on (see part_ucx_watchdog.h).
 */
#include "wireup/part_ucx_watchdog.h"

#include "api/part_ucx_epoch.h"
#include "base/part_ucx_clock.h"
#include "channel/part_ucx_event.h"
#include "channel/part_ucx_leave.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_failover_health.h"
#include "wireup/part_ucx_mismatch.h"
#include "wireup/part_ucx_presence.h"
#include "wireup/part_ucx_stuck.h"

/* How many calls of mca_part_ucx_watchdog() go by between two looks at the clock. */
#define CALLS_PER_LOOK 16u

/* Seconds between two looks. */
#define INTERVAL 1.0

/* Seconds that an unmatched channel may wait before its peer is asked about. */
#define ASK_AFTER 2.0

/* Seconds between two messages that only find out whether an RDMA connection is still there. */
#define PROBE_AFTER 5.0

/* There is nobody whom the channel could wait for. */
static void peer_died(mca_part_ucx_channel_t *channel, double now)
{
    mca_part_ucx_peer_t *peer = channel->peer;

    if (!peer->absence_told) {
        peer->absence_told = true;
        mca_part_ucx_help("peer-died", channel->peer_rank, mca_part_ucx_peer_host(peer));
    }
    mca_part_ucx_leave_orphan(channel, now);
}

/* Nothing has met this channel for a while: can anything ever? */
static void watch_open(mca_part_ucx_channel_t *channel, double now)
{
    mca_part_ucx_peer_t *peer = channel->peer;

    if (!mca_part_ucx_presence_lacks(peer, now)) {
        return;
    }
    if (!peer->absence_told) {
        peer->absence_told = true;
        mca_part_ucx_help("peer-without-component", channel->peer_rank,
                          mca_part_ucx_peer_host(peer));
    }
    mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER);
}

static void tell_stalled(const mca_part_ucx_channel_t *channel, uint32_t remaining)
{
    const char *host = mca_part_ucx_peer_host(channel->peer);

    if (NULL == channel->piece) {
        mca_part_ucx_help(channel->side->stalled, channel->peer_rank, host, channel->tag,
                          mca_part_ucx_params.stall, remaining, channel->map.segments);
    } else {
        mca_part_ucx_help("link-stalled", channel->peer_rank, host, channel->comm->c_name,
                          mca_part_ucx_params.stall);
    }
}

/* One that has all it needs and does not get on: the network is stuck. */
static void watch_matched(mca_part_ucx_channel_t *channel, double now)
{
    mca_part_ucx_watched_t *watched = &channel->watched;
    uint32_t remaining;

    if (0 == mca_part_ucx_params.stall) {
        return;
    }
    if (!channel->side->waits(channel, &remaining) || remaining != watched->remaining) {
        watched->remaining = remaining;
        watched->since = now;
    } else if (!watched->told && now - watched->since > mca_part_ucx_params.stall) {
        watched->told = true;
        tell_stalled(channel, remaining);
    }
}

/* RDMA has no connection that would be reset when the other end has gone: the adapter finds out
 * when something is sent. */
static void probe_rdma(mca_part_ucx_channel_t *channel, double now)
{
    mca_part_ucx_endpoint_t *list[PART_UCX_MAX_PATHS];
    uint32_t count = channel->side->endpoints(channel, list);

    for (uint32_t i = 0; i < count; ++i) {
        if (PART_UCX_DEVICE_RDMA == list[i]->path->device.kind
            && now - list[i]->outage.probed > PROBE_AFTER) {
            list[i]->outage.probed = now;
            mca_part_ucx_event_probe(list[i]);
        }
    }
}

/* One of its own that has been lost, of those that fail over or of the others; NULL: none. A
 * receive lists all to its peer, its own first: where that are more than it has pairs, of the
 * others it is not known. */
static mca_part_ucx_endpoint_t *lost_endpoint(mca_part_ucx_channel_t *channel, bool fails_over)
{
    mca_part_ucx_endpoint_t *list[PART_UCX_MAX_PATHS];
    uint32_t count = channel->side->endpoints(channel, list);

    count = count > channel->pairs ? 1 : count;
    for (uint32_t i = 0; i < count; ++i) {
        if (fails_over == list[i]->fails_over && !mca_part_ucx_endpoint_is_up(list[i])) {
            return list[i];
        }
    }
    return NULL;
}

/* Seconds for what is still to be read from the channel's other paths, or for a better reason to
 * fail: where the peer's process has died, Open MPI may be going to say so. */
static double patience(mca_part_ucx_channel_t *channel)
{
    uint32_t last;
    bool sent = mca_part_ucx_channel_peer_ended(channel, &last)
                && !mca_part_ucx_epoch_is_after(atomic_load(&channel->epoch), last);

    return sent || mca_part_ucx_presence_tells_death() ? PART_UCX_DEATH_WITHIN : INTERVAL;
}

/* Who waits for the peer would not learn that the connection is gone: nothing is posted, so nothing
 * fails. */
static void watch_endpoints(mca_part_ucx_channel_t *channel, double now)
{
    static bool told;
    mca_part_ucx_endpoint_t *endpoint = PART_UCX_MATCHED == mca_part_ucx_channel_state(channel)
                                            ? lost_endpoint(channel, false)
                                            : NULL;

    if (NULL == endpoint) {
        return;
    }
    if (0 == endpoint->outage.alone) {
        endpoint->outage.alone = now;
    }
    if (now - endpoint->outage.alone < patience(channel)) {
        return;
    }
    if (!told) {
        told = true;
        mca_part_ucx_help("connection-lost", endpoint->path->device.name,
                          mca_part_ucx_peer_host(channel->peer), endpoint->outage.why);
    }
    mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER);
}

/* It has failed because no path leads to the peer any more. Where the peer's process has died, Open
 * MPI is going to say so, and that is the better reason. Beside other load UCX is faster. */
static bool death_may_explain(mca_part_ucx_channel_t *channel, double now)
{
    if (PART_UCX_LEAVING != mca_part_ucx_channel_state(channel)
        || MPI_ERR_OTHER != atomic_load(&channel->error) || mca_part_ucx_channel_is_revoked(channel)
        || !mca_part_ucx_presence_tells_death() || mca_part_ucx_peer_is_reachable(channel->peer)
        || (NULL == lost_endpoint(channel, false) && NULL == lost_endpoint(channel, true))) {
        return false;
    }
    if (0 == channel->ending_since) {
        channel->ending_since = now;
    }
    return now - channel->ending_since < PART_UCX_DEATH_WITHIN;
}

/* Links are collectives' own. */
static void watch_long(mca_part_ucx_channel_t *channel, double now)
{
    mca_part_ucx_watched_t *watched = &channel->watched;

    if (!watched->said && NULL == channel->piece && 0 != mca_part_ucx_params.stall
        && now - (double) watched->began >= mca_part_ucx_params.stall) {
        watched->said = true;
        mca_part_ucx_stuck_tell(channel, (int) (now - (double) watched->began));
    }
}

/* It runs, and nothing is wrong so far. */
static void watch_running(mca_part_ucx_channel_t *channel, double now)
{
    mca_part_ucx_watched_t *watched = &channel->watched;
    uint32_t epoch = atomic_load(&channel->epoch);
    bool long_enough = now - watched->since > ASK_AFTER;

    if (watched->epoch != epoch) {
        *watched = (mca_part_ucx_watched_t) {
            .epoch = epoch,
            .remaining = watched->remaining,
            .since = now,
            .began = (float) now};
        return;
    }
    watch_long(channel, now);
    switch (mca_part_ucx_channel_state(channel)) {
    case PART_UCX_MISMATCHED:
        if (long_enough) { /* its sender has neither started nor withdrawn */
            mca_part_ucx_mismatch_fail(channel);
        }
        break;
    case PART_UCX_OPEN:
        if (long_enough) {
            watch_open(channel, now);
        }
        break;
    case PART_UCX_MATCHED:
        watch_matched(channel, now);
        probe_rdma(channel, now);
        break;
    default:
        break;
    }
}

static void watch_channel(mca_part_ucx_channel_t *channel, double now)
{
    bool running = atomic_load(&channel->running);

    if (mca_part_ucx_presence_has_died(channel->peer)) {
        if (running) {
            peer_died(channel, now);
        }
    } else if (mca_part_ucx_leave_has_to(channel)) {
        if (!death_may_explain(channel, now)) {
            mca_part_ucx_leave(channel, now);
        }
        if (running && atomic_load(&channel->running)) {
            mca_part_ucx_watchdog_soon();
        }
    } else if (running) {
        watch_running(channel, now);
        watch_endpoints(channel, now);
    }
}

static bool is_time(double *now)
{
    static mca_part_ucx_looks_t looks; /* under the set-up lock */
    bool hurry = atomic_load_explicit(&mca_part_ucx_process.watch_soon, memory_order_relaxed)
                 && atomic_exchange(&mca_part_ucx_process.watch_soon, false);

    return !mca_part_ucx_process.closing
           && mca_part_ucx_clock_due(&looks, CALLS_PER_LOOK, INTERVAL, hurry, now);
}

void mca_part_ucx_watchdog(void)
{
    mca_part_ucx_channel_t *channel;
    uint32_t next = 0;
    double now;

    mca_part_ucx_failover_health();
    if (!is_time(&now)) {
        return;
    }
    while (NULL != (channel = mca_part_ucx_table_next(&mca_part_ucx_channels, &next))) {
        watch_channel(channel, now);
    }
}
