/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Looking after requests that do not get on (see part_ucx_watch.h).
 */
#include "wireup/part_ucx_watch.h"

#include "base/part_ucx_help.h"
#include "channel/part_ucx_leave.h"
#include "wireup/part_ucx_presence.h"
#include "channel/part_ucx_request.h"
#include "wireup/part_ucx_setup.h"

#include <time.h>

/* How many calls of mca_part_ucx_watch() go by between two looks at the clock. */
#define CALLS_PER_LOOK 16u

/* Seconds between two looks. */
#define INTERVAL 1.0

/* Fault tolerance is an extension of MPI 4. */
#ifdef MPI_ERR_PROC_FAILED
#    define PART_UCX_ERR_PEER_DIED MPI_ERR_PROC_FAILED
#else
#    define PART_UCX_ERR_PEER_DIED MPI_ERR_OTHER
#endif

/* Seconds that an unmatched request may wait before its peer is asked about. */
#define ASK_AFTER 2.0

/* Seconds for what a process that has died had sent: it is in this host's sockets, or it never
 * comes, and UCX does not say. */
#define FETCH_PATIENCE 1.0

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Open MPI has been told that the peer's process has ended (it must have been started with fault
 * tolerance; else such a job is ended). */
static bool has_died(const mca_part_ucx_peer_t *peer)
{
#if OPAL_ENABLE_FT_MPI
    return !ompi_proc_is_active(peer->proc);
#else
    (void) peer;
    return false;
#endif
}

/* There is nobody whom the request could wait for, but its own end must have let go of the
 * buffer. */
static void peer_died(mca_part_ucx_request_t *request, double now)
{
    mca_part_ucx_peer_t *peer = request->peer;
    int other = MPI_ERR_OTHER;

    if (!peer->absence_told) {
        peer->absence_told = true;
        mca_part_ucx_help("peer-died", request->peer_rank, mca_part_ucx_peer_host(peer->proc));
    }
    if (!request->died_seen) {
        request->died_seen = true;
        request->watched_since = now;
    }
    atomic_store(&request->leaving, true); /* nobody else completes it */
    mca_part_ucx_request_give_up(request, PART_UCX_ERR_PEER_DIED);
    (void) atomic_compare_exchange_strong(&request->error, &other, PART_UCX_ERR_PEER_DIED);
    /* Then this: handlers that have seen the link before run under locks that it takes. */
    mca_part_ucx_paths_lose(peer);
    if (mca_part_ucx_leave_fetches(request)) { /* what the peer had sent before */
        if (now - request->watched_since <= FETCH_PATIENCE) {
            mca_part_ucx_watch_soon();
            return;
        }
        mca_part_ucx_leave_tell_uncertain(request, FETCH_PATIENCE);
    }
    mca_part_ucx_request_finish(request);
}

/* Nothing has met this request for a while: can anything ever? */
static void watch_open(mca_part_ucx_request_t *request)
{
    mca_part_ucx_peer_t *peer = request->peer;

    if (!mca_part_ucx_presence_lacks(peer)) {
        return;
    }
    if (!peer->absence_told) {
        peer->absence_told = true;
        mca_part_ucx_help("peer-without-component", request->peer_rank,
                          mca_part_ucx_peer_host(peer->proc));
    }
    mca_part_ucx_request_fail(request, MPI_ERR_OTHER);
}

static bool all_marked(mca_part_ucx_send_t *send)
{
    uint32_t epoch = atomic_load(&send->super.epoch);

    for (uint32_t i = 0; i < send->super.partitions; ++i) {
        if (epoch != atomic_load_explicit(&send->marked[i], memory_order_relaxed)) {
            return false;
        }
    }
    return true;
}

/* Has everything that is to leave in this epoch, or for a link anything, been handed over? */
static bool has_work(mca_part_ucx_send_t *send)
{
    uint32_t left = send->super.map.segments - atomic_load(&send->remaining);

    return NULL != send->super.piece ? atomic_load(&send->pushed) > left : all_marked(send);
}

/* A send that has all it needs and does not get on: the network is stuck. */
static void watch_send(mca_part_ucx_send_t *send, double now)
{
    mca_part_ucx_request_t *base = &send->super;
    uint32_t epoch = atomic_load(&base->epoch);
    uint32_t remaining = atomic_load(&send->remaining);

    if ((int32_t) (epoch - atomic_load(&send->ready_epoch)) > 0 || !has_work(send)
        || remaining != base->watched_remaining) {
        base->watched_remaining = remaining;
        base->watched_since = now;
        return;
    }
    if (!base->stall_told && now - base->watched_since > mca_part_ucx.params.stall) {
        base->stall_told = true;
        mca_part_ucx_help("stalled", base->peer_rank, mca_part_ucx_peer_host(base->peer->proc),
                          base->tag, mca_part_ucx.params.stall, remaining, base->map.segments);
    }
}

static void watch_request(mca_part_ucx_request_t *request, double now)
{
    uint32_t epoch = atomic_load(&request->epoch);
    int link = mca_part_ucx_request_link(request);
    bool running = atomic_load(&request->running);

    if (has_died(request->peer)) {
        if (running) {
            peer_died(request, now);
        }
    } else if (mca_part_ucx_leave_has_to(request)) {
        mca_part_ucx_leave(request, now);
        if (running && atomic_load(&request->running)) {
            mca_part_ucx_watch_soon();
        }
    } else if (!running) {
        return;
    } else if (request->watched_epoch != epoch) {
        request->watched_epoch = epoch;
        request->watched_since = now;
        request->stall_told = false;
    } else if (PART_UCX_LINK_OPEN == link && request->mismatched
               && now - request->watched_since > ASK_AFTER) {
        mca_part_ucx_setup_mismatch(request); /* its sender has neither started nor withdrawn */
    } else if (PART_UCX_LINK_OPEN == link && now - request->watched_since > ASK_AFTER) {
        watch_open(request);
    } else if (PART_UCX_LINK_READY == link && mca_part_ucx_request_is_send(request)
               && 0 != mca_part_ucx.params.stall) {
        watch_send((mca_part_ucx_send_t *) request, now);
    }
}

void mca_part_ucx_watch_soon(void)
{
    atomic_store(&mca_part_ucx.watch_soon, true);
}

static bool is_time(double *now)
{
    static unsigned calls; /* under the set-up lock */
    static double looked;
    bool hurry = atomic_load_explicit(&mca_part_ucx.watch_soon, memory_order_relaxed)
                 && atomic_exchange(&mca_part_ucx.watch_soon, false);

    if (mca_part_ucx.closing || (!hurry && 0 != ++calls % CALLS_PER_LOOK)) {
        return false;
    }
    *now = now_seconds();
    if (!hurry && *now - looked < INTERVAL) {
        return false;
    }
    looked = *now;
    return true;
}

void mca_part_ucx_watch(void)
{
    uint32_t slots = mca_part_ucx_table_slots(&mca_part_ucx.table);
    double now;

    if (!is_time(&now)) {
        return;
    }
    for (uint32_t i = 0; i < slots; ++i) {
        mca_part_ucx_request_t *request = mca_part_ucx_table_at(&mca_part_ucx.table, i);

        if (NULL != request) {
            watch_request(request, now);
        }
    }
}
