/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What both ends of a channel have in common: epochs, failure, the end (see part_ucx_channel.h).
 */
#include "channel/part_ucx_channel.h"

#include "api/part_ucx_epoch.h"
#include "base/part_ucx_random.h"
#include "channel/part_ucx_datatype.h"
#include "channel/part_ucx_method.h"
#include "path/part_ucx_guests.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_process.h"

#include <stdlib.h>

mca_part_ucx_table_t mca_part_ucx_channels;

/* Channels that have failed: UCX may still point into their memory. Under the set-up lock. */
static mca_part_ucx_item_t *failed;

/* ---- states ---- */

bool mca_part_ucx_channel_change(mca_part_ucx_channel_t *channel, mca_part_ucx_change_t change)
{
    int state = atomic_load(&channel->state);
    int next, waiting;

    do {
        next = (int) mca_part_ucx_state_next((mca_part_ucx_state_t) state, change);
        if (next == state) {
            return false;
        }
    } while (!atomic_compare_exchange_strong(&channel->state, &state, next));
    waiting = mca_part_ucx_state_is_unmatched((mca_part_ucx_state_t) next)
              - mca_part_ucx_state_is_unmatched((mca_part_ucx_state_t) state);
    if (0 != waiting) {
        atomic_fetch_add(&mca_part_ucx_process.unmatched, waiting);
    }
    return true;
}

bool mca_part_ucx_channel_is_unused(const mca_part_ucx_channel_t *channel)
{
    return 0 == atomic_load(&channel->epoch) && NULL == channel->piece;
}

bool mca_part_ucx_channel_enter(mca_part_ucx_channel_t *channel)
{
    /* Before there is a key: who finds the channel by that compares the nonce. */
    if (!mca_part_ucx_random_word(&channel->nonce)) {
        return false;
    }
    channel->key = mca_part_ucx_table_add(&mca_part_ucx_channels, channel);
    return 0 != channel->key;
}

void mca_part_ucx_channel_meet(mca_part_ucx_channel_t *channel, uint64_t key, uint32_t nonce)
{
    atomic_store(&channel->peer_nonce, nonce);
    atomic_store(&channel->peer_key, key);
}

mca_part_ucx_channel_t *mca_part_ucx_channel_find(uint64_t key, uint32_t nonce)
{
    mca_part_ucx_channel_t *channel = mca_part_ucx_table_find(&mca_part_ucx_channels, key);

    return NULL == channel || channel->nonce != nonce ? NULL : channel;
}

/* ---- epochs ---- */

void mca_part_ucx_channel_finish(mca_part_ucx_channel_t *channel)
{
    int error = atomic_load(&channel->error); /* what comes later is not of this epoch */
    uint32_t epoch;

    if (!atomic_exchange(&channel->running, false)) {
        return;
    }
    epoch = atomic_load_explicit(&channel->epoch, memory_order_relaxed);
    if (MPI_SUCCESS == error) {
        atomic_store_explicit(&channel->good_epoch, epoch, memory_order_relaxed);
    }
    atomic_store_explicit(&channel->ended, epoch, memory_order_release);
    channel->observer->finished(channel->context, error);
}

static void begin(mca_part_ucx_channel_t *channel)
{
    atomic_store_explicit(&channel->epoch, mca_part_ucx_epoch_next(atomic_load(&channel->epoch)),
                          memory_order_release);
    atomic_store(&channel->running, true); /* last: from here on it can be finished */
}

/* It is begun, and MATCHED. */
static void start_matched(mca_part_ucx_channel_t *channel)
{
    uint32_t last;

    if (mca_part_ucx_channel_peer_ended(channel, &last)
        && mca_part_ucx_epoch_is_after(atomic_load(&channel->epoch), last)) {
        mca_part_ucx_channel_heed_end(channel, atomic_load(&channel->peer_key));
    } else {
        channel->side->start(channel);
    }
}

void mca_part_ucx_channel_start_met(mca_part_ucx_channel_t *channel)
{
    begin(channel);
    /* The thread that makes it fail from here on sees that it runs, and ends its epoch. For that
     * the load must not pass the store of `running`, so acquire is not enough. */
    if (mca_part_ucx_state_is_end((mca_part_ucx_state_t) atomic_load(&channel->state))) {
        mca_part_ucx_channel_finish(channel);
    } else {
        start_matched(channel);
    }
}

/*
 * The first epoch, or one before the channel is MATCHED: set-up may still change its state, even
 * take MATCHED back, because no data have moved, and looks at `running`. So both happen under its
 * lock.
 */
static void start_first(mca_part_ucx_channel_t *channel)
{
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    begin(channel);
    switch (mca_part_ucx_channel_state(channel)) {
    case PART_UCX_OPEN:
        break;
    case PART_UCX_MISMATCHED:
        channel->wireup->mismatch(channel);
        break;
    case PART_UCX_MATCHED:
        start_matched(channel);
        break;
    default:
        mca_part_ucx_channel_finish(channel);
        break;
    }
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
}

void mca_part_ucx_channel_start(mca_part_ucx_channel_t *channel)
{
    if (mca_part_ucx_state_is_unmatched(mca_part_ucx_channel_state(channel))
        || 0 == atomic_load(&channel->epoch)) {
        start_first(channel);
    } else {
        mca_part_ucx_channel_start_met(channel);
    }
}

void mca_part_ucx_channel_matched(mca_part_ucx_channel_t *channel)
{
    const mca_part_ucx_map_t *map = &channel->map;
    /* Fixed while the channel is not matched and we hold the lock; from the change on MPI_Start
     * begins and starts on its own, and must not be started again here. */
    bool begun = atomic_load(&channel->running);

    PART_UCX_VERBOSE(3, "%s, rank %d tag %d: %u partitions to %u, %u units on %u paths, %s",
                     channel->side->name, channel->peer_rank, channel->tag, map->send_partitions,
                     map->recv_partitions, map->units, map->pairs,
                     mca_part_ucx_method_name(channel->method));
    if (mca_part_ucx_channel_change(channel, PART_UCX_ON_MATCH) && begun) {
        start_matched(channel);
    }
}

/* ---- failure ---- */

bool mca_part_ucx_channel_is_revoked(mca_part_ucx_channel_t *channel)
{
    uint64_t from = atomic_load(&channel->said.from);

    if (0 != from && from == atomic_load(&channel->peer_key)
        && PART_UCX_END_REVOKED == atomic_load(&channel->said.reason)) {
        return true;
    }
#if OPAL_ENABLE_FT_MPI
    return ompi_comm_is_revoked(channel->comm);
#else
    return false;
#endif
}

void mca_part_ucx_channel_fail(mca_part_ucx_channel_t *channel, int error)
{
    int none = MPI_SUCCESS;

    (void) atomic_compare_exchange_strong(&channel->error, &none, error);
    (void) mca_part_ucx_channel_change(channel, PART_UCX_ON_FAILURE);
    if (PART_UCX_FAILED == mca_part_ucx_channel_state(channel)) {
        mca_part_ucx_channel_finish(channel);
    } else {
        mca_part_ucx_watchdog_soon();
    }
}

/* ---- the other end's end ---- */

bool mca_part_ucx_channel_peer_ended(mca_part_ucx_channel_t *channel, uint32_t *epoch)
{
    uint64_t from = atomic_load(&channel->said.from);

    *epoch = atomic_load(&channel->said.epoch);
    return 0 != from && from == atomic_load(&channel->peer_key);
}

bool mca_part_ucx_channel_owes_end(mca_part_ucx_channel_t *channel)
{
    uint32_t epoch;

    return mca_part_ucx_channel_peer_ended(channel, &epoch)
           && PART_UCX_END_FREED != atomic_load(&channel->said.reason)
           && PART_UCX_LEFT != mca_part_ucx_channel_state(channel);
}

void mca_part_ucx_channel_heed_end(mca_part_ucx_channel_t *channel, uint64_t from)
{
    bool said = 0 != from && from == atomic_load(&channel->said.from);
    uint32_t reason = atomic_load(&channel->said.reason);
    uint32_t last = atomic_load(&channel->said.epoch);

    if (!said) {
        return;
    }
    if (PART_UCX_END_REVOKED == reason) {
        mca_part_ucx_channel_fail(channel, PART_UCX_ERR_REVOKED);
    } else if (!mca_part_ucx_channel_is_over(channel) && atomic_load(&channel->running)
               && mca_part_ucx_epoch_is_after(atomic_load(&channel->epoch), last)) {
        if (NULL == channel->piece) { /* the owner of links tells it once for all of them */
            mca_part_ucx_help("peer-freed", channel->peer_rank, channel->tag);
        }
        mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER);
    }
    if (PART_UCX_END_FREED != reason) {
        mca_part_ucx_watchdog_soon();
    }
}

void mca_part_ucx_channel_heard_end(mca_part_ucx_channel_t *channel,
                                    const mca_part_ucx_event_t *event)
{
    mca_part_ucx_said_t *said = &channel->said;
    bool settled = NULL == channel->side->settled || channel->side->settled(channel);

    if (event->reason < PART_UCX_END_FREED || event->reason > PART_UCX_END_REVOKED
        || (settled && event->from != atomic_load(&channel->peer_key))) {
        atomic_fetch_add_explicit(&mca_part_ucx_process.strays, 1, memory_order_relaxed);
        return;
    }
    if (event->from == atomic_load(&said->from)) { /* an end says it once, or once by each pair */
        atomic_fetch_add_explicit(&mca_part_ucx_process.repeats, 1, memory_order_relaxed);
        return;
    }
    atomic_store(&said->busy, 0 != event->busy);
    atomic_store(&said->epoch, event->epoch);
    atomic_store(&said->reason, event->reason);
    atomic_store(&said->from, event->from); /* last: it makes the others count */
    mca_part_ucx_channel_heed_end(channel, atomic_load(&channel->peer_key));
    /* In this order: before the peer is known, set-up may be about to write `fails_over`. */
    if (event->from == atomic_load(&channel->peer_key) && channel->fails_over
        && NULL != channel->side->acknowledged) {
        channel->side->acknowledged(channel, event->epoch);
    }
}

/* ---- release ---- */

/* Handlers that looked the channel up before its key was removed run under a path's lock. */
static void wait_for_handlers(void)
{
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        mca_part_ucx_path_lock(&mca_part_ucx_paths.path[i]);
        mca_part_ucx_path_unlock(&mca_part_ucx_paths.path[i]);
    }
}

void mca_part_ucx_channel_destroy(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_datatype_release(channel->convertor, channel->pairs);
    channel->side->release(channel);
    OBJ_RELEASE(channel->datatype);
    if (NULL != channel->comm) {
        OBJ_RELEASE(channel->comm);
    }
    free(channel);
}

void mca_part_ucx_channel_release(mca_part_ucx_channel_t *channel)
{
    bool waits = mca_part_ucx_state_is_unmatched(mca_part_ucx_channel_state(channel));

    channel->wireup->detach(channel);
    if (waits) {
        atomic_fetch_sub(&mca_part_ucx_process.unmatched, 1);
    }
    mca_part_ucx_table_remove(&mca_part_ucx_channels, channel->key);
    wait_for_handlers();
    channel->side->retire(channel); /* also of one that has failed and stays */
    if (mca_part_ucx_channel_is_over(channel)) {
        /* Operations that are still under way know the channel, and nothing of its communicator. */
        OBJ_RELEASE(channel->comm);
        channel->comm = NULL;
        channel->item.next = failed;
        failed = &channel->item;
    } else {
        mca_part_ucx_guests_leave(channel->peer);
        mca_part_ucx_channel_destroy(channel);
    }
}

bool mca_part_ucx_channel_abandon(mca_part_ucx_channel_t *channel)
{
    bool over;

    if (0 != pthread_mutex_trylock(&mca_part_ucx_process.setup_lock)) {
        return false;
    }
    mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER); /* END then says n - 1 */
    over = !atomic_load(&channel->running);
    if (over) {
        mca_part_ucx_channel_release(channel);
    }
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    return over;
}

void mca_part_ucx_channels_unregister(void)
{
    mca_part_ucx_channel_t *channel;
    uint32_t next = 0;

    while (NULL != (channel = mca_part_ucx_table_next(&mca_part_ucx_channels, &next))) {
        channel->side->unregister(channel);
    }
    for (mca_part_ucx_item_t *item = failed; NULL != item; item = item->next) {
        channel = PART_UCX_CONTAINER(item, mca_part_ucx_channel_t, item);
        channel->side->unregister(channel);
    }
}
