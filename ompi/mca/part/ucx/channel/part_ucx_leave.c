/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaving a channel on which something has gone wrong (see part_ucx_leave.h).
 */
#include "channel/part_ucx_leave.h"

#include "channel/part_ucx_end_message.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_process.h"

/* Fault tolerance is an extension of MPI 4. */
#ifdef MPI_ERR_PROC_FAILED
#    define PART_UCX_ERR_PEER_DIED MPI_ERR_PROC_FAILED
#else
#    define PART_UCX_ERR_PEER_DIED MPI_ERR_OTHER
#endif

/* Seconds for what a process that has died had sent: it is in this host's sockets, or it never
 * comes, and UCX does not say. */
#define FETCH_PATIENCE 1.0

bool mca_part_ucx_leave_has_to(mca_part_ucx_channel_t *channel)
{
    return PART_UCX_LEAVING == mca_part_ucx_channel_state(channel)
           || mca_part_ucx_channel_is_revoked(channel)
           || (PART_UCX_LEFT == mca_part_ucx_channel_state(channel)
               && atomic_load(&channel->running))
           || (!atomic_load(&channel->running) && mca_part_ucx_channel_owes_end(channel));
}

/* A thread is ending the epoch, and has not said yet whether it was a good one: the peer is going
 * to be told which was the last. */
static bool is_being_ended(mca_part_ucx_channel_t *channel)
{
    return !atomic_load(&channel->running)
           && atomic_load_explicit(&channel->ended, memory_order_acquire)
                  != atomic_load(&channel->epoch);
}

/* Is none of its operations under way? Handlers that have seen the state before it failed run under
 * a path's lock, so they are over when this has had each. */
static bool is_quiet(mca_part_ucx_channel_t *channel)
{
    bool (*carried)(const mca_part_ucx_channel_t *, const mca_part_ucx_path_t *)
        = channel->side->carried;
    bool quiet = true;

    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];

        mca_part_ucx_path_lock(path);
        quiet = quiet && (NULL == carried || !carried(channel, path));
        mca_part_ucx_path_unlock(path);
    }
    return quiet && !channel->side->touched(channel) && !is_being_ended(channel);
}

static double patience(void)
{
    for (int i = 0; i < mca_part_ucx_paths.network; ++i) {
        if (PART_UCX_DEVICE_RDMA == mca_part_ucx_paths.path[i].device.kind) {
            return PART_UCX_LEAVE_PATIENCE_RDMA;
        }
    }
    return PART_UCX_LEAVE_PATIENCE;
}

static void tell_uncertain(const mca_part_ucx_channel_t *channel, double waited)
{
    mca_part_ucx_help("buffer-in-use", channel->side->name, channel->peer_rank, (int) waited);
}

/* Step 2. False: not yet. */
static bool say_end(mca_part_ucx_channel_t *channel, bool late, bool *quiet)
{
    *quiet = PART_UCX_LEFT == mca_part_ucx_channel_state(channel)
             || is_quiet(channel); /* nothing has begun since */
    if (!*quiet && !late) {
        return false;
    }
    if (PART_UCX_LEAVING == mca_part_ucx_channel_state(channel)) {
        mca_part_ucx_end_send(channel,
                              mca_part_ucx_channel_is_revoked(channel) ? PART_UCX_END_REVOKED
                                                                       : PART_UCX_END_FAILED,
                              !*quiet);
        /* Now, and not before: who sees it may release an early offer, which tells the sender that
         * all is well (settle_early() of part_ucx_fetch.c). */
        (void) mca_part_ucx_channel_change(channel, PART_UCX_ON_TOLD);
    }
    return true;
}

/* Step 3. */
static void end_epoch(mca_part_ucx_channel_t *channel, bool late, bool quiet)
{
    bool exposed = NULL != channel->side->exposed && channel->side->exposed(channel);

    if (exposed && !late) {
        return;
    }
    if (exposed || !quiet) {
        tell_uncertain(channel, patience());
    }
    mca_part_ucx_channel_finish(channel);
}

/* Step 1, if nothing has made it give up yet. False: there is nothing to leave. */
static bool give_up(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_state_t state = mca_part_ucx_channel_state(channel);
    bool running = atomic_load(&channel->running);

    if (PART_UCX_MATCHED == state || (running && mca_part_ucx_state_is_unmatched(state))) {
        mca_part_ucx_channel_fail(channel, mca_part_ucx_state_is_unmatched(state)
                                               ? PART_UCX_ERR_REVOKED
                                               : MPI_ERR_OTHER);
        state = mca_part_ucx_channel_state(channel);
    }
    return PART_UCX_LEAVING == state || (PART_UCX_LEFT == state && running);
}

void mca_part_ucx_leave(mca_part_ucx_channel_t *channel, double now)
{
    bool late, quiet;

    if (!give_up(channel)) {
        return;
    }
    if (0 == channel->ending_since) {
        channel->ending_since = now;
    }
    if (mca_part_ucx_channel_is_revoked(channel)) {
        /* Whatever came before: an offer may have been refused because the peer has left. */
        atomic_store(&channel->error, PART_UCX_ERR_REVOKED);
    }
    late = now - channel->ending_since > patience();
    if (say_end(channel, late, &quiet) && atomic_load(&channel->running)) {
        end_epoch(channel, late, quiet);
    }
}

void mca_part_ucx_leave_orphan(mca_part_ucx_channel_t *channel, double now)
{
    int other = MPI_ERR_OTHER, none = MPI_SUCCESS;

    (void) atomic_compare_exchange_strong(&channel->error, &none, PART_UCX_ERR_PEER_DIED);
    (void) atomic_compare_exchange_strong(&channel->error, &other, PART_UCX_ERR_PEER_DIED);
    if (mca_part_ucx_channel_change(channel, PART_UCX_ON_DEATH)) {
        channel->ending_since = now; /* a death has its own patience */
    }
    /* Then this: handlers that have seen the state before run under locks that it takes. */
    mca_part_ucx_peer_drop_ops(channel->peer);
    if (channel->side->touched(channel)) { /* by what the peer had sent before */
        if (now - channel->ending_since <= FETCH_PATIENCE) {
            mca_part_ucx_watchdog_soon();
            return;
        }
        tell_uncertain(channel, FETCH_PATIENCE);
    }
    mca_part_ucx_channel_finish(channel);
}
