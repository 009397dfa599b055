/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * READY: a receive tells its sender that it has started an epoch (see part_ucx_ready.h).
 */
#include "channel/part_ucx_ready.h"

#include "channel/part_ucx_event.h"
#include "channel/part_ucx_rate_message.h"
#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_traffic.h"

#include <stdlib.h>

#include "ompi/constants.h"

/* One that cannot say what it has to looks for another one. So none is freed before all have been
 * let go of. */
struct mca_part_ucx_readies_t {
    atomic_uint left; /* that have not been */
    uint32_t count;
    mca_part_ucx_ready_t *ready[];
};

static void let_go(mca_part_ucx_ready_t *ready)
{
    mca_part_ucx_readies_t *together = ready->together;

    if (NULL == together) {
        free(ready);
    } else if (1 == atomic_fetch_sub(&together->left, 1)) {
        for (uint32_t i = 0; i < together->count; ++i) {
            free(together->ready[i]);
        }
        free(together);
    }
}

static mca_part_ucx_endpoint_t *endpoint_of(const mca_part_ucx_ready_t *ready)
{
    return NULL != ready->endpoint ? ready->endpoint : ready->recv->endpoint;
}

/* The message is ours again. */
static void over(mca_part_ucx_ready_t *ready)
{
    int busy = PART_UCX_READY_BUSY;

    if (!atomic_compare_exchange_strong(&ready->state, &busy, PART_UCX_READY_IDLE)) {
        /* Not a store: it would not see what came before a second AGAIN. */
        (void) atomic_exchange(&ready->state, PART_UCX_READY_BUSY);
        mca_part_ucx_path_push(endpoint_of(ready)->path, &ready->work);
    }
}

/* The message of a pair that works, from that by `path` on if there is such; NULL: none does. */
static mca_part_ucx_ready_t *working(const mca_part_ucx_recv_t *recv,
                                     const mca_part_ucx_path_t *path)
{
    mca_part_ucx_ready_t *found = NULL;

    for (uint32_t i = 0; i < recv->super.pairs; ++i) {
        mca_part_ucx_ready_t *ready = recv->readies[i];

        if (mca_part_ucx_endpoint_is_up(ready->endpoint)
            && (NULL == found || path == ready->endpoint->path)) {
            found = ready;
        }
    }
    return found;
}

/* None of its pairs works. What is lost and not closed yet is rerouted when it is. That may be
 * later: where the peer's process has died Open MPI may be going to say so, and that is the better
 * reason to fail (wireup/part_ucx_failover_health.c). */
static void give_up(mca_part_ucx_recv_t *recv)
{
    for (uint32_t i = 0; i < recv->super.pairs; ++i) {
        if (PART_UCX_ENDPOINT_LOST == atomic_load(&recv->readies[i]->endpoint->outage.state)) {
            return;
        }
    }
    mca_part_ucx_channel_fail(&recv->super, MPI_ERR_OTHER);
}

/* What has been said may be lost: say it by another pair. */
static void say_elsewhere(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_ready_t *other = working(recv, NULL);

    if (NULL == other) {
        give_up(recv);
        return;
    }
    atomic_store(&other->lost, true);
    mca_part_ucx_ready_queue(other);
}

static void ready_sent(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_ready_t *ready = user_data;

    mca_part_ucx_path_release(request);
    if (NULL == ready->recv) {
        let_go(ready);
        return;
    }
    if (UCS_OK != status && NULL != ready->endpoint) {
        mca_part_ucx_endpoint_op_failed(ready->endpoint, status);
        say_elsewhere(ready->recv);
    } else if (UCS_OK != status) {
        mca_part_ucx_endpoint_op_failed(ready->recv->endpoint, status);
        mca_part_ucx_channel_fail(&ready->recv->super, MPI_ERR_OTHER);
    }
    over(ready);
}

/* Let the path look at the flags that the sender's puts are going to write. */
static void poll_flags(mca_part_ucx_path_t *path, mca_part_ucx_recv_t *recv)
{
    recv->polled.seen = 0;
    recv->polled.next = mca_part_ucx_traffic_of(path)->polled;
    mca_part_ucx_traffic_of(path)->polled = &recv->polled;
}

static void fill(mca_part_ucx_ready_t *ready, uint32_t epoch)
{
    mca_part_ucx_recv_t *recv = ready->recv;

    ready->event.key = atomic_load(&recv->super.peer_key);
    ready->event.nonce = atomic_load(&recv->super.peer_nonce);
    ready->event.from = recv->super.key;
    ready->event.epoch = epoch;
}

/* Of a receive that fails over. */
static void post_to_pairs(mca_part_ucx_ready_t *ready)
{
    mca_part_ucx_recv_t *recv = ready->recv;
    uint32_t done = atomic_load(&recv->done);
    uint32_t epoch = atomic_load_explicit(&recv->armed, memory_order_acquire);
    bool lost = atomic_exchange(&ready->lost, false);

    if (!mca_part_ucx_endpoint_is_up(ready->endpoint)) {
        say_elsewhere(recv);
        over(ready);
    } else if (!lost && ready->event.epoch == epoch && ready->event.done == done) {
        over(ready); /* it has been said */
    } else {
        fill(ready, epoch);
        ready->event.done = done;
        mca_part_ucx_event_post(
            ready->endpoint, PART_UCX_AM_READY, &ready->event, sizeof(ready->event), ready->rate,
            mca_part_ucx_rate_message_tell(recv, ready->rate), ready_sent, ready);
    }
}

static bool ready_post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    mca_part_ucx_ready_t *ready = PART_UCX_CONTAINER(work, mca_part_ucx_ready_t, work);
    mca_part_ucx_recv_t *recv = ready->recv;
    uint32_t epoch;

    if (NULL == recv) {
        let_go(ready);
        return true;
    }
    if (PART_UCX_MATCHED != mca_part_ucx_channel_state(&recv->super)) {
        over(ready); /* the buffer is the user's again, or soon will be */
        return true;
    }
    if (NULL != recv->readies) {
        post_to_pairs(ready);
        return true;
    }
    epoch = atomic_load_explicit(&recv->armed, memory_order_acquire);
    if (recv->fetched == epoch || ready->event.epoch == epoch) {
        /* The sender has not waited for it, and learns from the fetching; or it has been sent for
         * an epoch that began before this was queued once more. */
        ready->event.epoch = epoch; /* the one before it comes round again */
        over(ready);
        return true;
    }
    /* Or they would mean other epochs when these have gone round. */
    recv->fetched = recv->offer_kept = 0;
    fill(ready, epoch);
    if (PART_UCX_METHOD_MESSAGE != recv->super.method) {
        poll_flags(path, recv);
    }
    mca_part_ucx_event_post(recv->endpoint, PART_UCX_AM_READY, &ready->event, sizeof(ready->event),
                            ready->rate, mca_part_ucx_rate_message_tell(recv, ready->rate),
                            ready_sent, ready);
    return true;
}

mca_part_ucx_ready_t *mca_part_ucx_ready_make(mca_part_ucx_recv_t *recv)
{
    size_t bytes = sizeof(mca_part_ucx_ready_t) + recv->super.pairs * sizeof(uint32_t);
    mca_part_ucx_ready_t *ready = calloc(1, bytes);

    if (NULL != ready) {
        ready->work.post = ready_post;
        ready->work.urgent = true;
        ready->recv = recv;
    }
    return ready;
}

void mca_part_ucx_ready_queue(mca_part_ucx_ready_t *ready)
{
    /* Who has the message sees AGAIN when it is over. */
    if (PART_UCX_READY_IDLE == atomic_exchange(&ready->state, PART_UCX_READY_AGAIN)) {
        atomic_store(&ready->state, PART_UCX_READY_BUSY);
        mca_part_ucx_path_push(endpoint_of(ready)->path, &ready->work);
    }
}

void mca_part_ucx_ready_started(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_ready_t *ready = NULL != recv->readies ? working(recv, NULL) : recv->ready;

    if (NULL != ready) {
        mca_part_ucx_path_t *path = endpoint_of(ready)->path;

        mca_part_ucx_ready_queue(ready);
        (void) mca_part_ucx_path_drive(path, false);
    } else {
        give_up(recv); /* there is always one of its own, but for one that fails over */
    }
}

void mca_part_ucx_ready_complete(mca_part_ucx_recv_t *recv, const mca_part_ucx_path_t *path)
{
    mca_part_ucx_ready_t *ready = working(recv, path);

    atomic_store(&recv->done, mca_part_ucx_recv_epoch(recv));
    if (NULL != ready) {
        mca_part_ucx_ready_queue(ready);
    }
}

void mca_part_ucx_ready_reroute(mca_part_ucx_channel_t *channel, mca_part_ucx_endpoint_t *endpoint)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_of(channel);

    (void) endpoint;
    if (0 != atomic_load(&recv->armed) || NULL == working(recv, NULL)) {
        say_elsewhere(recv);
    }
}

int mca_part_ucx_ready_spread(mca_part_ucx_recv_t *recv, mca_part_ucx_endpoint_t *const *endpoint)
{
    uint32_t pairs = recv->super.pairs;
    mca_part_ucx_readies_t *all = calloc(1, sizeof(*all) + pairs * sizeof(mca_part_ucx_ready_t *));
    bool good = NULL != all;

    for (uint32_t i = 1; i < pairs && good; ++i) {
        all->ready[i] = mca_part_ucx_ready_make(recv);
        good = NULL != all->ready[i];
    }
    if (!good) {
        for (uint32_t i = 1; NULL != all && i < pairs; ++i) {
            free(all->ready[i]);
        }
        free(all);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    all->ready[0] = recv->ready;
    all->count = pairs;
    atomic_init(&all->left, pairs);
    for (uint32_t i = 0; i < pairs; ++i) {
        all->ready[i]->endpoint = endpoint[i];
        all->ready[i]->together = all;
    }
    recv->readies = all->ready;
    return OMPI_SUCCESS;
}

/* Free it now or when it has left, or when others have that it is freed with: it does not touch the
 * receive any more. */
static void release(mca_part_ucx_ready_t *ready, mca_part_ucx_path_t *path)
{
    int idle = PART_UCX_READY_IDLE;
    bool ours;

    mca_part_ucx_path_lock(path);
    /* Nobody queues it any more then, also not another one that looks for it. */
    ours = atomic_compare_exchange_strong(&ready->state, &idle, PART_UCX_READY_BUSY);
    ready->recv = NULL;
    mca_part_ucx_path_unlock(path);
    if (ours) {
        let_go(ready);
    }
}

void mca_part_ucx_ready_release(mca_part_ucx_recv_t *recv)
{
    uint32_t count = NULL == recv->readies ? 1 : recv->super.pairs;

    for (uint32_t i = 0; NULL != recv->ready && i < count; ++i) {
        mca_part_ucx_ready_t *ready = NULL == recv->readies ? recv->ready : recv->readies[i];

        release(ready, endpoint_of(ready)->path);
    }
    recv->readies = NULL;
    recv->ready = NULL;
}
