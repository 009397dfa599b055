/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * READY of a receive that fails over (see part_ucx_failover_ready.h).
 */
#include "channel/part_ucx_failover_ready.h"

#include "channel/part_ucx_recv.h"

#include <stdlib.h>

#include "ompi/constants.h"

/* One that cannot say what it has to looks for another one. So none is freed before all have been
 * let go of. */
struct mca_part_ucx_readies_t {
    atomic_uint left; /* that have not been */
    uint32_t count;
    mca_part_ucx_ready_t *ready[];
};

mca_part_ucx_ready_t *mca_part_ucx_failover_ready_working(const mca_part_ucx_recv_t *recv,
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

void mca_part_ucx_failover_ready_say_elsewhere(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_ready_t *other = mca_part_ucx_failover_ready_working(recv, NULL);

    if (NULL == other) {
        give_up(recv);
        return;
    }
    atomic_store(&other->lost, true);
    mca_part_ucx_ready_queue(other);
}

void mca_part_ucx_failover_ready_post(mca_part_ucx_ready_t *ready)
{
    mca_part_ucx_recv_t *recv = ready->recv;
    uint32_t done = atomic_load(&recv->done);
    uint32_t epoch = atomic_load_explicit(&recv->armed, memory_order_acquire);
    bool lost = atomic_exchange(&ready->lost, false);

    if (!mca_part_ucx_endpoint_is_up(ready->endpoint)) {
        mca_part_ucx_failover_ready_say_elsewhere(recv);
        mca_part_ucx_ready_over(ready);
    } else if (!lost && ready->event.epoch == epoch && ready->event.done == done) {
        mca_part_ucx_ready_over(ready); /* it has been said */
    } else {
        ready->event.done = done;
        mca_part_ucx_ready_say(ready, epoch);
    }
}

void mca_part_ucx_failover_ready_complete(mca_part_ucx_recv_t *recv,
                                          const mca_part_ucx_path_t *path)
{
    mca_part_ucx_ready_t *ready = mca_part_ucx_failover_ready_working(recv, path);

    atomic_store(&recv->done, mca_part_ucx_recv_epoch(recv));
    if (NULL != ready) {
        mca_part_ucx_ready_queue(ready);
    }
}

void mca_part_ucx_failover_ready_reroute(mca_part_ucx_channel_t *channel,
                                         mca_part_ucx_endpoint_t *endpoint)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_of(channel);

    (void) endpoint;
    if (0 != atomic_load(&recv->armed) || NULL == mca_part_ucx_failover_ready_working(recv, NULL)) {
        mca_part_ucx_failover_ready_say_elsewhere(recv);
    }
}

int mca_part_ucx_failover_ready_spread(mca_part_ucx_recv_t *recv,
                                       mca_part_ucx_endpoint_t *const *endpoint)
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

void mca_part_ucx_failover_ready_let_go(mca_part_ucx_readies_t *together)
{
    if (1 != atomic_fetch_sub(&together->left, 1)) {
        return;
    }
    for (uint32_t i = 0; i < together->count; ++i) {
        free(together->ready[i]);
    }
    free(together);
}
