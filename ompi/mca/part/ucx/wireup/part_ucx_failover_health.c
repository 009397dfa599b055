/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Looking after paths (see part_ucx_failover_health.h). All under the set-up lock.
 */
#include "wireup/part_ucx_failover_health.h"

#include "base/part_ucx_clock.h"
#include "channel/part_ucx_channel.h"
#include "channel/part_ucx_event.h"
#include "channel/part_ucx_failover_news.h"
#include "channel/part_ucx_leave.h"
#include "path/part_ucx_failover_carrier.h"
#include "path/part_ucx_failover_outage.h"
#include "path/part_ucx_failover_sockets.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_failover_comeback.h"
#include "wireup/part_ucx_presence.h"

#include <assert.h>

/* How many calls of mca_part_ucx_failover_health() go by between two looks at the clock. */
#define CALLS_PER_LOOK 4u

/* Seconds between two looks, from one DOWN to the next, between two probes. */
#define INTERVAL    0.2
#define REPEAT      0.5
#define PROBE_EVERY 1.0

/* Seconds that an epoch lasts before the sockets of its channel are looked at. Whether it gets on
 * does not matter: for a while, the other paths may do so without the dead one. */
#define PATIENCE 0.4

static_assert(2 * (int) PART_UCX_DEATH_WITHIN <= (int) PART_UCX_LEAVE_PATIENCE,
              "channels on it are left meanwhile, and wait for its operations");

/* ---- giving up ---- */

static bool uses(mca_part_ucx_channel_t *channel, const mca_part_ucx_endpoint_t *endpoint)
{
    mca_part_ucx_endpoint_t *list[PART_UCX_MAX_PATHS];
    uint32_t count = channel->side->endpoints(channel, list);

    for (uint32_t i = 0; i < count; ++i) {
        if (endpoint == list[i]) {
            return true;
        }
    }
    return false;
}

/* Channels that fail over go on; the others end with an error. Nothing of them is posted then. */
static void tell_channels(mca_part_ucx_endpoint_t *endpoint, bool goes_on)
{
    mca_part_ucx_channel_t *channel;
    uint32_t next = 0;

    while (NULL != (channel = mca_part_ucx_table_next(&mca_part_ucx_channels, &next))) {
        if (channel->peer != endpoint->peer || goes_on != channel->fails_over
            || PART_UCX_MATCHED != mca_part_ucx_channel_state(channel)
            || !uses(channel, endpoint)) {
            continue;
        }
        if (goes_on) {
            channel->side->reroute(channel, endpoint);
        } else {
            mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER);
        }
    }
}

static void tell_user(const mca_part_ucx_endpoint_t *endpoint)
{
    static bool told;

    if (!told) {
        told = true;
        mca_part_ucx_help("path-lost", endpoint->path->device.name,
                          mca_part_ucx_peer_host(endpoint->peer), endpoint->outage.why);
    }
}

/*
 * Closing ends the connections to all processes of the other host, which are to fail over. Where
 * one of them has died, all of its paths are lost at once. If all were closed, nothing would be
 * left to fail over to; so the last one waits until Open MPI may have told. Of a process that has
 * died nothing has to be closed.
 */
static bool may_have_died(mca_part_ucx_endpoint_t *endpoint, double now)
{
    mca_part_ucx_failover_outage_t *outage = &endpoint->outage;

    if (mca_part_ucx_presence_has_died(endpoint->peer)) {
        return true;
    }
    if (!mca_part_ucx_presence_tells_death() || mca_part_ucx_peer_is_reachable(endpoint->peer)) {
        return false;
    }
    if (0 == outage->alone) {
        outage->alone = now;
    }
    return now - outage->alone < PART_UCX_DEATH_WITHIN;
}

static void close_lost(mca_part_ucx_endpoint_t *endpoint, double now)
{
    endpoint->outage.alone = 0;
    if (!endpoint->outage.fell) {
        mca_part_ucx_failover_outage_close(endpoint);
        return;
    }
    mca_part_ucx_failover_comeback_lost(&endpoint->outage, now);
    tell_user(endpoint);
    tell_channels(endpoint, false);
    mca_part_ucx_failover_outage_close(endpoint);
    tell_channels(endpoint, true);
}

/* ---- an endpoint of a channel ---- */

static void speak(mca_part_ucx_channel_t *channel, mca_part_ucx_endpoint_t *endpoint, double now)
{
    mca_part_ucx_failover_outage_t *outage = &endpoint->outage;
    uint32_t epoch;

    if (!channel->fails_over || PART_UCX_MATCHED != mca_part_ucx_channel_state(channel)
        || mca_part_ucx_channel_peer_ended(channel, &epoch)) {
        return; /* the peer may not know it any more */
    }
    if (PART_UCX_ENDPOINT_TRYING == atomic_load(&outage->state)) {
        mca_part_ucx_failover_comeback(channel, endpoint, now);
        return;
    }
    if (atomic_exchange(&outage->wants_down, false)) {
        mca_part_ucx_failover_news_say(channel, endpoint, true);
    }
    if (!mca_part_ucx_failover_outage_is_agreed(endpoint) && now - outage->told > REPEAT) {
        outage->told = now;
        mca_part_ucx_failover_news_say(channel, endpoint, false);
    }
    mca_part_ucx_failover_comeback(channel, endpoint, now);
}

/* The peer may have given up a generation that this end has never heard of. */
static void catch_up(mca_part_ucx_endpoint_t *endpoint)
{
    uint32_t heard = atomic_load(&endpoint->outage.heard_down);

    if (heard > atomic_load(&endpoint->outage.generation) + 1) {
        atomic_store(&endpoint->outage.generation, heard - 1);
    }
}

static void look_at_endpoint(mca_part_ucx_channel_t *channel, mca_part_ucx_endpoint_t *endpoint,
                             double now)
{
    if (mca_part_ucx_failover_outage_is_agreed(endpoint)) {
        mca_part_ucx_failover_outage_give_up(endpoint, "the peer has given it up");
    }
    if (PART_UCX_ENDPOINT_LOST == atomic_load(&endpoint->outage.state)
        && !may_have_died(endpoint, now)) {
        close_lost(endpoint, now);
    }
    if (PART_UCX_ENDPOINT_CLOSING == atomic_load(&endpoint->outage.state)) {
        mca_part_ucx_failover_outage_end_close(endpoint);
    }
    if (!mca_part_ucx_endpoint_is_up(endpoint)) {
        catch_up(endpoint);
        speak(channel, endpoint, now);
    }
}

/* ---- is it alive? ---- */

/* Looks without a carrier after which a path is given up that is not the only one. */
#define DARK_LOOKS 2u

/* Nobody has looked for a while, so that what was seen last does not count. */
static bool is_long_ago(double looked, double now)
{
    return now - looked > 4 * INTERVAL;
}

static bool hangs(const mca_part_ucx_endpoint_t *endpoint)
{
    return mca_part_ucx_failover_sockets_hang(endpoint->path->event_fd,
                                              &endpoint->path->device.subnet,
                                              &endpoint->peer->remote[endpoint->remote].subnet);
}

/* For all endpoints on a path. */
static void look_for_carrier(mca_part_ucx_path_t *path, double now)
{
    mca_part_ucx_failover_carrier_t *carrier = &path->carrier;
    bool anew = is_long_ago(carrier->looked, now);

    if (now - carrier->looked < INTERVAL) {
        return; /* or somebody is in a hurry for other reasons */
    }
    carrier->looked = now;
    if (!mca_part_ucx_failover_carrier_is_lost(path->device.name)) {
        carrier->dark = 0;
    } else {
        carrier->dark = anew ? 1 : carrier->dark + 1;
    }
}

/* Its own cable is out, and there is another path: no need to wait. Where all cables are out, that
 * may be a switch which is back in a moment. */
static bool is_dark(const mca_part_ucx_endpoint_t *endpoint, mca_part_ucx_endpoint_t *const *list,
                    uint32_t count)
{
    bool other = false;

    for (uint32_t i = 0; i < count; ++i) {
        other = other || (mca_part_ucx_endpoint_is_up(list[i]) && 0 == list[i]->path->carrier.dark);
    }
    return other && endpoint->path->carrier.dark >= DARK_LOOKS;
}

/* One of a channel's endpoints. */
static void doubt(mca_part_ucx_endpoint_t *endpoint, mca_part_ucx_endpoint_t *const *list,
                  uint32_t count, double now)
{
    mca_part_ucx_failover_outage_t *outage = &endpoint->outage;

    if (!mca_part_ucx_endpoint_is_up(endpoint) || now == outage->looked) {
        return;
    }
    if (is_long_ago(outage->looked, now) || !hangs(endpoint)) {
        outage->well = now;
    }
    outage->looked = now;
    if (is_dark(endpoint, list, count)) {
        mca_part_ucx_failover_outage_give_up(endpoint, "its device has no carrier");
    } else if (now - outage->well >= mca_part_ucx_params.path_timeout) {
        mca_part_ucx_failover_outage_give_up(endpoint,
                                             "the other host does not acknowledge what is sent");
    } else if (now - outage->probed > PROBE_EVERY) {
        outage->probed = now;
        mca_part_ucx_event_probe(endpoint);
    }
}

static bool lasts(mca_part_ucx_channel_t *channel, double now)
{
    mca_part_ucx_advance_t *seen = &channel->advance;
    uint32_t epoch = atomic_load(&channel->epoch);

    if (!atomic_load(&channel->running) || epoch != seen->epoch) {
        *seen = (mca_part_ucx_advance_t) {.epoch = epoch, .since = now};
        return false;
    }
    return now - seen->since > PATIENCE;
}

static void look_at_channel(mca_part_ucx_channel_t *channel, double now)
{
    mca_part_ucx_endpoint_t *list[PART_UCX_MAX_PATHS];
    uint32_t count = channel->side->endpoints(channel, list);
    bool doubted = lasts(channel, now); /* also one that declines: it is to end soon */

    for (uint32_t i = 0; i < count; ++i) {
        if (list[i]->fails_over && (doubted || !mca_part_ucx_endpoint_is_up(list[i]))) {
            look_for_carrier(list[i]->path, now);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (list[i]->fails_over && doubted) {
            doubt(list[i], list, count, now);
        }
        if (list[i]->fails_over) {
            look_at_endpoint(channel, list[i], now);
        }
    }
}

static bool is_time(double *now)
{
    static mca_part_ucx_looks_t looks;
    bool hurry = atomic_load_explicit(&mca_part_ucx_process.watch_soon, memory_order_relaxed);

    return mca_part_ucx_clock_due(&looks, CALLS_PER_LOOK, INTERVAL, hurry, now);
}

void mca_part_ucx_failover_health(void)
{
    mca_part_ucx_channel_t *channel;
    uint32_t next = 0;
    double now;

    if (0 == mca_part_ucx_params.failover || mca_part_ucx_process.closing || !is_time(&now)) {
        return;
    }
    while (NULL != (channel = mca_part_ucx_table_next(&mca_part_ucx_channels, &next))) {
        if (0 != atomic_load(&channel->peer_key)) {
            look_at_channel(channel, now);
        }
    }
}
