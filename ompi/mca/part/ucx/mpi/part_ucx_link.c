/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: channels of collectives, whose pieces lie anywhere (see api/part_ucx_link.h).
 */
#include "api/part_ucx_link.h"

#include "base/part_ucx_clock.h"
#include "base/part_ucx_host.h"
#include "base/part_ucx_poll.h"
#include "base/part_ucx_thread_local.h"
#include "channel/part_ucx_fastbox.h"
#include "channel/part_ucx_gate.h"
#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_send.h"
#include "channel/part_ucx_shared_memory.h"
#include "mpi/part_ucx_errors.h"
#include "mpi/part_ucx_gains.h"
#include "mpi/part_ucx_kept_comms.h"
#include "mpi/part_ucx_life.h"
#include "mpi/part_ucx_request.h"
#include "path/part_ucx_app_activity.h"
#include "path/part_ucx_helper.h"
#include "path/part_ucx_network.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_wireup.h"

static uint64_t total_of(const mca_part_ucx_link_init_t *init)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < init->count; ++i) {
        total += init->piece[i].bytes;
    }
    return total;
}

static void describe(mca_part_ucx_channel_t *channel, const mca_part_ucx_link_init_t *init)
{
    OBJ_RETAIN(init->comm);
    OBJ_RETAIN(&ompi_mpi_byte.dt);
    channel->observer = init->observer;
    channel->context = init->context;
    channel->comm = init->comm;
    channel->peer_rank = init->peer;
    channel->space = PART_UCX_SPACE_LINK;
    channel->tag = init->number;
    channel->fingerprint = init->fingerprint;
    channel->datatype = &ompi_mpi_byte.dt;
    channel->total = total_of(init);
    channel->partitions = init->count;
    channel->contiguous = true;
    channel->warm = init->warm;
    channel->piece = init->piece;
}

static uint64_t link_host(void)
{
    uint64_t host;

    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    host = mca_part_ucx_host_ours()->memory;
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    return host;
}

static int network_paths(void)
{
    return mca_part_ucx_paths.fast;
}

static int prepare(void)
{
    return mca_part_ucx_error_of(mca_part_ucx_life_begin());
}

/* Without memory for a peer it counts as new. */
static bool is_new(ompi_communicator_t *comm, int rank)
{
    const mca_part_ucx_peer_t *peer;
    bool is_new;

    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    peer = mca_part_ucx_peer_get(ompi_comm_peer_lookup(comm, rank));
    is_new = NULL == peer || (PART_UCX_PROMISE_NONE == peer->promise
                              && !mca_part_ucx_wireup_is_surely_here(peer));
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    return is_new;
}

static bool has_room(unsigned processes)
{
    bool room;

    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    room = mca_part_ucx_network_has_room(processes);
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    return room;
}

/* The channel looks for its other end; or has not been made, or cannot. */
static int opened(mca_part_ucx_channel_t *channel, int rc, mca_part_ucx_link_t **link)
{
    if (OMPI_SUCCESS != rc) {
        mca_part_ucx_channel_destroy(channel);
        return mca_part_ucx_error_of(rc);
    }
    *link = channel;
    return MPI_SUCCESS;
}

static int open_send(const mca_part_ucx_link_init_t *init, mca_part_ucx_link_t **link)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_new();

    if (NULL == send) {
        return MPI_ERR_NO_MEM;
    }
    describe(&send->super, init);
    return opened(&send->super, mca_part_ucx_life_wire_up(&send->super), link);
}

static int open_recv(const mca_part_ucx_link_init_t *init, mca_part_ucx_link_t **link)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_new();

    if (NULL == recv) {
        return MPI_ERR_NO_MEM;
    }
    describe(&recv->super, init);
    recv->shm = init->shm;
    if (0 != init->boxes && !mca_part_ucx_fastbox_make(recv, init->boxes)) {
        return opened(&recv->super, OMPI_ERR_OUT_OF_RESOURCE, link);
    }
    return opened(&recv->super, mca_part_ucx_life_wire_up(&recv->super), link);
}

static int link_state(mca_part_ucx_link_t *link)
{
    switch (mca_part_ucx_channel_state(link)) {
    case PART_UCX_MATCHED:
        return MPI_SUCCESS;
    case PART_UCX_OPEN:
        return MPI_ERR_PENDING;
    default:
        return atomic_load(&link->error);
    }
}

static bool link_mark(mca_part_ucx_link_t *link, uint32_t piece)
{
    return mca_part_ucx_gate_mark_piece(mca_part_ucx_send_of(link), piece);
}

/* A link that has finished its epoch already is more than prepared. */
static int link_await(mca_part_ucx_link_t *link)
{
    if (!atomic_load(&link->running)) {
        return MPI_SUCCESS;
    }
    return mca_part_ucx_send_prepare(mca_part_ucx_send_of(link));
}

static void link_push(void)
{
    mca_part_ucx_paths_drive_pushed();
    if (!mca_part_ucx_tasks_empty(&mca_part_ucx_process.tasks)) {
        mca_part_ucx_helper_wake_for_work();
    }
}

/* Held pieces wait in a bundle's mailbox, so they must be much smaller than a bundle. */
static uint64_t link_hold(uint64_t bytes)
{
    return bytes <= mca_part_ucx_params.unit_min / 8 ? (uint64_t) mca_part_ucx_params.hold * 1000
                                                     : 0;
}

static void link_close(mca_part_ucx_link_t *link)
{
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    mca_part_ucx_channel_release(link);
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
}

static void defer(mca_part_ucx_task_t *task, bool application)
{
    mca_part_ucx_tasks_post(
        application ? &mca_part_ucx_process.app_tasks : &mca_part_ucx_process.tasks, task);
}

static void post_final(mca_part_ucx_task_t *task)
{
    mca_part_ucx_queue_push(&mca_part_ucx_process.done, &task->item);
}

/* One call of finals() in so many leaves it to progress, and the first one in each tick of the
 * coarse clock. Else a process that is always the last one would never enter Open MPI's progress,
 * in which others may need it. */
#define FINALS_PER_PROGRESS 32u

static void finals(void)
{
    static PART_UCX_THREAD_LOCAL unsigned calls;
    static PART_UCX_THREAD_LOCAL double left;
    double now;

    if (mca_part_ucx_queue_empty(&mca_part_ucx_process.done)) {
        return;
    }
    now = mca_part_ucx_clock_coarse();
    if (now != left || 0 == ++calls % FINALS_PER_PROGRESS) {
        left = now; /* it changes every few milliseconds */
        return;
    }
    mca_part_ucx_app_activity_note();
    (void) mca_part_ucx_requests_complete();
}

static void active(int change)
{
    atomic_fetch_add(&mca_part_ucx_process.active, change);
    if (change > 0) {
        mca_part_ucx_helper_wake();
    }
}

static void miss(void)
{
    static PART_UCX_THREAD_LOCAL mca_part_ucx_poll_t poll;

    if (mca_part_ucx_poll_due(&poll)) {
        /* All of Open MPI's, for that leaves the processor to others where the user asked for it
         * (mpi_yield_when_idle): with more processes than cores, who polls keeps off who works. */
        mca_part_ucx_process_progress();
        mca_part_ucx_poll_over(&poll);
    }
}

static int raise_error(ompi_communicator_t *comm, int error, const char *function)
{
    return mca_part_ucx_error_raise(comm, error, function, PART_UCX_RAISED_WITHOUT_OBJECT);
}

const mca_part_ucx_link_api_t mca_part_ucx_link_api = {.version = PART_UCX_LINK_VERSION,
                                                       .host = link_host,
                                                       .network_paths = network_paths,
                                                       .gains = mca_part_ucx_gains,
                                                       .share = mca_part_ucx_shared_memory_make,
                                                       .boxes = mca_part_ucx_fastbox_bytes,
                                                       .beacon = mca_part_ucx_shared_memory_beacon,
                                                       .sees = mca_part_ucx_shared_memory_sees,
                                                       .hide = mca_part_ucx_shm_hide,
                                                       .unshare = mca_part_ucx_shm_free,
                                                       .prepare = prepare,
                                                       .is_new = is_new,
                                                       .has_room = has_room,
                                                       .open_send = open_send,
                                                       .open_recv = open_recv,
                                                       .state = link_state,
                                                       .start = mca_part_ucx_channel_start_met,
                                                       .mark = link_mark,
                                                       .await = link_await,
                                                       .push = link_push,
                                                       .hold = link_hold,
                                                       .now = mca_part_ucx_clock_ns,
                                                       .later = mca_part_ucx_helper_wake,
                                                       .close = link_close,
                                                       .abandon = mca_part_ucx_channel_abandon,
                                                       .defer = defer,
                                                       .post_final = post_final,
                                                       .finals = finals,
                                                       .active = active,
                                                       .miss = miss,
                                                       .complete = mca_part_ucx_error_complete,
                                                       .raise = raise_error,
                                                       .freed = mca_part_ucx_error_freed,
                                                       .keep = mca_part_ucx_kept_comms_add};
