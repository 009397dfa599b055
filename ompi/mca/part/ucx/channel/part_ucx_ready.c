/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * READY: a receive tells its sender that it has started an epoch (see part_ucx_ready.h).
 */
#include "channel/part_ucx_ready.h"

#include "channel/part_ucx_event.h"
#include "channel/part_ucx_failover_ready.h"
#include "channel/part_ucx_rate_message.h"
#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_traffic.h"

#include <stdlib.h>

static void let_go(mca_part_ucx_ready_t *ready)
{
    if (NULL == ready->together) {
        free(ready);
    } else {
        mca_part_ucx_failover_ready_let_go(ready->together);
    }
}

static mca_part_ucx_endpoint_t *endpoint_of(const mca_part_ucx_ready_t *ready)
{
    return NULL != ready->endpoint ? ready->endpoint : ready->recv->endpoint;
}

void mca_part_ucx_ready_over(mca_part_ucx_ready_t *ready)
{
    int busy = PART_UCX_READY_BUSY;

    if (!atomic_compare_exchange_strong(&ready->state, &busy, PART_UCX_READY_IDLE)) {
        /* Not a store: it would not see what came before a second AGAIN. */
        (void) atomic_exchange(&ready->state, PART_UCX_READY_BUSY);
        mca_part_ucx_path_push(endpoint_of(ready)->path, &ready->work);
    }
}

static void ready_sent(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_ready_t *ready = user_data;

    mca_part_ucx_path_free_request(request);
    if (NULL == ready->recv) {
        let_go(ready);
        return;
    }
    if (UCS_ERR_NO_MEMORY == status) { /* of this process: the path is well */
        mca_part_ucx_channel_fail(&ready->recv->super, MPI_ERR_NO_MEM);
    } else if (UCS_OK != status && NULL != ready->endpoint) {
        mca_part_ucx_endpoint_op_failed(ready->endpoint, status);
        mca_part_ucx_failover_ready_say_elsewhere(ready->recv);
    } else if (UCS_OK != status) {
        mca_part_ucx_endpoint_op_failed(ready->recv->endpoint, status);
        mca_part_ucx_channel_fail(&ready->recv->super, MPI_ERR_OTHER);
    }
    mca_part_ucx_ready_over(ready);
}

/* Let the path look at the flags that the sender's puts are going to write. */
static void poll_flags(mca_part_ucx_path_t *path, mca_part_ucx_recv_t *recv)
{
    recv->polled.seen = 0;
    recv->polled.next = mca_part_ucx_traffic_of(path)->polled;
    mca_part_ucx_traffic_of(path)->polled = &recv->polled;
}

void mca_part_ucx_ready_say(mca_part_ucx_ready_t *ready, uint32_t epoch)
{
    mca_part_ucx_recv_t *recv = ready->recv;

    ready->event.key = atomic_load(&recv->super.peer_key);
    ready->event.nonce = atomic_load(&recv->super.peer_nonce);
    ready->event.from = recv->super.key;
    ready->event.epoch = epoch;
    mca_part_ucx_event_post(endpoint_of(ready), PART_UCX_AM_READY, &ready->event,
                            sizeof(ready->event), ready->rate,
                            mca_part_ucx_rate_message_tell(recv, ready->rate), ready_sent, ready);
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
        mca_part_ucx_ready_over(ready); /* the buffer is the user's again, or soon will be */
        return true;
    }
    if (NULL != recv->readies) {
        mca_part_ucx_failover_ready_post(ready);
        return true;
    }
    epoch = atomic_load_explicit(&recv->armed, memory_order_acquire);
    if (recv->fetched == epoch || ready->event.epoch == epoch) {
        /* The sender has not waited for it, and learns from the fetching; or it has been sent for
         * an epoch that began before this was queued once more. */
        ready->event.epoch = epoch; /* the one before it comes round again */
        mca_part_ucx_ready_over(ready);
        return true;
    }
    /* Or they would mean other epochs when these have gone round. */
    recv->fetched = recv->offer_kept = 0;
    if (PART_UCX_METHOD_MESSAGE != recv->super.method) {
        poll_flags(path, recv);
    }
    mca_part_ucx_ready_say(ready, epoch);
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
        (void) atomic_exchange(&ready->state, PART_UCX_READY_BUSY); /* as above */
        mca_part_ucx_path_push(endpoint_of(ready)->path, &ready->work);
    }
}

void mca_part_ucx_ready_started(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_ready_t *ready = NULL == recv->readies
                                      ? recv->ready
                                      : mca_part_ucx_failover_ready_working(recv, NULL);

    if (NULL != ready) {
        mca_part_ucx_path_t *path = endpoint_of(ready)->path;

        mca_part_ucx_ready_queue(ready);
        (void) mca_part_ucx_path_drive(path, false);
    } else {
        mca_part_ucx_failover_ready_say_elsewhere(recv); /* nowhere: it fails */
    }
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
