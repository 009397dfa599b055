/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A message that the receiver fetches (rendezvous) is offered before the receiver is known to have
 * started: from the second epoch on, and never at the expense of other channels.
 */
#include "unit.h"

#include "channel.h"
#include "opal/mca/threads/thread_usage.h"
#include "api/part_ucx_epoch.h"

#include <stdlib.h>
#include <string.h>

#define PATHS    2u
#define CHANNELS 100u /* more than there are operations on a path */
#define BYTES    20000u

static const channel_plan_t plan = {.total = BYTES,
                                    .send_partitions = 4,
                                    .recv_partitions = 4,
                                    .slices = 1,
                                    .group = 4,
                                    .method = PART_UCX_METHOD_MESSAGE};
static channel_t channel[CHANNELS];

static void drive(unsigned turns)
{
    for (unsigned i = 0; i < turns; ++i) {
        channel_progress();
    }
}

static void start_send(channel_t *one, uint32_t epoch)
{
    channel_start(&one->send->super);
    for (uint32_t i = 0; i < plan.send_partitions; ++i) {
        channel_fill(one, epoch, i);
        assert_int_equal(MPI_SUCCESS, channel_pready(one, i, i));
    }
}

static void receive(channel_t *one, uint32_t epoch)
{
    channel_start(&one->recv->super);
    channel_finish(&one->recv->super);
    for (uint32_t i = 0; i < plan.recv_partitions; ++i) {
        assert_true(channel_is_there(one, epoch, i));
    }
    memset(one->target, 0, BYTES);
}

static void open_channels(unsigned count, bool threads)
{
    static const fakeucx_options_t network = {.put_in_place = true};

    channel_paths_open(PATHS, &network);
    (void) opal_set_using_threads(threads);
    for (unsigned i = 0; i < count; ++i) {
        channel_make(&channel[i], &plan);
        assert_int_not_equal(0, channel[i].send->early);
        start_send(&channel[i], 1);
        receive(&channel[i], 1);
        channel_finish(&channel[i].send->super);
    }
}

static void close_channels(unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        channel_free(&channel[i]);
    }
    (void) opal_set_using_threads(true);
    channel_paths_close();
}

static bool untouched(const channel_t *one)
{
    for (unsigned i = 0; i < BYTES; ++i) {
        if (0 != one->target[i]) {
            return false;
        }
    }
    return true;
}

/* All senders are ahead, more of them than a path has operations; receivers come in reverse. */
static void offers_wait_without_blocking(void **state)
{
    (void) state;
    for (int threads = 0; threads < 2; ++threads) {
        open_channels(CHANNELS, 1 == threads);
        for (uint32_t epoch = 2; epoch < 5; ++epoch) {
            for (unsigned i = 0; i < CHANNELS; ++i) {
                start_send(&channel[i], epoch);
            }
            drive(50);
            for (unsigned i = CHANNELS; i-- > 0;) {
                assert_true(untouched(&channel[i]));
                assert_false(channel_complete(&channel[i].send->super));
                receive(&channel[i], epoch);
                channel_finish(&channel[i].send->super);
            }
        }
        close_channels(CHANNELS);
    }
}

/* In the first epoch the receive may yet be freed for another: nothing leaves before READY. */
static void not_in_the_first_epoch(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true};

    (void) state;
    channel_paths_open(PATHS, &network);
    channel_make(&channel[0], &plan);
    start_send(&channel[0], 1);
    drive(50);
    assert_int_equal(0, fakeucx_in_flight());
    receive(&channel[0], 1);
    channel_finish(&channel[0].send->super);
    close_channels(1);
}

/* The receiver starts first, as often as not: READY and offers pass each other. */
static void either_first(void **state)
{
    unit_random_t random = unit_stream(1);

    (void) state;
    open_channels(1, true);
    for (uint32_t epoch = 2; epoch < 2 + unit_repeat(2000); ++epoch) {
        if (0 == unit_below(&random, 2)) {
            channel_start(&channel[0].recv->super);
            drive(unit_below(&random, 4));
            start_send(&channel[0], epoch);
        } else {
            start_send(&channel[0], epoch);
            drive(unit_below(&random, 4));
            channel_start(&channel[0].recv->super);
        }
        channel_finish(&channel[0].recv->super);
        channel_finish(&channel[0].send->super);
        assert_true(channel_is_there(&channel[0], epoch, unit_below(&random, 4)));
        assert_true((int32_t) (atomic_load(&channel[0].send->ready_epoch) - epoch) >= 0);
    }
    close_channels(1);
}

static uint32_t next_epoch(const channel_t *one)
{
    return mca_part_ucx_epoch_next(atomic_load(&one->send->super.epoch));
}

static void sender_first(channel_t *one)
{
    uint32_t epoch = next_epoch(one);

    start_send(one, epoch);
    drive(50);
    receive(one, epoch);
    channel_finish(&one->send->super);
}

static void receiver_first(channel_t *one)
{
    uint32_t epoch = next_epoch(one);

    channel_start(&one->recv->super);
    drive(50);
    UNIT_CHECK(epoch == atomic_load(&one->send->ready_epoch), "READY(%u) is not heeded", epoch);
    start_send(one, epoch);
    channel_finish(&one->recv->super);
    channel_finish(&one->send->super);
    assert_true(channel_is_there(one, epoch, 0));
    memset(one->target, 0, BYTES);
}

/* Epoch 1 had a READY, all others have been fetched without one, and the numbers begin again.
 * `last`: of how many epochs, before the present one, the last READY was. */
static void come_round(uint32_t last)
{
    open_channels(1, false);
    channel_grow_old(&channel[0], 2);
    atomic_fetch_sub(&channel[0].send->heeded, last);
    for (unsigned i = 0; i < 5; ++i) {
        sender_first(&channel[0]);
    }
    assert_uint_in_range(atomic_load(&channel[0].send->super.epoch), 2, 5);
    receiver_first(&channel[0]);
    close_channels(1);
}

static void comes_round(void **state)
{
    (void) state;
    come_round(0);
    for (unsigned shift = 0; shift < 30; ++shift) {
        come_round(UINT32_C(1) << shift);
    }
    come_round((UINT32_C(1) << 30) + 7);
}

/* Half way: it has never looked as if an old READY were one to come. */
static void no_ready_for_long(void **state)
{
    static const uint32_t step = UINT32_C(1) << 28;

    (void) state;
    open_channels(1, false);
    for (uint32_t left = UINT32_MAX - step; left > step; left -= step) {
        uint32_t heeded = atomic_load(&channel[0].send->heeded);

        channel_grow_old(&channel[0], left);
        atomic_store(&channel[0].send->heeded, heeded);
        sender_first(&channel[0]);
    }
    receiver_first(&channel[0]);
    channel_grow_old(&channel[0], 2);
    for (unsigned i = 0; i < 5; ++i) {
        sender_first(&channel[0]);
    }
    close_channels(1);
}

/* An offer is kept in epoch 2, and again when the numbers have gone round, but never between. */
static void kept_again(void **state)
{
    (void) state;
    open_channels(1, false);
    sender_first(&channel[0]);
    channel_grow_old(&channel[0], 2);
    for (unsigned i = 0; i < 3; ++i) {
        receiver_first(&channel[0]);
    }
    assert_int_equal(2, next_epoch(&channel[0]));
    sender_first(&channel[0]);
    close_channels(1);
}

/* READY of an epoch that did not wait for it comes after that of the next one: the receiver is
 * known to be there all the same. Else partitions of a unit that leave alone would share an
 * operation. */
static void ready_overtaken(void **state)
{
    mca_part_ucx_send_t *send;

    (void) state;
    open_channels(1, false);
    send = channel[0].send;
    start_send(&channel[0], 2);
    receive(&channel[0], 2);
    channel_finish(&send->super);
    channel_start(&channel[0].recv->super);
    drive(50);
    assert_int_equal(3, atomic_load(&send->ready_epoch));
    mca_part_ucx_gate_ready(send, atomic_load(&send->super.peer_key), 2);
    assert_int_equal(3, atomic_load(&send->ready_epoch));
    start_send(&channel[0], 3);
    channel_finish(&channel[0].recv->super);
    channel_finish(&send->super);
    close_channels(1);
}

/* The receive is freed while an offer waits for it: the offer is given up, the send ends. */
static void freed_while_offered(void **state)
{
    (void) state;
    open_channels(1, true);
    start_send(&channel[0], 2);
    drive(50);
    channel_free_recv(&channel[0]);
    for (unsigned i = 0; i < 100000 && !channel_test(&channel[0].send->super); ++i) {
        channel_progress();
    }
    assert_int_equal(OMPI_REQUEST_INACTIVE,
                     channel_request(&channel[0].send->super)->any.super.req_state);
    channel_free_send(&channel[0]);
    channel_paths_close();
}

/* It has been freed before: the offer is refused. With part_ucx_failover nobody takes that for the
 * end of the path. */
static void refused(void **state)
{
    mca_part_ucx_endpoint_t *endpoint;

    (void) state;
    open_channels(1, true);
    endpoint = channel[0].send->endpoint[0];
    endpoint->fails_over = true;
    channel_free_recv(&channel[0]);
    start_send(&channel[0], 2);
    drive(1000);
    assert_int_equal(0, fakeucx_in_flight());
    assert_true(mca_part_ucx_endpoint_is_up(endpoint));
    for (unsigned i = 0; i < 10 && !channel_complete(&channel[0].send->super); ++i) {
        channel_watch();
        channel_progress();
    }
    assert_true(channel_test(&channel[0].send->super));
    assert_int_equal(MPI_ERR_OTHER, channel_outcome(&channel[0].send->super));
    channel_free_send(&channel[0]);
    channel_paths_close();
}

/* The receiver fails while it keeps an offer: that is not taken for delivered. */
static void receiver_fails(void **state)
{
    mca_part_ucx_channel_t *send;

    (void) state;
    open_channels(1, false);
    send = &channel[0].send->super;
    start_send(&channel[0], 2);
    drive(50);
    mca_part_ucx_channel_fail(&channel[0].recv->super, MPI_ERR_OTHER);
    drive(50);
    assert_false(channel_complete(send));
    for (unsigned i = 0; i < 1000 && !channel_complete(send); ++i) {
        channel_watch();
        channel_progress();
    }
    assert_true(channel_complete(send));
    assert_int_equal(MPI_ERR_OTHER, channel_outcome(send));
    close_channels(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offers_wait_without_blocking),
        cmocka_unit_test(not_in_the_first_epoch),
        cmocka_unit_test(either_first),
        cmocka_unit_test(comes_round),
        cmocka_unit_test(no_ready_for_long),
        cmocka_unit_test(kept_again),
        cmocka_unit_test(ready_overtaken),
        cmocka_unit_test(freed_while_offered),
        cmocka_unit_test(refused),
        cmocka_unit_test(receiver_fails),
    };

    return UNIT_RUN(tests);
}
