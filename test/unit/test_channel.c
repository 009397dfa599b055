/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whole channels over a network that is made up: random plans, several channels at once, several
 * epochs, sender and receiver out of step. What the network may delay and reorder, it does.
 * Checked: every byte of a partition the moment MPI_Parrived reports it, a receive buffer that
 * nobody touches before its start, a source that is free after completion, and that everything
 * ends.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CHANNELS 4u
#define MOST_PARTS    CHANNEL_MOST_PARTS
#define STEPS         3000000u /* far more than a round can need */

/* One channel and what its two ends are doing. */
typedef struct flow_t {
    channel_t channel;
    uint32_t epochs;         /* to be done */
    uint32_t sent, received; /* epochs begun at either end */
    bool sending, receiving;
    uint32_t order[MOST_PARTS]; /* of marking */
    uint32_t marked;
    bool seen[MOST_PARTS]; /* receive partitions reported in this epoch */
} flow_t;

/* Partitions that were reported before their bytes were there; expected in one test only. */
static unsigned early;
static bool early_expected;

static void fill(flow_t *flow, uint32_t partition)
{
    channel_fill(&flow->channel, flow->sent, partition);
}

static bool is_there(const flow_t *flow, uint32_t partition)
{
    return channel_is_there(&flow->channel, flow->received, partition);
}

static void describe(const flow_t *flow, const char *what)
{
    const mca_part_ucx_map_t *map = &flow->channel.send->super.map;

    fail_msg("%s: epoch %u/%u of %u, %llu bytes, %u to %u partitions, %u slices, group %u, "
             "%u paths, method %d",
             what, flow->sent, flow->received, flow->epochs, (unsigned long long) map->total,
             map->send_partitions, map->recv_partitions, map->slices, map->group, map->pairs,
             (int) flow->channel.plan.method);
}

static void expect(bool good, const flow_t *flow, const char *what)
{
    if (!good) {
        describe(flow, what);
    }
}

/* ---- one step of either end ---- */

static void step_send(flow_t *flow, unit_random_t *random)
{
    const channel_plan_t *plan = &flow->channel.plan;

    if (!flow->sending) {
        if (flow->sent < flow->epochs) {
            flow->sending = true;
            ++flow->sent;
            flow->marked = 0;
            unit_order(random, flow->order, plan->send_partitions);
            channel_start(&flow->channel.send->super);
        }
    } else if (flow->marked < plan->send_partitions) {
        uint32_t partition = flow->order[flow->marked++];

        expect(!channel_complete(&flow->channel.send->super), flow,
               "a send completes that is not marked");
        fill(flow, partition);
        expect(MPI_SUCCESS == channel_pready(&flow->channel, partition, partition), flow,
               "a mark is refused");
    } else if (channel_test(&flow->channel.send->super)) {
        expect(MPI_SUCCESS == channel_outcome(&flow->channel.send->super), flow,
               "a send fails");
        memset(flow->channel.source, 0, plan->total); /* it is ours again */
        flow->sending = false;
    }
}

static void look(flow_t *flow, uint32_t partition)
{
    if (!channel_parrived(&flow->channel, partition, partition)) {
        expect(!flow->seen[partition], flow, "a partition is gone again");
    } else if (!flow->seen[partition]) {
        flow->seen[partition] = true;
        if (!is_there(flow, partition)) {
            ++early;
            expect(early_expected, flow, "a partition is reported before it is there");
        }
    }
}

static void check_untouched(const flow_t *flow)
{
    for (uint64_t i = 0; i < flow->channel.plan.total; ++i) {
        expect(0 == flow->channel.target[i], flow, "the buffer is written before the start");
    }
}

static void step_receive(flow_t *flow, unit_random_t *random)
{
    const channel_plan_t *plan = &flow->channel.plan;

    if (!flow->receiving) {
        if (flow->received < flow->epochs) {
            check_untouched(flow);
            flow->receiving = true;
            ++flow->received;
            memset(flow->seen, 0, sizeof(flow->seen));
            channel_start(&flow->channel.recv->super);
        }
        return;
    }
    look(flow, unit_below(random, plan->recv_partitions));
    if (0 != unit_below(random, 3) || !channel_test(&flow->channel.recv->super)) {
        return;
    }
    for (uint32_t i = 0; i < plan->recv_partitions; ++i) {
        expect(early_expected || is_there(flow, i), flow, "a receive completes without its data");
    }
    expect(plan->total == channel_request(&flow->channel.recv->super)->any.super.req_status._ucount,
           flow, "the status of a receive");
    flow->receiving = false;
    if (early_expected) { /* what was late must not disturb the next epoch */
        for (int i = 0; i < 1000; ++i) {
            channel_progress();
        }
    }
    memset(flow->channel.target, 0, plan->total);
}

static bool is_over(const flow_t *flow)
{
    return flow->sent == flow->epochs && flow->received == flow->epochs && !flow->sending
           && !flow->receiving;
}

/* ---- random rounds ---- */

static void run_round(flow_t *flows, unsigned count, unit_random_t *random)
{
    unsigned over = 0;
    unsigned steps = 0;

    while (over < count) {
        flow_t *flow = &flows[unit_below(random, count)];

        switch (unit_below(random, 3)) {
        case 0:
            step_send(flow, random);
            break;
        case 1:
            step_receive(flow, random);
            break;
        default:
            channel_progress();
            break;
        }
        over = 0;
        for (unsigned i = 0; i < count; ++i) {
            over += is_over(&flows[i]) ? 1 : 0;
        }
        expect(++steps < STEPS, flow, "no end of it");
        UNIT_CHECK(NULL == fakeucx_violation(), "%s", fakeucx_violation());
    }
}

static void play_round(uint64_t seed, mca_part_ucx_method_t method, bool put_in_place)
{
    static flow_t flows[MOST_CHANNELS];
    unit_random_t random = unit_stream(seed);
    unsigned count = 1 + unit_below(&random, MOST_CHANNELS);
    unsigned paths = 1 + unit_below(&random, 5);
    const fakeucx_options_t network = {.seed = seed,
                                       .at_once = unit_below(&random, 101),
                                       .put_in_place = put_in_place,
                                       .lazy = unit_below(&random, 90)};

    channel_paths_open(paths, &network);
    mca_part_ucx_params.window = 1u << (8 + unit_below(&random, 12));
    mca_part_ucx_params.eager_limit = 1u << unit_below(&random, 16);
    mca_part_ucx_params.hold = 0 == unit_below(&random, 2) ? 0 : 20;
    memset(flows, 0, sizeof(flows));
    for (unsigned i = 0; i < count; ++i) {
        channel_plan_t plan;

        channel_plan_choose(&plan, &random, paths, method);
        channel_make(&flows[i].channel, &plan);
        flows[i].channel.number = i;
        flows[i].epochs = 1 + unit_below(&random, 5);
        if (0 == unit_below(&random, 3)) {
            channel_grow_old(&flows[i].channel, unit_below(&random, 5));
        }
    }
    run_round(flows, count, &random);
    for (unsigned i = 0; i < count; ++i) {
        channel_free(&flows[i].channel);
    }
    channel_paths_close();
}

static void play(mca_part_ucx_method_t method, bool put_in_place)
{
    early = 0;
    early_expected = false;
    for (uint32_t round = 0; round < unit_repeat(600); ++round) {
        play_round(10000 * (unsigned) method + round, method, put_in_place);
    }
}

static void messages(void **state)
{
    (void) state;
    play(PART_UCX_METHOD_MESSAGE, false);
}

static void flushed_puts(void **state)
{
    (void) state;
    play(PART_UCX_METHOD_FLUSH, false);
}

static void chained_puts_where_completion_means_in_place(void **state)
{
    (void) state;
    play(PART_UCX_METHOD_CHAINED, true);
}

/* The network does its worst, and this test can see it: elsewhere chained flags are early. */
static void chained_puts_elsewhere_are_caught(void **state)
{
    (void) state;
    early = 0;
    early_expected = true;
    for (uint32_t round = 0; round < 100 && 0 == early; ++round) {
        play_round(90000 + round, PART_UCX_METHOD_CHAINED, false);
    }
    assert_true(early > 0);
    early_expected = false;
}

/* ---- single properties ---- */

static void make_one(flow_t *flow, const channel_plan_t *plan, unsigned paths, bool in_order)
{
    const fakeucx_options_t network = {.seed = paths, .in_order = in_order};

    channel_paths_open(paths, &network);
    memset(flow, 0, sizeof(*flow));
    channel_make(&flow->channel, plan);
    flow->epochs = 1;
    flow->sent = flow->received = 1;
    channel_start(&flow->channel.send->super);
    channel_start(&flow->channel.recv->super);
    assert_false(atomic_load(&flow->channel.recv->super.peer->knows_us));
}

static void finish_one(flow_t *flow)
{
    for (unsigned i = 0; i < STEPS && !channel_test(&flow->channel.recv->super); ++i) {
        channel_progress();
    }
    for (unsigned i = 0; i < STEPS && !channel_test(&flow->channel.send->super); ++i) {
        channel_progress();
    }
    for (uint32_t i = 0; i < flow->channel.plan.recv_partitions; ++i) {
        expect(is_there(flow, i), flow, "data are missing");
    }
    expect(atomic_load(&flow->channel.recv->super.peer->knows_us), flow,
           "data have come, and the receiver does not conclude that the sender knows it");
    channel_free(&flow->channel);
    channel_paths_close();
}

/* A ready partition does not wait for its neighbours for ever, only for what hold allows. */
static void lone_partition(void **state)
{
    static flow_t flow;

    (void) state;
    for (int method = PART_UCX_METHOD_MESSAGE; method <= PART_UCX_METHOD_FLUSH; ++method) {
        const channel_plan_t plan = {.total = 6400,
                                     .send_partitions = 64,
                                     .recv_partitions = 64,
                                     .slices = 1,
                                     .group = 16,
                                     .method = (mca_part_ucx_method_t) method};

        make_one(&flow, &plan, 3, false);
        mca_part_ucx_params.hold = 50;
        for (uint32_t i = 0; i < 64; i += 21) {
            fill(&flow, i);
            assert_int_equal(MPI_SUCCESS, channel_pready(&flow.channel, i, i));
            for (unsigned tries = 0; tries < STEPS && !flow.seen[i]; ++tries) {
                (void) mca_part_ucx_paths_drive(false); /* as the helper thread does */
                look(&flow, i);
            }
            expect(flow.seen[i], &flow, "a lone partition does not arrive");
            expect(!channel_parrived(&flow.channel, 0, 63), &flow, "unmarked ones arrive");
        }
        for (uint32_t i = 0; i < 64; ++i) {
            if (!flow.seen[i]) {
                fill(&flow, i);
                assert_int_equal(MPI_SUCCESS, channel_pready(&flow.channel, i, i));
            }
        }
        finish_one(&flow);
    }
}

/* A program that calls nothing but MPI_Parrived comes to an end: the call drives the paths. */
static void parrived_makes_progress(void **state)
{
    static flow_t flow;

    (void) state;
    for (int method = PART_UCX_METHOD_MESSAGE; method <= PART_UCX_METHOD_FLUSH; ++method) {
        const channel_plan_t plan = {.total = 65536,
                                     .send_partitions = 4,
                                     .recv_partitions = 8,
                                     .slices = 4,
                                     .group = 1,
                                     .method = (mca_part_ucx_method_t) method};
        unsigned calls = 0;

        make_one(&flow, &plan, 4, false);
        for (uint32_t i = 0; i < 4; ++i) {
            fill(&flow, i);
        }
        assert_int_equal(MPI_SUCCESS, channel_pready(&flow.channel, 0, 3));
        (void) channel_engine(false);
        while (!channel_parrived(&flow.channel, 0, 7)) {
            expect(++calls < STEPS, &flow, "a loop over MPI_Parrived has no end");
        }
        assert_true(channel_engine(true) > 0); /* the rest of Open MPI has its turn, too */
        finish_one(&flow);
    }
}

/* Before the receive has met its send, MPI_Parrived calls Open MPI, which brings the two together.
 */
static void parrived_before_the_match(void **state)
{
    const channel_plan_t plan = {.total = 64,
                                 .send_partitions = 4,
                                 .recv_partitions = 4,
                                 .slices = 1,
                                 .group = 1,
                                 .method = PART_UCX_METHOD_MESSAGE};
    static flow_t flow;

    (void) state;
    make_one(&flow, &plan, 2, false);
    atomic_store(&flow.channel.recv->super.state, PART_UCX_OPEN);
    (void) channel_engine(false);
    for (int i = 0; i < 1000; ++i) {
        expect(!channel_parrived(&flow.channel, 0, 0), &flow, "arrived before the match");
    }
    assert_uint_in_range(channel_engine(true), 5, 1000);
    atomic_store(&flow.channel.recv->super.state, PART_UCX_MATCHED);
    for (uint32_t i = 0; i < 4; ++i) {
        fill(&flow, i);
    }
    assert_int_equal(MPI_SUCCESS, channel_pready(&flow.channel, 0, 3));
    finish_one(&flow);
}

/* Neighbouring flags leave in one put, and one flush serves many puts. */
static void flags_leave_together(void **state)
{
    const channel_plan_t plan = {.total = 32 * 64,
                                 .send_partitions = 32,
                                 .recv_partitions = 32,
                                 .slices = 1,
                                 .group = 1,
                                 .method = PART_UCX_METHOD_FLUSH};
    static flow_t flow;

    (void) state;
    make_one(&flow, &plan, 1, true);
    for (unsigned i = 0; i < STEPS && 0 == atomic_load(&flow.channel.send->ready_epoch); ++i) {
        channel_progress();
    }
    mca_part_ucx_lock_wait(
        &mca_part_ucx_paths.path[0].lock); /* all are queued, then all are posted */
    for (uint32_t i = 0; i < 32; ++i) {
        fill(&flow, i);
        assert_int_equal(MPI_SUCCESS, channel_pready(&flow.channel, i, i));
    }
    mca_part_ucx_lock_release(&mca_part_ucx_paths.path[0].lock);
    while (!channel_parrived(&flow.channel, 0, 31)) {
        channel_progress();
    }
    assert_uint_in_range(fakeucx_counts(0).puts, 33, 32 + 20);
    assert_uint_in_range(fakeucx_counts(0).flushes, 1, 19);
    finish_one(&flow);
}

/* Not more in flight on a path than the window allows: early partitions are there early. */
static void window_is_kept(void **state)
{
    const channel_plan_t plan = {.total = 64 * 1000,
                                 .send_partitions = 64,
                                 .recv_partitions = 64,
                                 .slices = 1,
                                 .group = 1,
                                 .method = PART_UCX_METHOD_MESSAGE};
    static flow_t flow;

    (void) state;
    make_one(&flow, &plan, 2, true);
    mca_part_ucx_params.window = 5000;
    for (uint32_t i = 0; i < 64; ++i) {
        fill(&flow, i);
    }
    assert_int_equal(MPI_SUCCESS, channel_pready(&flow.channel, 0, 63));
    while (!channel_parrived(&flow.channel, 0, 63)) {
        channel_progress();
    }
    assert_int_equal(5, fakeucx_counts(0).most);
    assert_int_equal(5, fakeucx_counts(1).most);
    finish_one(&flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),
        cmocka_unit_test(flushed_puts),
        cmocka_unit_test(chained_puts_where_completion_means_in_place),
        cmocka_unit_test(chained_puts_elsewhere_are_caught),
        cmocka_unit_test(lone_partition),
        cmocka_unit_test(parrived_makes_progress),
        cmocka_unit_test(parrived_before_the_match),
        cmocka_unit_test(flags_leave_together),
        cmocka_unit_test(window_is_kept),
    };

    return UNIT_RUN(tests);
}
