/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What of a unit leaves (see part_ucx_post.h).
 *
 * `sent` says which segments of a unit have left; neighbours leave in one message. The one message
 * after which nothing of the epoch is left on the path may complete the request, so the send is not
 * touched after it.
 */
#include "channel/part_ucx_post.h"

#include "base/part_ucx_clock.h"
#include "channel/part_ucx_delivery.h"
#include "channel/part_ucx_traffic.h"

#include "opal/mca/threads/thread_usage.h"

typedef enum runs_t {
    RUNS_NO_ROOM, /* the window is full; call again later */
    RUNS_POSTED,
    RUNS_LAST     /* nothing of this epoch is left on the path: the send may be gone */
} runs_t;

/* An entry of `sent` between being chosen for posting and being posted. */
static uint32_t chosen(uint32_t epoch)
{
    return epoch ^ 0x80000000u;
}

static uint32_t pair_of(const mca_part_ucx_partial_t *partial)
{
    return (uint32_t) (partial - partial->send->partial);
}

/* The first unit to look at: that of the pair, or, where units have been dealt, of all; ... */
static uint32_t first_of(const mca_part_ucx_partial_t *partial)
{
    return mca_part_ucx_send_is_dealt(partial->send) ? 0 : pair_of(partial);
}

/* ... and how far it is to the next. */
static uint32_t step_of(const mca_part_ucx_partial_t *partial)
{
    return mca_part_ucx_send_is_dealt(partial->send) ? 1 : partial->send->super.map.pairs;
}

static mca_part_ucx_traffic_t *traffic_of(const mca_part_ucx_partial_t *partial)
{
    return mca_part_ucx_traffic_of(partial->send->endpoint[pair_of(partial)]->path);
}

static void partial_unlink(mca_part_ucx_partial_t *partial)
{
    if (NULL == partial->back) {
        return;
    }
    *partial->back = partial->next;
    if (NULL != partial->next) {
        partial->next->back = partial->back;
    } else {
        traffic_of(partial)->partial_tail = partial->back;
    }
    partial->back = NULL;
}

/* Behind all others. */
static void partial_link(mca_part_ucx_partial_t *partial)
{
    mca_part_ucx_traffic_t *traffic = traffic_of(partial);

    partial->next = NULL;
    partial->back = traffic->partial_tail;
    *partial->back = partial;
    traffic->partial_tail = &partial->next;
}

/* Choose the marked, unsent segments of a range; returns how many are marked, sent or not. */
static uint32_t choose_marked(mca_part_ucx_send_t *send, uint32_t first, uint32_t count)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    uint32_t marked = 0;

    for (uint32_t i = first; i < first + count; ++i) {
        atomic_uint *mark = &send->marked[mca_part_ucx_map_partition_of(map, i)];

        if (epoch == atomic_load_explicit(mark, memory_order_acquire)) {
            ++marked;
            if (epoch != send->sent[i]) {
                send->sent[i] = chosen(epoch);
            }
        }
    }
    return marked;
}

/* Post one run of chosen segments. */
static runs_t post_run(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first, uint32_t run)
{
    mca_part_ucx_partial_t *partial = &send->partial[pair];
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    bool last = run == partial->unsent;
    bool linked = NULL != partial->back;

    for (uint32_t i = first; i < first + run; ++i) {
        send->sent[i] = epoch;
    }
    partial->unsent -= run;
    if (last) {
        partial_unlink(partial);
    }
    if (mca_part_ucx_delivery_post(send, pair, first, run)) {
        return last ? RUNS_LAST : RUNS_POSTED;
    }
    if (last && linked) {
        partial_link(partial);
    }
    partial->unsent += run;
    for (uint32_t i = first; i < first + run; ++i) {
        send->sent[i] = chosen(epoch);
    }
    return RUNS_NO_ROOM;
}

/* Post the chosen segments of a unit, neighbours together. */
static runs_t post_chosen(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first, uint32_t end)
{
    uint32_t wanted = chosen(mca_part_ucx_send_epoch(send));

    while (first < end) {
        uint32_t run = 0;
        runs_t outcome;

        while (first + run < end && send->sent[first + run] == wanted) {
            ++run;
        }
        if (0 == run) {
            ++first;
            continue;
        }
        outcome = post_run(send, pair, first, run);
        if (RUNS_POSTED != outcome) {
            return outcome;
        }
        first += run;
    }
    return RUNS_POSTED;
}

bool mca_part_ucx_post_unit(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    mca_part_ucx_unit_t *unit = PART_UCX_CONTAINER(work, mca_part_ucx_unit_t, work);
    mca_part_ucx_send_t *send = unit->send;
    uint32_t index = (uint32_t) (unit - send->unit);
    uint32_t pair = mca_part_ucx_send_pair(send, index);
    uint32_t first, count;

    if (1 == send->super.map.group) {
        return mca_part_ucx_delivery_post_unit(path, work); /* until it is cut otherwise */
    }
    if (mca_part_ucx_channel_is_over(&send->super)) {
        return true; /* completed with an error; the buffer is the user's again */
    }
    mca_part_ucx_map_unit(&send->super.map, index, &first, &count);
    (void) choose_marked(send, first, count);
    return RUNS_NO_ROOM != post_chosen(send, pair, first, first + count);
}

/* ---- partly filled units: a lone partition must not wait for its neighbours for ever ---- */

bool mca_part_ucx_post_partial(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    mca_part_ucx_partial_t *partial = PART_UCX_CONTAINER(work, mca_part_ucx_partial_t, work);

    (void) path;
    partial->since_ns = mca_part_ucx_clock_ns();
    partial->at = first_of(partial);
    partial_link(partial);
    return true;
}

/*
 * Post what is marked in a partly filled unit whose gate is open. A thread between its mark and the
 * addition that counts it is waited for where the numbers show it; where they do not, because
 * another one has marked and counted meanwhile, that does no harm: without it the unit, and so the
 * epoch, cannot complete.
 */
static runs_t release_unit(mca_part_ucx_send_t *send, uint32_t pair, uint32_t unit)
{
    uint32_t marks = atomic_load(&send->unit[unit].marks);
    uint32_t first, count, marked;
    runs_t outcome;

    if (PART_UCX_UNIT_OPEN == marks || send->unit[unit].looked == marks) {
        return RUNS_POSTED; /* nothing, or nothing since the last look */
    }
    mca_part_ucx_map_unit(&send->super.map, unit, &first, &count);
    marked = choose_marked(send, first, count);
    if (0 == marked || marked == count || !mca_part_ucx_send_is_open(send)
        || (marked | PART_UCX_UNIT_OPEN) != atomic_load(&send->unit[unit].marks)) {
        return RUNS_POSTED; /* nothing, or whoever filled it pushes it, or one is on its way */
    }
    outcome = post_chosen(send, pair, first, first + count);
    if (RUNS_POSTED == outcome) {
        send->unit[unit].looked = marked | PART_UCX_UNIT_OPEN;
    }
    return outcome;
}

/* How many units one call looks at: others wait for the lock, and each has its turn. One of more
 * segments than these counts as several. */
#define RELEASE_UNITS 64u
#define RELEASE_SEGMENTS 1024u

/* Look at the units of a send from where the last call ended. `left`: so many may be looked at. */
static runs_t release_send(mca_part_ucx_partial_t *partial, uint32_t *left)
{
    mca_part_ucx_send_t *send = partial->send;
    uint32_t step = step_of(partial);
    uint32_t units = send->super.map.units;
    uint32_t cost = 1 + send->super.map.group / RELEASE_SEGMENTS;
    runs_t outcome = RUNS_POSTED;

    for (; partial->at < units && 0 != *left && RUNS_POSTED == outcome; partial->at += step) {
        *left -= cost < *left ? cost : *left;
        if (mca_part_ucx_send_pair(send, partial->at) != pair_of(partial)) {
            continue; /* dealt to another one */
        }
        outcome = release_unit(send, pair_of(partial), partial->at);
        if (RUNS_LAST == outcome) {
            return outcome; /* it may be gone */
        }
    }
    if (partial->at >= units || RUNS_NO_ROOM == outcome) { /* it had its turn */
        partial->at = first_of(partial);
        partial_unlink(partial);
        partial_link(partial);
    }
    return outcome;
}

/* A thread that waits inside MPI has nothing better to do than to send what there is. Where others
 * may mark meanwhile, their neighbours are waited for; where none can, only to the next look. */
#define HOLD_WAITING_NS UINT64_C(2000)

static uint64_t hold_of(const mca_part_ucx_path_t *path)
{
    if (!path->waiting) {
        return (uint64_t) mca_part_ucx_params.hold * 1000;
    }
    return opal_using_threads() ? HOLD_WAITING_NS : 1;
}

int mca_part_ucx_post_release(mca_part_ucx_path_t *path)
{
    uint64_t hold = hold_of(path);
    uint64_t now = mca_part_ucx_clock_ns();
    uint64_t posted = atomic_load_explicit(&path->counters.units, memory_order_relaxed);
    uint32_t left = RELEASE_UNITS;
    runs_t outcome = RUNS_POSTED;
    mca_part_ucx_partial_t *partial;

    while (0 != left && RUNS_NO_ROOM != outcome
           && NULL != (partial = mca_part_ucx_traffic_of(path)->partial)) {
        if (mca_part_ucx_channel_is_over(&partial->send->super)) {
            partial_unlink(partial); /* completed with an error; the buffer is the user's again */
            --left;
            continue;
        }
        if (partial->at == first_of(partial)) {
            if (now - partial->since_ns < hold) {
                break; /* the others have been looked at later */
            }
            partial->since_ns = now;
        }
        outcome = release_send(partial, &left);
    }
    return posted != atomic_load_explicit(&path->counters.units, memory_order_relaxed);
}
