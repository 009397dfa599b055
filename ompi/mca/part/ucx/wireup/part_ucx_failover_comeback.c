/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opening endpoints anew (see part_ucx_failover_comeback.h). All under the set-up lock.
 */
#include "wireup/part_ucx_failover_comeback.h"

#include "channel/part_ucx_failover_news.h"
#include "path/part_ucx_failover_knock.h"
#include "path/part_ucx_failover_outage.h"
#include "process/part_ucx_log.h"

#include <unistd.h>

#include "opal/util/proc.h"

/* Seconds from one attempt to the next: a part of the time that it is dead, within these bounds.
 * The lower one doubles each time that it is lost within so many seconds after it has come back: a
 * cable that goes in and out holds up all that uses the path each time. */
#define RETRY_PART  8.0
#define RETRY_LEAST 1.0
#define RETRY_MOST  30.0
#define FLAP_WITHIN 30.0
#define FLAPS_MOST  5u

/* Seconds for an answer. */
#define ANSWER_WITHIN 3.0

/* One of the two asks: the one whose name comes first. */
static bool asks(const mca_part_ucx_endpoint_t *endpoint)
{
    return opal_compare_proc(OPAL_PROC_MY_NAME, endpoint->peer->name) < 0;
}

void mca_part_ucx_failover_comeback_lost(mca_part_ucx_failover_outage_t *outage, double now)
{
    bool flaps = 0 != outage->back && now - outage->back < FLAP_WITHIN;

    outage->since = now;
    outage->flaps = !flaps ? 0 : outage->flaps < FLAPS_MOST ? outage->flaps + 1 : FLAPS_MOST;
}

static void is_back(mca_part_ucx_endpoint_t *endpoint, double now)
{
    mca_part_ucx_path_tally(&mca_part_ucx_endpoints_back, 1);
    PART_UCX_VERBOSE(1, "path %d: the way to %s is back", endpoint->path->index,
                     mca_part_ucx_peer_host(endpoint->peer));
    endpoint->outage.back = now;
    endpoint->outage.retry = 0;
    endpoint->outage.told = 0;
}

/* The longer it is dead, the later. */
static void put_off(mca_part_ucx_failover_outage_t *outage, double now)
{
    double patience = (now - outage->since) / RETRY_PART;
    double least = RETRY_LEAST * (1u << outage->flaps);

    patience = patience < least ? least : patience;
    outage->retry = now + (patience < RETRY_MOST ? patience : RETRY_MOST);
}

/* Does the other host answer? Asks if it is time. */
static bool answers(mca_part_ucx_endpoint_t *endpoint, double now)
{
    mca_part_ucx_failover_outage_t *outage = &endpoint->outage;
    mca_part_ucx_failover_knock_t answer;

    if (0 == outage->knock) {
        if (0 == outage->retry) {
            put_off(outage, now);
        }
        if (now >= outage->retry && 0 == endpoint->path->carrier.dark) { /* its own cable is in */
            put_off(outage, now);
            outage->knock =
                1
                + mca_part_ucx_failover_knock(&endpoint->path->device.subnet,
                                              &endpoint->peer->remote[endpoint->remote].subnet);
        }
        return false;
    }
    answer = mca_part_ucx_failover_knock_answer(outage->knock - 1);
    if (PART_UCX_FAILOVER_KNOCK_SILENT != answer || now >= outage->retry) {
        (void) close(outage->knock - 1);
        outage->knock = 0;
    }
    return PART_UCX_FAILOVER_KNOCK_THERE == answer;
}

static void ask(mca_part_ucx_channel_t *channel, mca_part_ucx_endpoint_t *endpoint, double now)
{
    uint32_t next = atomic_load(&endpoint->outage.generation) + 1;

    if (!answers(endpoint, now)) {
        return;
    }
    atomic_store(&endpoint->outage.generation, next);
    if (mca_part_ucx_endpoint_connect(endpoint, PART_UCX_ENDPOINT_TRYING)) {
        endpoint->outage.retry = now + ANSWER_WITHIN;
        endpoint->outage.told = 0;
        mca_part_ucx_failover_news_say_back(channel, endpoint);
    }
}

/* The peer has opened it: so it knows that this one was DOWN. */
static void follow(mca_part_ucx_channel_t *channel, mca_part_ucx_endpoint_t *endpoint, double now)
{
    uint32_t theirs = atomic_load(&endpoint->outage.heard_back);

    atomic_store(&endpoint->outage.generation, theirs);
    if (mca_part_ucx_endpoint_connect(endpoint, PART_UCX_ENDPOINT_UP)) {
        is_back(endpoint, now);
        mca_part_ucx_failover_news_say_back(channel, endpoint);
    }
}

static void try_on(mca_part_ucx_endpoint_t *endpoint, double now)
{
    if (atomic_load(&endpoint->outage.heard_back) == atomic_load(&endpoint->outage.generation)) {
        mca_part_ucx_path_lock(endpoint->path);
        if (PART_UCX_ENDPOINT_TRYING == atomic_load(&endpoint->outage.state)) {
            atomic_store(&endpoint->outage.state, PART_UCX_ENDPOINT_UP);
        }
        mca_part_ucx_path_unlock(endpoint->path);
        is_back(endpoint, now);
    } else if (now >= endpoint->outage.retry) {
        mca_part_ucx_failover_outage_give_up(endpoint, "no answer");
        endpoint->outage.retry = 0;
    }
}

void mca_part_ucx_failover_comeback(mca_part_ucx_channel_t *channel,
                                    mca_part_ucx_endpoint_t *endpoint, double now)
{
    mca_part_ucx_failover_outage_t *outage = &endpoint->outage;

    if (PART_UCX_ENDPOINT_TRYING == atomic_load(&outage->state)) {
        try_on(endpoint, now);
    } else if (PART_UCX_ENDPOINT_DOWN != atomic_load(&outage->state)
               || !mca_part_ucx_failover_outage_is_agreed(endpoint)) {
        return;
    } else if (asks(endpoint)) {
        ask(channel, endpoint, now);
    } else if (atomic_load(&outage->heard_back) > atomic_load(&outage->generation)) {
        follow(channel, endpoint, now);
    }
}
