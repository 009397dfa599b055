/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sending end of a channel: MPI_Pready, and who may post a unit when.
 *
 * A unit may leave when all its segments are marked and the receiver is known to have started
 * the epoch (the gate is open). Both facts meet in one atomic word per unit, `marks`: every
 * marking thread adds one, opening the gate adds UNIT_OPEN, and whoever's addition makes it
 * complete pushes the unit, alone. After its addition a thread that is not that one touches the
 * request no more; so the request may complete, restart or be freed while such a thread is still
 * on its way out of MPI_Pready.
 */
#include "channel/part_ucx_send.h"

#include <stdlib.h>
#include <string.h>

#include "opal/mca/threads/thread_usage.h"

/* ---- the gate ---- */

/* The path of the channel that has least to do; which, is a guess while others push, too. */
static uint32_t idlest_pair(const mca_part_ucx_send_t *send, uint32_t first)
{
    uint32_t paths = send->super.map.paths;
    uint32_t best = first % paths;
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < paths && 0 != least; ++i) {
        uint32_t pair = (first + i) % paths;
        uint64_t queued = atomic_load_explicit(&send->endpoint[pair]->path->queued,
                                               memory_order_relaxed);

        if (queued < least) {
            least = queued;
            best = pair;
        }
    }
    return best;
}

/* A piece is on its way to a path: choose which. */
static void load_piece(mca_part_ucx_send_t *send, uint32_t piece)
{
    uint32_t turn = atomic_fetch_add_explicit(&send->pushed, 1, memory_order_relaxed);
    uint32_t pair = idlest_pair(send, turn);

    send->unit[piece].pair = pair;
    atomic_fetch_add_explicit(&send->endpoint[pair]->path->queued, send->super.piece[piece].bytes,
                              memory_order_relaxed);
}

void mca_part_ucx_send_unload(mca_part_ucx_send_t *send, uint32_t piece)
{
    atomic_fetch_sub_explicit(&send->endpoint[send->unit[piece].pair]->path->queued,
                              send->super.piece[piece].bytes, memory_order_relaxed);
}

/* Give a complete unit to its path; returns the path's bit. The send may be gone afterwards. */
static uint32_t push_unit(mca_part_ucx_send_t *send, uint32_t unit)
{
    mca_part_ucx_unit_t *object = &send->unit[unit];
    mca_part_ucx_path_t *path;

    if (NULL != send->super.piece) {
        load_piece(send, unit);
    }
    path = send->endpoint[mca_part_ucx_send_pair(send, unit)]->path;
    /* For the next epoch; to part_ucx_leave.c it says that what was placed is in place. */
    atomic_store_explicit(&object->marks, 0, memory_order_release);
    mca_part_ucx_path_push(path, &object->work);
    return 1u << path->index;
}

/* Start and READY of an epoch have both happened: units that are complete may leave. */
static void open_gate(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t units = map->units;
    uint32_t first, count;

    for (uint32_t i = 0; NULL != send->held && i < map->paths; ++i) {
        if (0 != send->held[i].unsent) {
            mca_part_ucx_path_push(send->endpoint[i]->path, &send->held[i].work);
        }
    }
    for (uint32_t unit = 0; unit < units; ++unit) {
        mca_part_ucx_map_unit(map, unit, &first, &count);
        if (atomic_fetch_add(&send->unit[unit].marks, PART_UCX_UNIT_OPEN) == count) {
            atomic_uint_least64_t *waits
                = &send->endpoint[mca_part_ucx_map_path(map, unit)]->path->counters.waits;

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
    return !send->pulled || 1 == epoch;
}

static void pass_gate(mca_part_ucx_send_t *send)
{
    /* Each epoch passes twice; the peer cannot start the next one before this one is done. */
    if (1 == atomic_fetch_add(&send->gate, 1) % 2) {
        open_gate(send);
    }
}

static void note_event(mca_part_ucx_event_t *event, uint64_t from, uint32_t epoch)
{
    atomic_store(&event->epoch, epoch);
    atomic_store(&event->from, from);
}

/* Is there an event, from the receiver that this send has? Only once, and then its epoch. */
static bool take_event(mca_part_ucx_send_t *send, mca_part_ucx_event_t *event, uint32_t *epoch)
{
    uint64_t from = atomic_load(&event->from);
    /* The exchange lets only one of the handler and set-up go on. */
    bool taken = 0 != from && from == atomic_load(&send->super.peer_key)
                 && from == atomic_exchange(&event->from, 0);

    *epoch = atomic_load(&event->epoch); /* not before: that might be of the event before this */
    return taken;
}

/* What is told of an epoch may come after what is told of the next one. */
static void note_started(mca_part_ucx_send_t *send, uint32_t epoch)
{
    if ((int32_t) (epoch - atomic_load(&send->ready_epoch)) > 0) {
        atomic_store(&send->ready_epoch, epoch);
    }
}

static void heed_ready(mca_part_ucx_send_t *send)
{
    uint32_t epoch;

    if (take_event(send, &send->ready, &epoch)) {
        note_started(send, epoch);
        if (is_gated(send, epoch)) {
            pass_gate(send);
        }
    }
}

static void heed_closed(mca_part_ucx_send_t *send)
{
    uint32_t epoch;

    if (take_event(send, &send->closed, &epoch)) {
        mca_part_ucx_request_peer_closed(&send->super, epoch);
    }
}

void mca_part_ucx_send_heed_early(mca_part_ucx_send_t *send)
{
    heed_ready(send);
    heed_closed(send);
}

void mca_part_ucx_send_peer_ready(mca_part_ucx_send_t *send, uint64_t from, uint32_t epoch)
{
    note_event(&send->ready, from, epoch);
    heed_ready(send);
}

void mca_part_ucx_send_peer_closed(mca_part_ucx_send_t *send, uint64_t from, uint32_t epoch)
{
    note_event(&send->closed, from, epoch);
    heed_closed(send);
}

void mca_part_ucx_send_was_fetched(mca_part_ucx_send_t *send, uint32_t epoch)
{
    note_started(send, epoch);
}

/* ---- epochs ---- */

/* Set what counts down during an epoch. */
static void arm(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t first, count;

    atomic_store_explicit(&send->remaining, map->segments, memory_order_relaxed);
    atomic_store_explicit(&send->pushed, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < send->flag_run; ++i) {
        send->flag_source[i] = mca_part_ucx_send_epoch(send);
    }
    if (NULL == send->held) {
        return;
    }
    for (uint32_t i = 0; i < map->paths; ++i) {
        send->held[i].unsent = 0;
    }
    for (uint32_t unit = 0; unit < map->units; ++unit) {
        mca_part_ucx_map_unit(map, unit, &first, &count);
        send->held[mca_part_ucx_send_pair(send, unit)].unsent += count;
    }
}

int mca_part_ucx_send_adapt(mca_part_ucx_send_t *send)
{
    uint32_t group = send->super.map.group;

    send->pulled = mca_part_ucx_transfer_pulls(send);
    if (PART_UCX_METHOD_MESSAGE == send->super.method || NULL != send->flag_source) {
        return OMPI_SUCCESS;
    }
    send->flag_run = group > PART_UCX_FLAG_RUN ? group : PART_UCX_FLAG_RUN;
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
int mca_part_ucx_send_ready(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t epoch = mca_part_ucx_send_epoch(send);

    send->unit = calloc(map->units, sizeof(*send->unit));
    send->own.own = true;
    if (OMPI_SUCCESS != mca_part_ucx_send_adapt(send)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (map->group > 1) {
        send->sent = calloc(map->segments, sizeof(*send->sent));
        send->held = calloc(map->paths, sizeof(*send->held));
    }
    if (NULL == send->unit || (map->group > 1 && (NULL == send->sent || NULL == send->held))) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (uint32_t i = 0; NULL != send->held && i < map->paths; ++i) {
        send->held[i].send = send;
        send->held[i].pair = i;
        send->held[i].work.post = mca_part_ucx_post_held;
        send->held[i].work.urgent = true;
    }
    for (uint32_t i = 0; i < map->units; ++i) {
        send->unit[i].send = send;
        send->unit[i].work.post = mca_part_ucx_post_unit;
    }
    for (uint32_t i = 0; 0 != epoch && i < map->segments; ++i) {
        if (atomic_load(&send->marked[mca_part_ucx_map_partition_of(map, i)]) == epoch) {
            atomic_fetch_add(&send->unit[mca_part_ucx_map_unit_of(map, i)].marks, 1);
        }
    }
    return OMPI_SUCCESS;
}

void mca_part_ucx_send_unregister(mca_part_ucx_send_t *send)
{
    for (uint32_t i = 0; i < send->super.pairs; ++i) {
        if (NULL != send->endpoint[i]) {
            mca_part_ucx_rkey_destroy(send->endpoint[i]->path, &send->data_rkey[i]);
            mca_part_ucx_rkey_destroy(send->endpoint[i]->path, &send->flag_rkey[i]);
        }
    }
    mca_part_ucx_region_release(send->region);
    send->region = NULL;
}

void mca_part_ucx_send_release(mca_part_ucx_send_t *send)
{
    mca_part_ucx_send_unregister(send);
    free(send->flag_source);
    mca_part_ucx_share_end(send);
    free(send->targets);
    free(send->unit);
    free(send->sent);
    free(send->held);
    free(send->marked);
}

void mca_part_ucx_send_op_done(mca_part_ucx_op_t *op)
{
    mca_part_ucx_send_t *send = op->send;
    uint32_t segment = op->header.segment;
    uint32_t count = op->header.count;

    mca_part_ucx_path_return_op(op);
    if (NULL != send->super.observer) {
        mca_part_ucx_send_unload(send, segment);
        send->super.observer->moved(send->super.context, segment);
    }
    if (atomic_fetch_sub(&send->remaining, count) == count) {
        mca_part_ucx_request_finish(&send->super);
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
            mca_part_ucx_share_ahead(send, unit);
            *paths |= push_unit(send, unit);
        }
    }
    return true;
}

void mca_part_ucx_send_start(mca_part_ucx_send_t *send)
{
    uint32_t paths = 0;

    arm(send);
    if (0 == send->super.partitions) {
        /* There is nothing that the user could mark. */
        (void) mark(send, 0, mca_part_ucx_send_epoch(send), &paths);
    }
    if (is_gated(send, mca_part_ucx_send_epoch(send))) {
        pass_gate(send);
    } else {
        open_gate(send);
    }
}

/* Before the channel is known: only remember the mark; mca_part_ucx_send_ready() counts it. */
static int pready_early(mca_part_ucx_send_t *send, size_t low, size_t high, bool *late)
{
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    int rc = MPI_SUCCESS;

    pthread_mutex_lock(&mca_part_ucx.setup_lock);
    *late = PART_UCX_LINK_READY == mca_part_ucx_request_link(&send->super);
    for (size_t i = low; i <= high && !*late && MPI_SUCCESS == rc; ++i) {
        if (epoch == atomic_exchange(&send->marked[i], epoch)) {
            rc = MPI_ERR_ARG;
        }
    }
    pthread_mutex_unlock(&mca_part_ucx.setup_lock);
    return rc;
}

/* A partition in the range that is marked already is an error, and then none is marked. */
static bool any_marked(mca_part_ucx_send_t *send, size_t low, size_t high, uint32_t epoch)
{
    for (size_t i = low; i <= high; ++i) {
        if (epoch == atomic_load_explicit(&send->marked[i], memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

static void drive_queued(uint32_t paths)
{
    for (int i = 0; i < mca_part_ucx.path_count; ++i) {
        /* Driving one path may have opened a gate and given work to others. */
        if (0 != (paths >> i & 1) || !mca_part_ucx_queue_empty(&mca_part_ucx.paths[i].queue)) {
            (void) mca_part_ucx_path_drive(&mca_part_ucx.paths[i], false);
        }
    }
}

void mca_part_ucx_send_mark_piece(mca_part_ucx_send_t *send, uint32_t piece)
{
    /* A link needs no record of what is marked: its owner marks every piece once. */
    if (PART_UCX_UNIT_OPEN == atomic_fetch_add(&send->unit[piece].marks, 1)) {
        (void) push_unit(send, piece);
    }
}

static int send_pready(mca_part_ucx_any_request_t *request, size_t low, size_t high)
{
    mca_part_ucx_send_t *send = (mca_part_ucx_send_t *) request;
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    uint32_t paths = 0;
    bool late = true;
    int rc = MPI_SUCCESS;

    if (OMPI_REQUEST_ACTIVE != request->super.req_state) {
        return MPI_ERR_REQUEST;
    }
    if (low > high || high >= send->super.partitions
        || (low != high && any_marked(send, low, high, epoch))) {
        return MPI_ERR_ARG;
    }
    if (PART_UCX_LINK_READY != mca_part_ucx_request_link(&send->super)) {
        rc = pready_early(send, low, high, &late);
        if (!late) {
            return rc;
        }
    }
    for (size_t i = low; i <= high; ++i) {
        if (!mark(send, (uint32_t) i, epoch, &paths)) {
            rc = MPI_ERR_ARG; /* another thread marked it at the same time */
        }
    }
    if (0 != paths) {
        drive_queued(paths);
    }
    return rc;
}

/* ---- MPIX_Pbuf_prepare ---- */

static int send_prepare(mca_part_ucx_any_request_t *request)
{
    mca_part_ucx_send_t *send = (mca_part_ucx_send_t *) request;
    uint32_t epoch = mca_part_ucx_send_epoch(send);

    if (OMPI_REQUEST_ACTIVE != request->super.req_state) {
        return MPI_ERR_REQUEST;
    }
    /* The receiver may be in the next epoch already. */
    while ((int32_t) (epoch - atomic_load_explicit(&send->ready_epoch, memory_order_acquire)) > 0
           && MPI_SUCCESS == atomic_load(&send->super.error)
           && PART_UCX_LINK_NULL_PEER != mca_part_ucx_request_link(&send->super)) {
        opal_progress();
    }
    return mca_part_ucx_request_error(&send->super);
}

const mca_part_ucx_ops_t mca_part_ucx_send_ops = {.version = MCA_PART_UCX_OPS_VERSION,
                                                  .pready = send_pready,
                                                  .parrived = NULL,
                                                  .prepare = send_prepare};

static void send_construct(mca_part_ucx_send_t *send)
{
    memset((char *) send + sizeof(ompi_request_t), 0, sizeof(*send) - sizeof(ompi_request_t));
    send->super.any.ops = &mca_part_ucx_send_ops;
    send->super.done.run = mca_part_ucx_request_complete;
}

OBJ_CLASS_INSTANCE(mca_part_ucx_send_t, ompi_request_t, send_construct, NULL);
