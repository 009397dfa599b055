/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of deliveries: which row delivers what, and what happens when a row cannot, or the path
 * has no room. The table has one row more than the component's, added as
 * docs/adding-a-delivery-method.md says (delivery_table.h).
 */
#include "unit.h"

#include "channel.h"
#include "channel/part_ucx_delivery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The component's table, before it is made longer. */
#define NAME(row) " " #row
static const char shipped[] = PART_UCX_DELIVERIES(NAME);

#include "delivery_table.h"

static const char built[] = PART_UCX_DELIVERIES(NAME);

#define SMALL 100u
#define LARGE 20000u /* above the limit of eager messages */
#define LIMIT 16384u

/* ---- channels ---- */

/* Paths through shared memory. */
static void open_paths(unsigned count, const fakeucx_options_t *network)
{
    memset(delivery_counts, 0, sizeof(delivery_counts));
    channel_paths_open(count, network);
    mca_part_ucx_params.shared_eager_limit = LIMIT;
    mca_part_ucx_params.shared_copy = PART_UCX_COPY_SENDER;
    for (unsigned i = 0; i < count; ++i) {
        mca_part_ucx_paths.path[i].device.kind = PART_UCX_DEVICE_SHARED;
    }
}

/* A channel whose sender may write to a process, or, with 0, to none. */
static void make(channel_t *channel, const channel_plan_t *plan, pid_t process)
{
    channel_make(channel, plan);
    channel_let_place(channel, (int32_t) process);
}

static channel_plan_t partitions_of(uint64_t bytes, uint32_t count, uint32_t group)
{
    return (channel_plan_t) {.total = count * bytes,
                             .send_partitions = count,
                             .recv_partitions = count,
                             .slices = 1,
                             .group = group,
                             .method = PART_UCX_METHOD_MESSAGE};
}

/* Both ends have started, and the sender knows it. */
static void start(channel_t *channel)
{
    channel_start(&channel->recv->super);
    channel_start(&channel->send->super);
    for (unsigned i = 0; i < 100000 && !mca_part_ucx_send_heard_ready(channel->send); ++i) {
        channel_progress();
    }
    assert_true(mca_part_ucx_send_heard_ready(channel->send));
}

static void mark_all(channel_t *channel)
{
    for (uint32_t part = 0; part < channel->plan.send_partitions; ++part) {
        channel_fill(channel, 1, part);
    }
    assert_int_equal(MPI_SUCCESS, channel_pready(channel, 0, channel->plan.send_partitions - 1));
}

static void finish(channel_t *channel, uint32_t epoch)
{
    channel_finish(&channel->recv->super);
    channel_finish(&channel->send->super);
    for (uint32_t part = 0; part < channel->plan.recv_partitions; ++part) {
        assert_true(channel_is_there(channel, epoch, part));
    }
}

/* ---- the table ---- */

static void one_row_has_been_added(void **state)
{
    static const char added[] = " self";
    const char *at = strstr(built, added);

    (void) state;
    assert_non_null(at);
    assert_int_equal(strlen(shipped) + strlen(added), strlen(built));
    assert_memory_equal(shipped, built, (size_t) (at - built));
    assert_string_equal(shipped + (at - built), at + strlen(added));
}

static void rows_are_complete(void **state)
{
    char names[sizeof(built)] = "";

    (void) state;
    for (unsigned row = 0; row < DELIVERY_ROWS; ++row) {
        assert_true(NULL != delivery_rows[row]->post && NULL != delivery_rows[row]->done);
        assert_true(PART_UCX_METHOD_AUTO != delivery_rows[row]->method);
        strcat(strcat(names, " "), delivery_rows[row]->name);
    }
    assert_string_equal(built, names); /* each is named as its file is */
}

/* Of every method: whatever the others refuse, the last row takes. */
static void last_rows_take_all(void **state)
{
    const mca_part_ucx_delivery_t *last[PART_UCX_METHOD_CHAINED + 1] = {NULL};

    (void) state;
    for (unsigned row = 0; row < DELIVERY_ROWS; ++row) {
        last[delivery_rows[row]->method] = delivery_rows[row];
    }
    for (unsigned method = PART_UCX_METHOD_MESSAGE; method <= PART_UCX_METHOD_CHAINED; ++method) {
        assert_non_null(last[method]);
        assert_true(NULL == last[method]->serves && NULL == last[method]->fits);
    }
}

/* ---- each row ---- */

typedef struct case_t {
    const char *row;
    mca_part_ucx_method_t method;
    uint32_t group; /* partitions of a unit */
    uint64_t bytes; /* of a partition */
    bool places;    /* the sender may write into the receiver's process, which is this one */
    bool shares;    /* the receive buffer lies in memory that both share */
} case_t;

static const case_t cases[] = {
    {"eager", PART_UCX_METHOD_MESSAGE, 1, 0, false, false},
    {"eager", PART_UCX_METHOD_MESSAGE, 1, LIMIT, false, false},
    {"rndv", PART_UCX_METHOD_MESSAGE, 1, LIMIT + 1, false, false},
    {"self", PART_UCX_METHOD_MESSAGE, 1, 0, true, false},
    {"self", PART_UCX_METHOD_MESSAGE, 1, LIMIT, true, false},
    {"cma", PART_UCX_METHOD_MESSAGE, 1, LIMIT + 1, true, false},
    {"self", PART_UCX_METHOD_MESSAGE, 2, LIMIT / 2, true, false},
    {"cma", PART_UCX_METHOD_MESSAGE, 2, LIMIT / 2 + 1, true, false},
    {"eager", PART_UCX_METHOD_MESSAGE, 1, SMALL, false, true},
    {"shm", PART_UCX_METHOD_MESSAGE, 1, LARGE, false, true},
    {"shm", PART_UCX_METHOD_MESSAGE, 1, LARGE, true, true},
    {"flush", PART_UCX_METHOD_FLUSH, 1, SMALL, false, false},
    {"flush", PART_UCX_METHOD_FLUSH, 1, LARGE, false, false},
    {"chained", PART_UCX_METHOD_CHAINED, 1, SMALL, false, false},
    {"chained", PART_UCX_METHOD_CHAINED, 1, LARGE, false, false},
};

/* As if the receive buffer were a segment that this process has mapped at the same place. */
static void share(channel_t *channel)
{
    const mca_part_ucx_map_t *map = &channel->send->super.map;
    mca_part_ucx_targets_t *targets
        = calloc(1, sizeof(*targets) + map->segments * sizeof(*targets->piece));
    uint64_t base = (uint64_t) (uintptr_t) channel->target;

    assert_non_null(targets);
    targets->view = (mca_part_ucx_shm_view_t) {
        .base = base, .bytes = channel->plan.total, .here = (char *) channel->target};
    for (uint32_t i = 0; i < map->segments; ++i) {
        mca_part_ucx_map_range(map, i, 1, &targets->piece[i].address, &targets->piece[i].bytes);
        targets->piece[i].address += base;
    }
    channel->send->targets = targets;
    channel->recv->writable = true;
    mca_part_ucx_delivery_prepare(channel->send);
}

static void share_no_more(channel_t *channel)
{
    free(channel->send->targets);
    channel->send->targets = NULL;
}

static void deliver(const case_t *it)
{
    const fakeucx_options_t network = {.seed = 1, .put_in_place = true};
    channel_plan_t plan = partitions_of(it->bytes, 4, it->group);
    channel_t channel = {0};

    plan.method = it->method;
    open_paths(1, &network);
    make(&channel, &plan, it->places ? getpid() : 0);
    if (it->shares) {
        share(&channel);
    }
    start(&channel);
    mark_all(&channel);
    finish(&channel, 1);
    for (unsigned row = 0; row < DELIVERY_ROWS; ++row) {
        unsigned expected = row == delivery_row(it->row) ? 4 / it->group : 0;

        UNIT_CHECK(expected == delivery_counts[row],
                   "%llu bytes, %s expected: %s delivers %u times", (unsigned long long) it->bytes,
                   it->row, delivery_rows[row]->name, delivery_counts[row]);
    }
    share_no_more(&channel);
    channel_free(&channel);
    channel_paths_close();
}

static void each_row_delivers_what_it_should(void **state)
{
    (void) state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        deliver(&cases[i]);
    }
}

/* ---- a row that cannot after all ---- */

static pid_t process_that_is_gone(void)
{
    pid_t gone = fork();

    if (0 == gone) {
        _exit(0);
    }
    assert_true(gone > 0);
    assert_int_equal(gone, waitpid(gone, NULL, 0));
    return gone;
}

/* Units of two partitions are placed by the row's `post`. The system refuses the first one. */
static void others_deliver_what_a_row_could_not(void **state)
{
    static const fakeucx_options_t network = {.seed = 1};
    const channel_plan_t plan = partitions_of(LARGE, 6, 2);
    channel_t channel = {0};

    (void) state;
    open_paths(1, &network);
    make(&channel, &plan, process_that_is_gone());
    start(&channel);
    mark_all(&channel);
    finish(&channel, 1);
    assert_int_equal(0, channel.send->cma_process);
    assert_int_equal(0, delivery_count("cma"));
    assert_int_equal(3, delivery_count("rndv"));
    channel_free(&channel);
    channel_paths_close();
}

/* ---- no room ---- */

/* What has been decided stays, also when it would be decided in another way now. */
static void without_room_the_row_stays(void **state)
{
    static const fakeucx_options_t network = {.seed = 1};
    const channel_plan_t plan = partitions_of(600, 3, 1);
    channel_t channel = {0};

    (void) state;
    open_paths(1, &network);
    mca_part_ucx_params.window = 1000; /* two of them, and no third */
    make(&channel, &plan, 0);
    start(&channel);
    fakeucx_stopped = true;
    mark_all(&channel);
    assert_int_equal(2, delivery_count("eager"));
    assert_int_equal(0, channel.send->unit[1].row);
    assert_int_equal(delivery_row("eager") + 1, channel.send->unit[2].row);
    mca_part_ucx_params.shared_eager_limit = SMALL; /* now it would be offered */
    channel_progress();
    fakeucx_stopped = false;
    finish(&channel, 1);
    assert_int_equal(3, delivery_count("eager"));
    assert_int_equal(0, delivery_count("rndv"));
    assert_int_equal(0, channel.send->unit[2].row);
    channel_free(&channel);
    channel_paths_close();
}

/* A turn is taken once, however often the parcel is tried. */
static void without_room_the_turn_stays(void **state)
{
    static const fakeucx_options_t network = {.seed = 1};
    const channel_plan_t plan = partitions_of(LARGE, 2, 1);
    channel_t filler = {0}, channel = {0};

    (void) state;
    open_paths(1, &network);
    mca_part_ucx_params.window = LARGE;
    mca_part_ucx_params.shared_copy = PART_UCX_COPY_BOTH;
    make(&filler, &plan, 0);
    make(&channel, &plan, getpid());
    start(&filler);
    start(&channel);
    fakeucx_stopped = true;
    mark_all(&filler);
    channel_fill(&channel, 1, 0);
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, 0));
    for (unsigned i = 0; i < 10; ++i) {
        channel_progress();
        assert_true(channel.send->unit[0].reserved);
        assert_int_equal(1, channel.send->endpoint[0]->offers);
    }
    assert_int_equal(2, delivery_count("rndv")); /* those of the other channel */
    fakeucx_stopped = false;
    channel_fill(&channel, 1, 1);
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 1, 1));
    finish(&filler, 1);
    finish(&channel, 1);
    assert_int_equal(0, channel.send->endpoint[0]->offers);
    assert_int_equal(3, delivery_count("rndv"));
    assert_int_equal(1, delivery_count("cma")); /* its turn */
    channel_free(&channel);
    channel_free(&filler);
    channel_paths_close();
}

/* ---- random plans ---- */

#define CHANNELS 3u

typedef struct flow_t {
    channel_t channel;
    uint32_t order[CHANNEL_MOST_PARTS]; /* of marking */
    uint32_t starts_at;                 /* the receiver: after so many marks */
    bool started;
} flow_t;

/* The receiver starts; until then nobody may have written into its buffer. */
static void start_receiver(flow_t *flow)
{
    for (uint64_t i = 0; i < flow->channel.plan.total; ++i) {
        UNIT_CHECK(0 == flow->channel.target[i], "the buffer is written before the start");
    }
    channel_start(&flow->channel.recv->super);
    flow->started = true;
}

static void look(flow_t *flow, uint32_t epoch, unit_random_t *random)
{
    uint32_t part = unit_below(random, flow->channel.plan.recv_partitions);

    UNIT_CHECK(!flow->started || !channel_parrived(&flow->channel, part, part)
                   || channel_is_there(&flow->channel, epoch, part),
               "a partition is reported before it is there");
}

static void step(flow_t *flow, uint32_t epoch, uint32_t marks, unit_random_t *random)
{
    if (marks < flow->channel.plan.send_partitions) {
        uint32_t part = flow->order[marks];

        channel_fill(&flow->channel, epoch, part);
        assert_int_equal(MPI_SUCCESS, channel_pready(&flow->channel, part, part));
    }
    if (marks == flow->starts_at) {
        start_receiver(flow);
    }
    if (0 == unit_below(random, 3)) {
        channel_progress();
    }
    look(flow, epoch, random);
}

static void play_epoch(flow_t *flows, uint32_t epoch, unit_random_t *random)
{
    for (unsigned i = 0; i < CHANNELS; ++i) {
        unit_order(random, flows[i].order, flows[i].channel.plan.send_partitions);
        flows[i].starts_at = unit_below(random, CHANNEL_MOST_PARTS);
        flows[i].started = false;
        channel_start(&flows[i].channel.send->super);
    }
    for (uint32_t marks = 0; marks < CHANNEL_MOST_PARTS; ++marks) {
        for (unsigned i = 0; i < CHANNELS; ++i) {
            step(&flows[i], epoch, marks, random);
        }
    }
    for (unsigned i = 0; i < CHANNELS; ++i) {
        channel_t *channel = &flows[i].channel;

        finish(channel, epoch);
        memset(channel->source, 0, channel->plan.total); /* both are ours again */
        memset(channel->target, 0, channel->plan.total);
    }
}

static void play_round(uint64_t seed, unsigned *total)
{
    static flow_t flows[CHANNELS];
    unit_random_t random = unit_stream(seed);
    unsigned paths = 1 + unit_below(&random, 4);
    const fakeucx_options_t network = {
        .seed = seed, .at_once = unit_below(&random, 101), .lazy = unit_below(&random, 90)};

    open_paths(paths, &network);
    mca_part_ucx_params.window = 1u << (8 + unit_below(&random, 12));
    mca_part_ucx_params.shared_eager_limit = 1u << unit_below(&random, 16);
    mca_part_ucx_params.shared_copy
        = 0 == unit_below(&random, 2) ? PART_UCX_COPY_BOTH : PART_UCX_COPY_SENDER;
    for (unsigned i = 0; i < CHANNELS; ++i) {
        channel_plan_t plan;

        channel_plan_choose(&plan, &random, paths, PART_UCX_METHOD_MESSAGE);
        make(&flows[i].channel, &plan, 0 == unit_below(&random, 3) ? 0 : getpid());
        flows[i].channel.number = i;
    }
    for (uint32_t epoch = 1; epoch <= 4; ++epoch) {
        play_epoch(flows, epoch, &random);
    }
    for (unsigned i = 0; i < CHANNELS; ++i) {
        channel_free(&flows[i].channel);
    }
    channel_paths_close();
    for (unsigned row = 0; row < DELIVERY_ROWS; ++row) {
        total[row] += delivery_counts[row];
    }
}

static void any_plan_with_the_example(void **state)
{
    static const char *const served[] = {"self", "cma", "rndv", "eager"};
    unsigned total[DELIVERY_ROWS] = {0};

    (void) state;
    for (uint32_t round = 0; round < unit_repeat(300); ++round) {
        play_round(round, total);
    }
    for (unsigned i = 0; i < sizeof(served) / sizeof(served[0]); ++i) {
        UNIT_CHECK(total[delivery_row(served[i])] > 0, "nothing by %s", served[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_has_been_added),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(last_rows_take_all),
        cmocka_unit_test(each_row_delivers_what_it_should),
        cmocka_unit_test(others_deliver_what_a_row_could_not),
        cmocka_unit_test(without_room_the_row_stays),
        cmocka_unit_test(without_room_the_turn_stays),
        cmocka_unit_test(any_plan_with_the_example),
    };

    return UNIT_RUN(tests);
}
