/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Paths that break in the middle: random plans and epochs over a network that is made up, of which
 * some paths fail after some operations. Checked: whatever MPI_Parrived reports is there (no flag
 * follows a failed put), a receive that completes well has everything, both sides come to an end,
 * with an error where something is missing, and nothing leaves afterwards.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"
#include "channel/part_ucx_recv_side.h"
#include "fakehelp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS  1000000u /* far more than a round can need */
#define TURNS  64u
#define REUSED 0        /* what a program writes afterwards, which is no byte of an epoch */

/* One side of a channel. */
typedef struct side_t {
    mca_part_ucx_channel_t *request;
    uint32_t begun; /* epochs */
    bool active;
    bool failed;
    bool told; /* the other side has had END from this one, which has failed */
} side_t;

typedef struct flow_t {
    channel_t channel;
    uint32_t epochs;
    side_t send, recv;
    uint32_t order[CHANNEL_MOST_PARTS]; /* of marking */
    uint32_t marked;
    bool reused; /* the receive buffer, after a failure */
} flow_t;

static unsigned rounds_failed, rounds_finished;

static void describe(const flow_t *flow, const char *what)
{
    const mca_part_ucx_map_t *map = &flow->channel.send->super.map;

    fail_msg("%s: epochs %u and %u of %u, %llu bytes, %u to %u partitions, %u slices, group %u, "
             "%u paths, method %d",
             what, flow->send.begun, flow->recv.begun, flow->epochs,
             (unsigned long long) map->total, map->send_partitions, map->recv_partitions,
             map->slices, map->group, map->pairs, (int) flow->channel.plan.method);
}

static void expect(bool good, const flow_t *flow, const char *what)
{
    if (!good) {
        describe(flow, what);
    }
}

/* ---- one step of either side ---- */

static bool begin(flow_t *flow, side_t *side)
{
    if (side->active || side->failed || side->begun == flow->epochs) {
        return false;
    }
    side->active = true;
    ++side->begun;
    channel_start(side->request);
    return true;
}

/* The buffer is its user's again, even if the other side goes on. The made-up network notices if it
 * still needs the source. */
static void reuse(flow_t *flow, const side_t *side)
{
    size_t total = flow->channel.plan.total;

    if (&flow->send == side) {
        memset(flow->channel.source, REUSED, total);
    } else {
        memset(flow->channel.target, REUSED, total);
        flow->reused = true;
    }
}

/* MPI_Test; a request that has failed is freed by it, which tells the other side. */
static bool end(flow_t *flow, side_t *side)
{
    int error;

    if (!side->active || !channel_test(side->request)) {
        return false;
    }
    side->active = false;
    error = channel_outcome(side->request);
    expect(MPI_SUCCESS == error || MPI_ERR_OTHER == error, flow, "another error");
    side->failed = MPI_SUCCESS != error;
    if (side->failed) {
        reuse(flow, side);
    }
    return true;
}

static void tell(side_t *from, side_t *to)
{
    if (from->failed && !from->told) {
        from->told = true;
        channel_hear_end(to->request, from->request->key, from->begun - 1, PART_UCX_END_FREED);
    }
}

static void step_send(flow_t *flow, unit_random_t *random)
{
    const channel_plan_t *plan = &flow->channel.plan;

    if (begin(flow, &flow->send)) {
        flow->marked = 0;
        unit_order(random, flow->order, plan->send_partitions);
    } else if (flow->send.active && flow->marked < plan->send_partitions) {
        uint32_t partition = flow->order[flow->marked++];

        channel_fill(&flow->channel, flow->send.begun, partition);
        (void) channel_pready(&flow->channel, partition, partition);
    } else {
        (void) end(flow, &flow->send);
    }
    if (0 == unit_below(random, 8)) {
        tell(&flow->send, &flow->recv);
    }
}

static void check_partition(const flow_t *flow, uint32_t partition, const char *what)
{
    expect(channel_is_there(&flow->channel, flow->recv.begun, partition), flow, what);
}

static void step_receive(flow_t *flow, unit_random_t *random)
{
    uint32_t partitions = flow->channel.plan.recv_partitions;
    uint32_t partition = unit_below(random, partitions);

    if (flow->recv.active && !channel_complete(flow->recv.request)
        && channel_parrived(&flow->channel, partition, partition)) {
        check_partition(flow, partition, "a partition is reported before it is there");
    }
    if (!begin(flow, &flow->recv) && end(flow, &flow->recv) && !flow->recv.failed) {
        for (uint32_t i = 0; i < partitions; ++i) {
            check_partition(flow, i, "a receive completes well without its data");
        }
    }
    if (0 == unit_below(random, 8)) {
        tell(&flow->recv, &flow->send);
    }
}

static bool is_over(const flow_t *flow, const side_t *side)
{
    return !side->active && (side->failed || side->begun == flow->epochs);
}

static void run(flow_t *flow, unit_random_t *random)
{
    for (unsigned i = 0; !is_over(flow, &flow->send) || !is_over(flow, &flow->recv); ++i) {
        switch (unit_below(random, 3)) {
        case 0:
            step_send(flow, random);
            break;
        case 1:
            step_receive(flow, random);
            break;
        default:
            channel_progress();
            channel_watch();
            break;
        }
        expect(i < STEPS, flow, "no end of it");
        UNIT_CHECK(NULL == fakeucx_violation(), "%s", fakeucx_violation());
    }
}

/* ---- afterwards ---- */

static unsigned messages_posted(unsigned paths)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < paths; ++i) {
        sum += fakeucx_counts(i).messages;
    }
    return sum;
}

/* What was under way ends; then the buffers are the user's: no data may leave any more. (Flags may,
 * of puts that were flushed: they tell the truth.) */
static void check_quiet(const flow_t *flow, unsigned paths)
{
    const struct timespec longer_than_hold = {.tv_nsec = 60000};
    uint64_t total = flow->channel.plan.total;
    unsigned char *before = unit_allocate(total + 1);
    unsigned messages;

    /* A path may have to wait for some turns of others. */
    for (unsigned i = 0; i < STEPS && (i < TURNS || 0 != fakeucx_in_flight()); ++i) {
        channel_progress();
    }
    messages = messages_posted(paths);
    memset(flow->channel.source, REUSED, total);
    memcpy(before, flow->channel.target, total);
    for (int i = 0; i < 20; ++i) {
        (void) nanosleep(&longer_than_hold, NULL);
        channel_progress();
    }
    expect(messages == messages_posted(paths), flow, "a message leaves after both have ended");
    expect(0 == memcmp(before, flow->channel.target, total), flow,
           "data leave after both have ended");
    for (uint64_t i = 0; flow->reused && i < total; ++i) {
        expect(REUSED == before[i], flow, "data arrive after the receive has ended");
    }
    free(before);
}

static void release(flow_t *flow)
{
    for (unsigned i = 0; i < STEPS && 0 != fakeucx_in_flight(); ++i) {
        channel_progress();
    }
    if (flow->recv.failed) {
        mca_part_ucx_recv_side_unbuild(flow->channel.recv);
    }
    channel_free(&flow->channel);
}

static void play_round(uint64_t seed, mca_part_ucx_method_t method)
{
    static flow_t flow;
    unit_random_t random = unit_stream(seed);
    unsigned paths = 1 + unit_below(&random, 4);
    const fakeucx_options_t network = {.seed = seed,
                                       .at_once = unit_below(&random, 101),
                                       .put_in_place = PART_UCX_METHOD_CHAINED == method,
                                       .lazy = unit_below(&random, 90),
                                       .breaking = 1 + unit_below(&random, (1u << paths) - 1),
                                       .lasts = unit_below(&random, 60)};
    channel_plan_t plan;

    channel_paths_open(paths, &network);
    mca_part_ucx_params.window = 1u << (8 + unit_below(&random, 12));
    mca_part_ucx_params.eager_limit = 1u << unit_below(&random, 16);
    mca_part_ucx_params.hold = 0 == unit_below(&random, 2) ? 0 : 20;
    memset(&flow, 0, sizeof(flow));
    channel_plan_choose(&plan, &random, paths, method);
    channel_make(&flow.channel, &plan);
    flow.channel.recv->writable = PART_UCX_METHOD_MESSAGE != method;
    flow.epochs = 1 + unit_below(&random, 5);
    flow.send.request = &flow.channel.send->super;
    flow.recv.request = &flow.channel.recv->super;
    run(&flow, &random);
    check_quiet(&flow, paths);
    if (flow.send.failed || flow.recv.failed) {
        ++rounds_failed;
    } else {
        ++rounds_finished;
    }
    release(&flow);
    channel_paths_close();
}

static void play(mca_part_ucx_method_t method)
{
    uint32_t rounds = unit_repeat(600);

    rounds_failed = rounds_finished = 0;
    fakehelp_reset();
    for (uint32_t round = 0; round < rounds; ++round) {
        play_round(200000 + 10000 * (unsigned) method + round, method);
    }
    assert_true(rounds_failed > rounds / 4); /* else nothing much has been tested */
    assert_true(rounds_finished > rounds / 50);
}

static void messages(void **state)
{
    (void) state;
    play(PART_UCX_METHOD_MESSAGE);
}

static void flushed_puts(void **state)
{
    (void) state;
    play(PART_UCX_METHOD_FLUSH);
}

static void chained_puts(void **state)
{
    (void) state;
    play(PART_UCX_METHOD_CHAINED);
}

static const channel_plan_t two_partitions = {.total = 64,
                                              .send_partitions = 2,
                                              .recv_partitions = 2,
                                              .slices = 1,
                                              .group = 1,
                                              .method = PART_UCX_METHOD_MESSAGE};

/* END goes over the paths and ACCEPT over the PML, so it may be there first: it counts when the
 * receiver is known. One of another receive, which is gone, does not. */
static void close_before_accept(void **state)
{
    const fakeucx_options_t network = {.seed = 1};

    (void) state;
    fakehelp_reset();
    for (int right = 0; right < 2; ++right) {
        channel_t channel;
        uint64_t key;

        channel_paths_open(1, &network);
        memset(&channel, 0, sizeof(channel));
        channel_make_open(&channel, &two_partitions);
        key = atomic_load(&channel.send->super.peer_key);
        atomic_store(&channel.send->super.peer_key, 0);
        channel_hear_end(&channel.send->super, 1 == right ? key : key + 1, 0, PART_UCX_END_FREED);
        channel_start(&channel.send->super);
        channel_link(&channel);
        atomic_store(&channel.send->super.peer_key, key);
        mca_part_ucx_channel_heed_end(&channel.send->super, key);
        channel_watch();
        channel_progress();
        assert_int_equal(right, channel_test(&channel.send->super));
        assert_int_equal(1 == right ? MPI_ERR_OTHER : MPI_SUCCESS,
                         atomic_load(&channel.send->super.error));
        assert_int_equal(right, fakehelp_count());
        mca_part_ucx_channel_fail(&channel.send->super, MPI_ERR_OTHER);
        channel_watch();
        channel_progress();
        channel_free(&channel);
        channel_paths_close();
    }
}

static void run_epochs(channel_t *channel, uint32_t epochs)
{
    for (uint32_t epoch = 1; epoch <= epochs; ++epoch) {
        channel_start(&channel->recv->super);
        channel_start(&channel->send->super);
        assert_int_equal(MPI_SUCCESS, channel_pready(channel, 0, 1));
        channel_finish(&channel->send->super);
        channel_finish(&channel->recv->super);
    }
}

/* Its sender, which waits for the epoch in which a receive has failed, is told of the one before,
 * and ends, too; starts of such a receive do not count. */
static void started_again_after_a_failure(void **state)
{
    const fakeucx_options_t network = {.seed = 1, .at_once = 100};

    (void) state;
    for (uint32_t more = 0; more < 3; ++more) {
        channel_t channel;
        mca_part_ucx_channel_t *recv;

        fakehelp_reset();
        channel_paths_open(1, &network);
        memset(&channel, 0, sizeof(channel));
        channel_make(&channel, &two_partitions);
        recv = &channel.recv->super;
        run_epochs(&channel, 2);
        channel_start(recv);
        channel_start(&channel.send->super);
        mca_part_ucx_channel_fail(recv, MPI_ERR_OTHER);
        channel_watch();
        channel_progress();
        assert_true(channel_test(recv));
        for (uint32_t i = 0; i < more; ++i) {
            channel_start(recv);
            channel_progress();
            assert_true(channel_test(recv));
        }
        for (unsigned i = 0; i < 1000; ++i) {
            channel_progress();
            channel_watch();
        }
        assert_int_equal(2, atomic_load(&channel.send->super.said.epoch));
        assert_true(channel_test(&channel.send->super));
        assert_int_equal(MPI_ERR_OTHER, atomic_load(&channel.send->super.error));
        assert_int_equal(1, fakehelp_count());
        channel_free(&channel);
        channel_paths_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),
        cmocka_unit_test(flushed_puts),
        cmocka_unit_test(chained_puts),
        cmocka_unit_test(close_before_accept),
        cmocka_unit_test(started_again_after_a_failure),
    };

    return UNIT_RUN(tests);
}
