/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * READY that cannot leave, as the peer is not there: nobody waits for it. Its receive is freed, or
 * its match undone and another one made, and it is not touched any more (which is the address
 * sanitizer's to see) when the message leaves at last.
 */
#include "unit.h"

#include "channel.h"
#include "channel/part_ucx_traffic.h"
#include "channel/part_ucx_ready.h"
#include "channel/part_ucx_recv_side.h"

#define BYTES 20000u

static const fakeucx_options_t network = {.put_in_place = true};

static channel_plan_t plan_of(mca_part_ucx_method_t method)
{
    return (channel_plan_t) {.total = BYTES,
                             .send_partitions = 4,
                             .recv_partitions = 4,
                             .slices = 1,
                             .group = 2,
                             .method = method};
}

static void epoch_works(channel_t *channel, uint32_t epoch)
{
    channel_start(&channel->send->super);
    for (uint32_t i = 0; i < channel->plan.send_partitions; ++i) {
        channel_fill(channel, epoch, i);
        assert_int_equal(MPI_SUCCESS, channel_pready(channel, i, i));
    }
    channel_finish(&channel->recv->super);
    channel_finish(&channel->send->super);
    for (uint32_t i = 0; i < channel->plan.recv_partitions; ++i) {
        assert_true(channel_is_there(channel, epoch, i));
    }
}

/* The path of READY is busy elsewhere: it stays in the queue. */
static void start_behind_lock(channel_t *channel)
{
    mca_part_ucx_path_t *path = channel->recv->endpoint->path;

    mca_part_ucx_path_lock(path);
    channel_start(&channel->recv->super);
    mca_part_ucx_lock_release(&path->lock);
}

/* The match is undone; then another one begins the epoch that runs. */
static void match_again(channel_t *channel)
{
    mca_part_ucx_recv_side_unbuild(channel->recv);
    assert_null(channel->recv->ready);
    assert_null(mca_part_ucx_traffic_of(channel->recv->endpoint->path)->polled);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_recv_side_build(channel->recv));
    channel->send->remote_flags = (uint64_t) (uintptr_t) channel->recv->flag;
    channel->recv->super.side->start(&channel->recv->super);
}

static void match_undone(mca_part_ucx_method_t method, bool queued)
{
    channel_plan_t plan = plan_of(method);
    channel_t channel = {0};

    channel_paths_open(2, &network);
    channel_make(&channel, &plan);
    fakeucx_stopped = true;
    if (queued) {
        start_behind_lock(&channel);
    } else {
        channel_start(&channel.recv->super);
    }
    assert_int_equal(queued ? 0 : 1, fakeucx_in_flight());
    assert_int_equal(PART_UCX_READY_BUSY, atomic_load(&channel.recv->ready->state));
    match_again(&channel);
    assert_int_equal(queued ? 1 : 2, fakeucx_in_flight()); /* what had left its queue has left */
    fakeucx_stopped = false;
    for (uint32_t epoch = 1; epoch < 4; ++epoch) {
        if (epoch > 1) {
            channel_start(&channel.recv->super);
        }
        epoch_works(&channel, epoch);
    }
    channel_free(&channel);
    channel_paths_close();
}

static void undone_while_it_is_queued(void **state)
{
    (void) state;
    match_undone(PART_UCX_METHOD_MESSAGE, true);
    match_undone(PART_UCX_METHOD_FLUSH, true);
}

static void undone_while_it_is_sent(void **state)
{
    (void) state;
    match_undone(PART_UCX_METHOD_MESSAGE, false);
    match_undone(PART_UCX_METHOD_FLUSH, false);
}

/* Data that were offered before READY was sent may be there before it has left. */
static void started_again_while_it_is_sent(void **state)
{
    fakeucx_options_t random = {.put_in_place = true, .lazy = 50};
    channel_plan_t plan = plan_of(PART_UCX_METHOD_MESSAGE);
    unsigned again = 0;

    (void) state;
    for (random.seed = 1; random.seed <= 50; ++random.seed) {
        channel_t channel = {0};

        channel_paths_open(2, &random);
        channel_make(&channel, &plan);
        for (uint32_t epoch = 1; epoch < 30; ++epoch) {
            channel_start(&channel.recv->super);
            again += PART_UCX_READY_AGAIN == atomic_load(&channel.recv->ready->state) ? 1 : 0;
            epoch_works(&channel, epoch);
        }
        channel_free(&channel); /* perhaps also while it is sent */
        channel_paths_close();
    }
    assert_true(again > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undone_while_it_is_queued),
        cmocka_unit_test(undone_while_it_is_sent),
        cmocka_unit_test(started_again_while_it_is_sent),
    };

    return UNIT_RUN(tests);
}
