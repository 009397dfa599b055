/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests of few bytes, whose senders have credit, on the made-up network: they run ahead of their
 * receivers, as far as they may and no further. Each epoch has its own data, nothing is placed or
 * reported before its epoch has started, and MPIX_Pbuf_prepare still waits for the receiver.
 */
#include "unit.h"
#include "channel.h"

#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_credit_limits.h"
#include "channel/part_ucx_recv_side.h"

#include "ompi/constants.h"

#include <stdlib.h>

static channel_t channel;

static struct {
    uint32_t sends, recvs; /* epochs that have been started */
    bool sending, receiving;
    uint32_t left;         /* partitions that are not marked yet */
    uint32_t order[CHANNEL_MOST_PARTS];
} at;

enum { MOST_BYTES = 4096 };

static void give_credit(void)
{
    mca_part_ucx_params.shared_eager_limit = 16384; /* messages carry that much */
    mca_part_ucx_params.credit = MOST_BYTES;
}

static void make(const channel_plan_t *plan)
{
    give_credit();
    channel_make(&channel, plan);
    at.sends = at.recvs = at.left = 0;
    at.sending = at.receiving = false;
}

static void step_send(unit_random_t *random, uint32_t epochs)
{
    if (0 != at.left) {
        uint32_t partition = at.order[--at.left];

        channel_fill(&channel, at.sends, partition);
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, partition, partition));
    } else if (at.sending) {
        at.sending = !channel_test(&channel.send->super);
    } else if (at.sends < epochs) {
        channel_start(&channel.send->super);
        at.sending = true;
        ++at.sends;
        at.left = channel.plan.send_partitions;
        unit_order(random, at.order, at.left);
    }
}

static void step_recv(unit_random_t *random, uint32_t epochs)
{
    uint32_t partition = unit_below(random, channel.plan.recv_partitions);

    if (!at.receiving && at.recvs < epochs && 0 == unit_below(random, 20)) {
        channel_start(&channel.recv->super);
        at.receiving = true;
        ++at.recvs;
    } else if (at.receiving && channel_parrived(&channel, partition, partition)) {
        assert_true(channel_is_there(&channel, at.recvs, partition));
        at.receiving = !channel_test(&channel.recv->super);
    }
    for (uint32_t i = 0; 0 != at.recvs && !at.receiving && i < channel.plan.recv_partitions; ++i) {
        assert_true(channel_is_there(&channel, at.recvs, i)); /* also until the next one starts */
    }
}

/* Returns how far the sender was ahead, at most. */
static uint32_t run_ahead(unit_random_t *random, uint32_t epochs)
{
    uint32_t most = 0;

    for (unsigned i = 0; i < 400000 && (at.sends < epochs || at.recvs < epochs || at.sending
                                        || at.receiving); ++i) {
        if (0 == unit_below(random, 2)) {
            step_send(random, epochs);
        } else {
            step_recv(random, epochs);
        }
        for (uint32_t j = unit_below(random, 3); j > 0; --j) {
            channel_progress();
        }
        most = at.sends > at.recvs + most ? at.sends - at.recvs : most;
    }
    assert_true(at.sends == epochs && at.recvs == epochs && !at.sending && !at.receiving);
    return most;
}

/* Few bytes in any number of partitions, whole units or parts of them. */
static void choose_plan(channel_plan_t *plan, unit_random_t *random, uint32_t paths)
{
    do {
        channel_plan_choose(plan, random, paths, PART_UCX_METHOD_MESSAGE);
    } while (plan->total > MOST_BYTES
             || plan->send_partitions * plan->slices > PART_UCX_CREDIT_SEGMENTS);
}

static void senders_run_ahead(void **state)
{
    unit_random_t random = unit_stream(1);
    uint32_t used_up = 0;

    (void) state;
    for (uint32_t round = unit_repeat(200); round > 0; --round) {
        fakeucx_options_t network = {.seed = unit_random(&random),
                                     .at_once = 50 * unit_below(&random, 3)};
        const uint32_t epochs = 40, paths = 1 + unit_below(&random, 4);
        channel_plan_t plan;
        uint32_t most;

        channel_paths_open(paths, &network);
        choose_plan(&plan, &random, paths);
        make(&plan);
        assert_int_not_equal(0, channel.send->credit);
        most = run_ahead(&random, epochs);
        /* It begins one more, and waits in it. */
        assert_true(most <= channel.send->credit + 1);
        used_up += most >= channel.send->credit ? 1 : 0;
        /* READY of the first epoch, and each time that half of the credit is used up; and a part of
         * a unit may leave by itself. */
        assert_true(fakeucx_messages() <= 1 + epochs / (channel.send->credit / 2)
                                          + epochs * plan.send_partitions * plan.slices);
        channel_free(&channel);
        channel_paths_close();
    }
    assert_true(used_up > 0);
}

/* Numbers of epochs go round. */
static void numbers_go_round(void **state)
{
    static const fakeucx_options_t network = {.seed = 1};
    static const channel_plan_t plan = {.total = 96,
                                        .send_partitions = 3,
                                        .recv_partitions = 2,
                                        .slices = 1,
                                        .group = 1,
                                        .method = PART_UCX_METHOD_MESSAGE};

    (void) state;
    channel_paths_open(2, &network);
    make(&plan);
    channel_grow_old(&channel, 4);
    atomic_store(&channel.send->ready_epoch, atomic_load(&channel.send->super.epoch));
    atomic_store(&channel.send->heeded, atomic_load(&channel.send->super.epoch));
    atomic_store(&channel.send->opened, atomic_load(&channel.send->super.epoch));
    atomic_store(&channel.recv->armed, atomic_load(&channel.recv->super.epoch));
    for (uint32_t i = 0; i < 8; ++i) {
        uint32_t epoch;

        channel_start(0 == i % 2 ? &channel.send->super : &channel.recv->super);
        channel_progress();
        channel_start(0 == i % 2 ? &channel.recv->super : &channel.send->super);
        epoch = atomic_load(&channel.send->super.epoch);
        assert_int_equal(epoch, atomic_load(&channel.recv->super.epoch));
        for (uint32_t partition = 0; partition < 3; ++partition) {
            channel_fill(&channel, epoch, partition);
            assert_int_equal(MPI_SUCCESS, channel_pready(&channel, partition, partition));
        }
        channel_finish(&channel.send->super);
        channel_finish(&channel.recv->super);
        assert_true(channel_is_there(&channel, epoch, 0) && channel_is_there(&channel, epoch, 1));
    }
    channel_free(&channel);
    channel_paths_close();
}

/* Larger ones, those of many segments, and those by puts have none. */
static void who_has_credit(void **state)
{
    static const fakeucx_options_t network = {.seed = 1};
    static const struct {
        channel_plan_t plan;
        uint32_t credit;
    } rows[] = {
        {{0, 4, 4, 1, 4, PART_UCX_METHOD_MESSAGE}, 8},
        {{1024, 4, 4, 1, 4, PART_UCX_METHOD_MESSAGE}, 8},
        {{1536, 4, 4, 1, 4, PART_UCX_METHOD_MESSAGE}, 5},
        {{2048, 256, 4, 1, 4, PART_UCX_METHOD_MESSAGE}, 4},
        {{4096, 4, 4, 1, 1, PART_UCX_METHOD_MESSAGE}, 4},
        {{4100, 4, 4, 1, 1, PART_UCX_METHOD_MESSAGE}, 0},
        {{514, 257, 1, 1, 1, PART_UCX_METHOD_MESSAGE}, 0},
        {{1024, 4, 4, 1, 1, PART_UCX_METHOD_FLUSH}, 0},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        channel_paths_open(1, &network);
        make(&rows[i].plan);
        assert_int_equal(rows[i].credit, channel.send->credit);
        channel_free(&channel);
        channel_paths_close();
    }
}

/* What is kept for all requests together is bounded, and is given back. */
static void all_of_a_process(void **state)
{
    enum { MANY = PART_UCX_CREDIT_USER_TOTAL / 5 / 4096 + 10 };
    static const fakeucx_options_t network = {.seed = 1};
    static const channel_plan_t plan = {.total = 4096,
                                        .send_partitions = 1,
                                        .recv_partitions = 1,
                                        .slices = 1,
                                        .group = 1,
                                        .method = PART_UCX_METHOD_MESSAGE};
    channel_t *channels = unit_allocate(MANY * sizeof(*channels));
    uint32_t with = 0;

    (void) state;
    channel_paths_open(1, &network);
    give_credit();
    for (uint32_t i = 0; i < MANY; ++i) {
        channel_make(&channels[i], &plan);
        with += 0 != channels[i].send->credit ? 1 : 0;
    }
    assert_true(with < MANY - 5 && with > MANY - 20);
    assert_int_equal(0, channels[MANY - 1].send->credit);
    for (uint32_t i = 0; i < MANY; ++i) {
        channel_free(&channels[i]);
    }
    channel_make(&channels[0], &plan);
    assert_int_equal(4, channels[0].send->credit);
    channel_free(&channels[0]);
    channel_paths_close();
    free(channels);
}

/* The send that a receive has met is freed unstarted, and it meets another one: nothing of the
 * first match counts any more, however often that is so. */
static void matched_again(void **state)
{
    static const fakeucx_options_t network = {.seed = 1};
    static const channel_plan_t plan = {.total = 4096,
                                        .send_partitions = 4,
                                        .recv_partitions = 4,
                                        .slices = 1,
                                        .group = 1,
                                        .method = PART_UCX_METHOD_MESSAGE};
    mca_part_ucx_recv_t *recv;

    (void) state;
    channel_paths_open(1, &network);
    make(&plan);
    recv = channel.recv;
    for (uint32_t i = 0; i < 2000; ++i) {
        uint32_t partitions = 0 == i % 2 ? 512 : 4;

        mca_part_ucx_recv_side_unbuild(recv);
        assert_false(mca_part_ucx_credit_covers(recv, 1));
        assert_true(mca_part_ucx_map_init(&recv->super.map, 4096, partitions, 4, 1, 1, 1));
        assert_int_equal(OMPI_SUCCESS, mca_part_ucx_recv_side_build(recv));
        assert_int_equal(4 == partitions ? 4 : 0, mca_part_ucx_credit_epochs(recv));
    }
    channel_free(&channel);
    channel_paths_close();
}

/* Messages arrive at once. */
static const fakeucx_options_t at_once = {.put_in_place = true, .in_order = true};

/* What comes again while it is kept is dropped; what does not fit is wrong. */
static void kept_once(void **state)
{
    static const channel_plan_t plan = {.total = 64,
                                        .send_partitions = 8,
                                        .recv_partitions = 8,
                                        .slices = 1,
                                        .group = 8,
                                        .method = PART_UCX_METHOD_MESSAGE};
    mca_part_ucx_data_header_t header = {.epoch = 2, .segment = 2, .count = 4};
    unsigned char data[64] = {0};
    uint64_t bytes = 8, offset;
    bool kept;

    (void) state;
    channel_paths_open(1, &at_once);
    make(&plan);
    channel_start(&channel.recv->super);
    assert_true(mca_part_ucx_credit_covers(channel.recv, 1 + channel.send->credit));
    assert_false(mca_part_ucx_credit_covers(channel.recv, 2 + channel.send->credit));
    assert_false(mca_part_ucx_credit_covers(channel.recv, 1));
    assert_int_equal(PART_UCX_WRONG,
                     mca_part_ucx_credit_keep(channel.recv, &header, data, 31, &kept));
    assert_int_equal(PART_UCX_TAKE,
                     mca_part_ucx_credit_keep(channel.recv, &header, data, 32, &kept));
    assert_int_equal(PART_UCX_REPEATED,
                     mca_part_ucx_credit_keep(channel.recv, &header, data, 32, &kept));
    header.segment = 5; /* one of its four is there */
    header.count = 2;
    assert_int_equal(PART_UCX_TAKE,
                     mca_part_ucx_credit_keep(channel.recv, &header, data, 16, &kept));
    header.segment = 6;
    header.count = 4; /* beyond the end */
    assert_int_equal(PART_UCX_WRONG,
                     mca_part_ucx_credit_keep(channel.recv, &header, data, 32, &kept));
    channel_start(&channel.send->super);
    for (uint32_t partition = 0; partition < 8; ++partition) {
        channel_fill(&channel, 1, partition);
    }
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, 7));
    channel_finish(&channel.send->super);
    channel_finish(&channel.recv->super);
    /* Between the two steps of MPI_Start: what is kept has not arrived, and is not new either. */
    atomic_store(&channel.recv->super.epoch, 2);
    atomic_store(&channel.recv->remaining, 8);
    (void) mca_part_ucx_credit_arm(channel.recv);
    for (uint32_t segment = 0; segment < 8; ++segment) {
        int seen = segment >= 2 && segment < 7 ? PART_UCX_REPEATED : PART_UCX_TAKE;

        assert_false(mca_part_ucx_arrivals_has(channel.recv->arrivals, segment, 2));
        header = (mca_part_ucx_data_header_t){.epoch = 2, .segment = segment, .count = 1};
        assert_int_equal(seen, mca_part_ucx_recv_judge(channel.recv, mca_part_ucx_paths.path,
                                                       &header, &bytes, &offset));
    }
    mca_part_ucx_credit_deliver(channel.recv, 1); /* a thread that started that is late */
    assert_int_equal(8, atomic_load(&channel.recv->remaining));
    mca_part_ucx_credit_deliver(channel.recv, 2);
    assert_int_equal(3, atomic_load(&channel.recv->remaining));
    channel_free(&channel);
    channel_paths_close();
}

/* The sender's epoch is over, and its receiver is freed: before it has started the same, or later.
 */
static void prepare_ends_with_the_receiver(void **state)
{
    static const channel_plan_t plan = {.total = 64,
                                        .send_partitions = 1,
                                        .recv_partitions = 1,
                                        .slices = 1,
                                        .group = 1,
                                        .method = PART_UCX_METHOD_MESSAGE};

    (void) state;
    for (uint32_t last = 1; last <= 2; ++last) {
        mca_part_ucx_channel_t *send;

        channel_paths_open(1, &at_once);
        make(&plan);
        send = &channel.send->super;
        channel_start(&channel.recv->super);
        for (uint32_t epoch = 1; epoch <= 2; ++epoch) {
            channel_start(send);
            channel_fill(&channel, epoch, 0);
            assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, 0));
            channel_finish(send);
        }
        atomic_store(&send->said.epoch, last);
        atomic_store(&send->said.reason, PART_UCX_END_FREED);
        atomic_store(&send->said.from, atomic_load(&send->peer_key));
        assert_int_equal(1 == last ? MPI_ERR_OTHER : MPI_SUCCESS,
                         mca_part_ucx_send_prepare(channel.send));
        channel_finish(&channel.recv->super);
        channel_free(&channel);
        channel_paths_close();
    }
}

/* ---- threads: one for each end, and one that makes progress ---- */

enum { THREADED_EPOCHS = 60 };

static atomic_uint begun, ended; /* epochs of the receiver */

static void linger(unit_random_t *random)
{
    for (uint32_t i = unit_below(random, 20); i > 0; --i) {
        channel_progress();
    }
}

static void finish_epoch(mca_part_ucx_channel_t *end)
{
    while (!channel_test(end) && !unit_thread_failed()) {
        channel_progress_in_turn();
    }
}

/* Some epochs without: the sender is ahead when it asks first. */
static void prepare(unit_random_t *random, uint32_t epoch)
{
    if (epoch > 5 && 0 != unit_below(random, 4)) {
        (void) mca_part_ucx_send_prepare(channel.send);
        if (atomic_load(&begun) < epoch) {
            unit_thread_fail("prepared before the receiver has started");
        }
    }
}

static void run_send(bool preparing)
{
    unit_random_t random = unit_stream(100);

    for (uint32_t epoch = 1; epoch <= THREADED_EPOCHS; ++epoch) {
        linger(&random);
        channel_start(&channel.send->super);
        if (preparing) {
            prepare(&random, epoch);
        }
        for (uint32_t i = 0; i < channel.plan.send_partitions; ++i) {
            channel_fill(&channel, epoch, i);
            (void) channel_pready(&channel, i, i);
        }
        finish_epoch(&channel.send->super);
    }
}

static void run_recv(void)
{
    unit_random_t random = unit_stream(101);

    for (uint32_t epoch = 1; epoch <= THREADED_EPOCHS; ++epoch) {
        linger(&random);
        atomic_store(&begun, epoch);
        channel_start(&channel.recv->super);
        finish_epoch(&channel.recv->super);
        for (uint32_t i = 0; i < channel.plan.recv_partitions; ++i) {
            if (!channel_is_there(&channel, epoch, i)) {
                unit_thread_fail("partition %u of epoch %u is not there", i, epoch);
            }
        }
        atomic_store(&ended, epoch);
    }
}

static void run_end(unsigned index, void *preparing)
{
    if (0 == index) {
        run_send(NULL != preparing);
    } else if (1 == index) {
        run_recv();
    }
    while (THREADED_EPOCHS != atomic_load(&ended) && !unit_thread_failed()) {
        channel_progress_in_turn();
    }
}

static void run_threads(uint64_t stream, bool preparing)
{
    unit_random_t random = unit_stream(stream);

    for (uint32_t round = unit_repeat(40); round > 0; --round) {
        fakeucx_options_t network = {.seed = unit_random(&random), .at_once = 30};
        uint32_t paths = 1 + unit_below(&random, 3);
        channel_plan_t plan;

        channel_paths_open(paths, &network);
        choose_plan(&plan, &random, paths);
        make(&plan);
        atomic_store(&begun, 0);
        atomic_store(&ended, 0);
        unit_threads(3, run_end, preparing ? &channel : NULL);
        assert_false(unit_thread_failed());
        channel_free(&channel);
        channel_paths_close();
    }
}

static void threads_run_ahead(void **state)
{
    (void) state;
    run_threads(3, false);
}

static void prepare_waits_for_the_receiver(void **state)
{
    (void) state;
    run_threads(2, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(senders_run_ahead),
        cmocka_unit_test(numbers_go_round),
        cmocka_unit_test(who_has_credit),
        cmocka_unit_test(all_of_a_process),
        cmocka_unit_test(matched_again),
        cmocka_unit_test(kept_once),
        cmocka_unit_test(prepare_ends_with_the_receiver),
        cmocka_unit_test(threads_run_ahead),
        cmocka_unit_test(prepare_waits_for_the_receiver),
    };

    return UNIT_RUN(tests);
}
