/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Marks, and the gate (see part_ucx_gate.h).
 *
 * Both facts meet in one atomic word per unit, `marks`: every marking thread adds one, opening the
 * gate adds UNIT_OPEN, and the thread whose addition makes it complete pushes the unit, alone.
 * After its addition a thread that is not that one touches the channel no more; so the request may
 * complete, restart or be freed while such a thread is still on its way out of MPI_Pready.
 */
#include "channel/part_ucx_gate.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_bundle.h"
#include "channel/part_ucx_delivery.h"
#include "channel/part_ucx_failover_resend.h"
#include "channel/part_ucx_fastbox.h"
#include "channel/part_ucx_pair_choice.h"
#include "channel/part_ucx_regroup.h"
#include "path/part_ucx_helper.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_process.h"

#include "opal/mca/threads/thread_usage.h"

/* ---- the gate ---- */

/* All pieces of an epoch have gone into boxes. */
static void count_boxed(mca_part_ucx_send_t *send)
{
    mca_part_ucx_counters_t *counters = &send->endpoint[0]->path->counters;

    atomic_fetch_add_explicit(&counters->boxed_bytes, send->super.map.total, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->boxed_units, send->super.map.segments,
                              memory_order_relaxed);
}

/* Of a link with boxes: the receiver has a piece, or soon sees it. */
static void count_down(mca_part_ucx_send_t *send)
{
    if (1 == atomic_fetch_sub(&send->remaining, 1)) {
        count_boxed(send);
        mca_part_ucx_channel_finish(&send->super);
    }
}

/* A piece may leave. True: it has gone into its box, and is to be counted. Else a path has got it,
 * alone or with others, and the send may be gone; or the link has failed. */
static bool push_piece(mca_part_ucx_send_t *send, uint32_t piece)
{
    mca_part_ucx_unit_t *object = &send->unit[piece];
    uint32_t pair;

    if (mca_part_ucx_send_is_boxed(send)) {
        return mca_part_ucx_fastbox_put(send, piece);
    }
    atomic_store_explicit(&object->marks, 0, memory_order_release);
    if (mca_part_ucx_bundle_takes(send, piece)) {
        mca_part_ucx_bundle_push(send, piece);
        return false;
    }
    pair = mca_part_ucx_send_choose(send, piece,
                                    atomic_fetch_add_explicit(&send->pushed, 1,
                                                              memory_order_relaxed));
    mca_part_ucx_send_load(send, piece, pair);
    mca_part_ucx_path_push(send->endpoint[pair]->path, &object->work);
    return false;
}

/* Give a complete unit to its path; returns the path's bit, but of a piece, which is not driven at
 * once, 0. The send may be gone afterwards. */
static uint32_t push_unit(mca_part_ucx_send_t *send, uint32_t unit)
{
    mca_part_ucx_unit_t *object = &send->unit[unit];
    mca_part_ucx_path_t *path;

    if (NULL != send->super.piece) {
        if (push_piece(send, unit)) {
            send->super.observer->moved(send->super.context, unit);
            count_down(send);
        }
        return 0;
    }
    path = send->endpoint[mca_part_ucx_send_pair(send, unit)]->path;
    /* For the next epoch; to mca_part_ucx_send_side it says that what was placed is in place. */
    atomic_store_explicit(&object->marks, 0, memory_order_release);
    mca_part_ucx_path_push(path, &object->work);
    return 1u << path->index;
}

/* Are there units in this epoch of which a part may leave? */
static bool fills(const mca_part_ucx_send_t *send)
{
    return NULL != send->partial && send->super.map.group > 1;
}

/* Start and READY of an epoch have both happened: units that are complete may leave. */
static void open_gate(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t units = map->units;
    uint32_t first, count;

    for (uint32_t i = 0; fills(send) && i < map->pairs; ++i) {
        if (0 != send->partial[i].unsent) {
            mca_part_ucx_path_push(send->endpoint[i]->path, &send->partial[i].work);
        }
    }
    for (uint32_t unit = 0; unit < units; ++unit) {
        mca_part_ucx_map_unit(map, unit, &first, &count);
        if (atomic_fetch_add(&send->unit[unit].marks, PART_UCX_UNIT_OPEN) == count) {
            atomic_uint_least64_t *waits
                = &send->endpoint[mca_part_ucx_send_pair(send, unit)]->path->counters.waits;

            atomic_fetch_add_explicit(waits, 1, memory_order_relaxed);
            (void) push_unit(send, unit);
        }
    }
}

/*
 * What goes by rendezvous is fetched by the receiver when it has started the epoch, so it may be
 * offered before that is known; it saves the way of READY. Not in the first epoch: until then the
 * receive may be freed and another one take its place. And only one unit, which needs no room in
 * the window: an offer may have to wait for long, and must not keep others waiting.
 */
static bool is_gated(const mca_part_ucx_send_t *send, uint32_t epoch)
{
    return 0 == send->early || 1 == epoch;
}

/*
 * The gate of an epoch opens when READY has named one that is near enough, be that before the epoch
 * starts here or after it: without credit that epoch, with credit one so many before it. Both who
 * starts it and who hears READY look, each after having said its own; the exchange lets one of them
 * go on. One that stands still between its looks, while the other goes on with the next epoch, must
 * find that its own is over: so the gate goes forward only. Not before the first READY.
 */
static void open_if_near(mca_part_ucx_send_t *send)
{
    uint32_t epoch = atomic_load(&send->begun);
    uint32_t opened = atomic_load(&send->opened);
    uint32_t ready = atomic_load(&send->ready_epoch);

    if (0 != ready && mca_part_ucx_epoch_is_after(epoch, opened)
        && mca_part_ucx_epoch_steps(ready, epoch) <= (int32_t) send->credit
        && atomic_compare_exchange_strong(&send->opened, &opened, epoch)) {
        open_gate(send);
    }
}

/* READY says each epoch once, in order. It may leave out epochs whose data were offered before, or
 * that credit spares, and is at most one epoch ahead of the send. A repeated one must not pass the
 * gate. */
static bool is_in_order(mca_part_ucx_send_t *send, uint32_t epoch, uint32_t last)
{
    uint32_t next = mca_part_ucx_epoch_next(last);

    return epoch == next
           || ((0 != send->credit || !is_gated(send, next))
               && mca_part_ucx_epoch_is_after(epoch, next));
}

static bool is_news(mca_part_ucx_send_t *send, uint32_t epoch)
{
    uint32_t last = atomic_load(&send->heeded);
    uint32_t own = mca_part_ucx_send_epoch(send);
    bool possible = !mca_part_ucx_epoch_is_after(epoch, own)
                    || epoch == mca_part_ucx_epoch_next(own);

    while (0 != epoch && possible && is_in_order(send, epoch, last)) {
        if (atomic_compare_exchange_strong(&send->heeded, &last, epoch)) {
            return true;
        } /* it is another one now: see keep_up() */
    }
    return false;
}

static void heed(mca_part_ucx_send_t *send, uint32_t epoch)
{
    if (!is_news(send, epoch)) {
        atomic_fetch_add_explicit(&mca_part_ucx_process.repeats, 1, memory_order_relaxed);
        return;
    }
    mca_part_ucx_send_started(send, epoch);
    open_if_near(send);
}

/* Has the receiver that this send has said something before it was known? Only once. */
void mca_part_ucx_gate_heed_ready(mca_part_ucx_send_t *send)
{
    mca_part_ucx_heard_t *heard = &send->ready;
    uint64_t from = atomic_load(&heard->from);
    /* The exchange lets only one of the handler and set-up go on. */
    bool taken = 0 != from && from == atomic_load(&send->super.peer_key)
                 && from == atomic_exchange(&heard->from, 0);

    if (taken) { /* its epoch not before: that might be of what came before this */
        heed(send, atomic_load(&heard->epoch));
    }
}

void mca_part_ucx_gate_ready(mca_part_ucx_send_t *send, uint64_t from, uint32_t epoch)
{
    /* Of a channel that fails over it comes again, with what is complete there. The first one may
     * overtake ACCEPT, while set-up makes what is needed for that: none has been heeded then. */
    if (0 != epoch && epoch == atomic_load(&send->heeded) && NULL != send->resend) {
        return;
    }
    if (from == atomic_load(&send->super.peer_key)) {
        heed(send, epoch);
    } else if (mca_part_ucx_send_is_settled(&send->super)) {
        atomic_fetch_add_explicit(&mca_part_ucx_process.strays, 1, memory_order_relaxed);
    } else {
        atomic_store(&send->ready.epoch, epoch);
        atomic_store(&send->ready.from, from);
        mca_part_ucx_gate_heed_ready(send);
    }
}

/* ---- epochs ---- */

/* With credit an epoch does not wait for the one before it: so they take different paths. */
static void rotate(mca_part_ucx_send_t *send)
{
    uint32_t pairs = send->super.map.pairs;

    for (uint32_t unit = 0; unit < send->super.map.units; ++unit) {
        send->unit[unit].pair = (unit + mca_part_ucx_send_epoch(send)) % pairs;
    }
}

/* Set what counts down during an epoch. */
static void arm(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t first, count;

    atomic_store_explicit(&send->remaining,
                          map->segments + mca_part_ucx_failover_resend_extra(send),
                          memory_order_relaxed);
    atomic_store_explicit(&send->pushed, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < send->flag_run; ++i) {
        send->flag_source[i] = mca_part_ucx_send_epoch(send);
    }
    if (NULL != send->regroup) {
        mca_part_ucx_regroup(send);
    }
    if (NULL != send->bundler) {
        mca_part_ucx_bundle_begin(send);
    }
    if (send->rotates) {
        rotate(send);
    }
    if (NULL != send->share) {
        mca_part_ucx_pair_choice(send);
    }
    if (!fills(send)) {
        return;
    }
    for (uint32_t i = 0; i < map->pairs; ++i) {
        send->partial[i].unsent = 0;
    }
    for (uint32_t unit = 0; unit < map->units; ++unit) {
        mca_part_ucx_map_unit(map, unit, &first, &count);
        send->partial[mca_part_ucx_send_pair(send, unit)].unsent += count;
        send->unit[unit].looked = 0;
    }
}

/* ---- MPI_Pready ---- */

/*
 * The two steps of a mark. Atomic read-modify-writes are most of what MPI_Pready costs, and where
 * MPI_THREAD_MULTIPLE was not asked for, the program has its threads call one after the other. The
 * helper thread never marks a partition; but it may open the gate, and so change `marks`, unless
 * the send is not gated.
 */
static bool note(mca_part_ucx_send_t *send, uint32_t partition, uint32_t epoch)
{
    atomic_uint *marked = &send->marked[partition];

    if (opal_using_threads()) {
        return epoch != atomic_exchange(marked, epoch);
    }
    if (epoch == atomic_load_explicit(marked, memory_order_relaxed)) {
        return false;
    }
    atomic_store_explicit(marked, epoch, memory_order_release);
    return true;
}

static uint32_t count_mark(mca_part_ucx_send_t *send, uint32_t unit, uint32_t epoch)
{
    atomic_uint *marks = &send->unit[unit].marks;
    uint32_t sum;

    if (opal_using_threads() || is_gated(send, epoch)) {
        return atomic_fetch_add(marks, 1) + 1;
    }
    sum = atomic_load_explicit(marks, memory_order_relaxed) + 1;
    atomic_store_explicit(marks, sum, memory_order_release);
    return sum;
}

/* Mark one partition; false if it was marked before. Collects the paths that got work. */
static bool mark(mca_part_ucx_send_t *send, uint32_t partition, uint32_t epoch, uint32_t *paths)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t segment = partition * map->slices;
    uint32_t slices = map->slices;
    uint32_t units = map->units;
    uint32_t group = map->group;
    uint32_t segments = map->segments;

    if (!note(send, partition, epoch)) {
        return false;
    }
    for (uint32_t i = 0; i < slices; ++i) {
        uint32_t unit = mca_part_ucx_map_unit_of(map, segment + i);
        uint32_t count = unit + 1 == units ? segments - unit * group : group;

        /* Past this addition the request is ours only if it completed the unit. */
        if (count_mark(send, unit, epoch) == (count | PART_UCX_UNIT_OPEN)) {
            mca_part_ucx_delivery_ahead(send, unit);
            *paths |= push_unit(send, unit);
        }
    }
    return true;
}

/* So many epochs: less than what makes an old number look like one to come. */
#define LONG_AGO (UINT32_C(1) << 30)

/*
 * Epochs that are offered need no READY, so the last one may have been heeded any number of epochs
 * ago, and numbers go round. It counts as one that is not so old, but older than any that may still
 * come: else the next READY would look like a repeated one.
 */
static void keep_up(mca_part_ucx_send_t *send)
{
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    uint32_t last = atomic_load_explicit(&send->heeded, memory_order_relaxed);

    if (epoch - last > LONG_AGO) {
        (void) atomic_compare_exchange_strong(&send->heeded, &last, epoch - LONG_AGO / 2);
    }
}

void mca_part_ucx_gate_start(mca_part_ucx_send_t *send)
{
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    uint32_t paths = 0;

    arm(send);
    if (send->self_marking) {
        (void) mark(send, 0, epoch, &paths);
    }
    if (is_gated(send, epoch)) {
        atomic_store(&send->begun, epoch);
        open_if_near(send);
    } else {
        keep_up(send);
        atomic_store(&send->opened, epoch); /* first: READY, looking, must not open it again */
        atomic_store(&send->begun, epoch);
        open_gate(send);
    }
}

/* Before the channel is known: only remember the mark; mca_part_ucx_send_side_build() counts it. */
static int mark_early(mca_part_ucx_send_t *send, size_t low, size_t high, bool *late)
{
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    int rc = MPI_SUCCESS;

    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    *late = PART_UCX_MATCHED == mca_part_ucx_channel_state(&send->super);
    for (size_t i = low; i <= high && !*late && MPI_SUCCESS == rc; ++i) {
        if (epoch == atomic_exchange(&send->marked[i], epoch)) {
            rc = MPI_ERR_ARG;
        }
    }
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    return rc;
}

static void drive_queued(uint32_t paths)
{
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        /* Driving one path may have opened a gate and given work to others. */
        if (0 != (paths >> i & 1) || !mca_part_ucx_queue_empty(&mca_part_ucx_paths.path[i].queue)) {
            mca_part_ucx_path_drive_pushed(&mca_part_ucx_paths.path[i]);
        }
    }
}

int mca_part_ucx_gate_mark(mca_part_ucx_send_t *send, size_t low, size_t high)
{
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    uint32_t paths = 0;
    bool late = true;
    int rc = MPI_SUCCESS;

    if (PART_UCX_MATCHED != mca_part_ucx_channel_state(&send->super)) {
        rc = mark_early(send, low, high, &late);
        if (!late) {
            return rc;
        }
    }
    for (size_t i = low; i <= high; ++i) {
        if (!mark(send, (uint32_t) i, epoch, &paths)) {
            rc = MPI_ERR_ARG;
        }
    }
    if (0 != paths) {
        drive_queued(paths);
        mca_part_ucx_helper_wake();
    }
    return rc;
}

bool mca_part_ucx_gate_mark_piece(mca_part_ucx_send_t *send, uint32_t piece)
{
    /* A link needs no record of what is marked: its owner marks every piece once. */
    if (PART_UCX_UNIT_OPEN != atomic_fetch_add(&send->unit[piece].marks, 1)
        || !push_piece(send, piece)) {
        return false;
    }
    count_down(send);
    return true;
}
