/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrival: MPI_Parrived says so exactly when every byte of a receive partition is there, in
 * whatever order segments come, by messages and by puts, for any two ways of cutting the message,
 * and from epoch to epoch without clearing anything. The sender is played by the test.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SEGMENTS 512u
#define MOST_RECV     64u

/* Ways of cutting: equal, coarser, finer, and such that no boundary meets another. */
static const channel_plan_t plans[] = {
    {.total = 4096, .send_partitions = 8, .recv_partitions = 8, .slices = 1, .group = 1},
    {.total = 4096, .send_partitions = 8, .recv_partitions = 8, .slices = 1, .group = 4},
    {.total = 4096, .send_partitions = 8, .recv_partitions = 2, .slices = 1, .group = 1},
    {.total = 4096, .send_partitions = 2, .recv_partitions = 8, .slices = 1, .group = 1},
    {.total = 4096, .send_partitions = 1, .recv_partitions = 1, .slices = 1, .group = 1},
    {.total = 4096, .send_partitions = 1, .recv_partitions = 32, .slices = 7, .group = 1},
    {.total = 4096, .send_partitions = 32, .recv_partitions = 1, .slices = 1, .group = 32},
    {.total = 60 * 77, .send_partitions = 12, .recv_partitions = 5, .slices = 1, .group = 5},
    {.total = 60 * 77, .send_partitions = 5, .recv_partitions = 12, .slices = 1, .group = 3},
    {.total = 60 * 77, .send_partitions = 5, .recv_partitions = 12, .slices = 6, .group = 1},
    {.total = 60 * 77, .send_partitions = 3, .recv_partitions = 20, .slices = 2, .group = 1},
    /* As many segments as receive partitions, at the same boundaries and at others. */
    {.total = 4 * 128, .send_partitions = 1, .recv_partitions = 4, .slices = 4, .group = 1},
    {.total = 4 * 100, .send_partitions = 1, .recv_partitions = 4, .slices = 4, .group = 1},
    {.total = 1000000, .send_partitions = 1, .recv_partitions = 4, .slices = 4, .group = 1},
    {.total = 6 * 250, .send_partitions = 2, .recv_partitions = 6, .slices = 3, .group = 1},
    /* Padding: the last unit is shorter than the others, and its path not the last one. */
    {.total = 7 * 11, .send_partitions = 77, .recv_partitions = 11, .slices = 1, .group = 8},
    {.total = 41, .send_partitions = 41, .recv_partitions = 41, .slices = 1, .group = 8},
    {.total = 33, .send_partitions = 33, .recv_partitions = 11, .slices = 1, .group = 32},
    {.total = 40, .send_partitions = 20, .recv_partitions = 40, .slices = 1, .group = 19},
    /* No bytes. */
    {.total = 0, .send_partitions = 6, .recv_partitions = 4, .slices = 1, .group = 1},
    {.total = 0, .send_partitions = 50, .recv_partitions = 7, .slices = 1, .group = 20},
};

enum { PLANS = sizeof(plans) / sizeof(plans[0]) };

/* What must be there for each receive partition, worked out from the byte ranges. */
typedef struct oracle_t {
    bool needs[MOST_RECV][MOST_SEGMENTS];
    bool there[MOST_SEGMENTS];
} oracle_t;

static void oracle_make(oracle_t *oracle, const mca_part_ucx_map_t *map)
{
    uint64_t send = map->send_partitions;
    uint64_t recv = map->recv_partitions;

    memset(oracle, 0, sizeof(*oracle));
    assert_true(map->segments <= MOST_SEGMENTS && recv <= MOST_RECV);
    for (uint64_t j = 0; j < recv; ++j) {
        for (uint32_t i = 0; i < map->segments; ++i) {
            uint64_t bytes = map->total / recv;
            uint64_t begin, length;

            mca_part_ucx_map_range(map, i, 1, &begin, &length);
            oracle->needs[j][i] = 0 == map->total
                                      ? i * recv < (j + 1) * send && j * send < (i + 1) * recv
                                      : begin < (j + 1) * bytes && j * bytes < begin + length;
        }
    }
}

static bool oracle_arrived(const oracle_t *oracle, const mca_part_ucx_map_t *map, uint32_t j)
{
    for (uint32_t i = 0; i < map->segments; ++i) {
        if (oracle->needs[j][i] && !oracle->there[i]) {
            return false;
        }
    }
    return true;
}

/* Every partition, asked for in a random order, and one range. */
static void check_all(channel_t *channel, const oracle_t *oracle, unit_random_t *random,
                      const char *when)
{
    const mca_part_ucx_map_t *map = &channel->recv->super.map;
    uint32_t order[MOST_RECV];
    uint32_t low = unit_below(random, map->recv_partitions);
    uint32_t high = low + unit_below(random, map->recv_partitions - low);
    bool all = true;

    unit_order(random, order, map->recv_partitions);
    for (uint32_t i = 0; i < map->recv_partitions; ++i) {
        bool expected = oracle_arrived(oracle, map, order[i]);

        UNIT_CHECK(expected == channel_parrived(channel, order[i], order[i]),
                   "%s: receive partition %u has%s arrived, MPI_Parrived denies it "
                   "(%llu bytes, %u to %u partitions, %u slices, group %u, %u paths)",
                   when, order[i], expected ? "" : " not", (unsigned long long) map->total,
                   map->send_partitions, map->recv_partitions, map->slices, map->group, map->pairs);
        all = all && (order[i] < low || order[i] > high || expected);
    }
    UNIT_CHECK(all == channel_parrived(channel, low, high), "%s: range %u to %u", when, low, high);
}

/* A sender's put of a flag. */
static void set_flag(channel_t *channel, uint32_t segment, uint32_t epoch)
{
    uint32_t flag = mca_part_ucx_map_flag(&channel->recv->super.map, segment);

    atomic_store_explicit(&channel->recv->flag[flag], epoch, memory_order_release);
}

static void make_receive(channel_t *channel, const channel_plan_t *plan, unsigned paths,
                         mca_part_ucx_method_t method)
{
    const fakeucx_options_t network = {.seed = paths, .at_once = 50};
    channel_plan_t own = *plan;

    channel_paths_open(paths, &network);
    own.method = method;
    channel_make(channel, &own);
    channel->recv->super.peer_key = 0; /* nobody hears READY */
}

static void drop_receive(channel_t *channel)
{
    channel_free(channel);
    channel_paths_close();
}

/* ---- by puts: flags appear in memory, and a path that polls the receive completes it ---- */

static void epoch_by_puts(channel_t *channel, oracle_t *oracle, unit_random_t *random)
{
    const mca_part_ucx_map_t *map = &channel->recv->super.map;
    uint32_t order[MOST_SEGMENTS];

    unit_order(random, order, map->segments);
    memset(oracle->there, 0, sizeof(oracle->there));
    channel_start(&channel->recv->super);
    check_all(channel, oracle, random, "started");
    for (uint32_t i = 0; i < map->segments; ++i) {
        channel_progress();
        assert_false(channel_test(&channel->recv->super));
        set_flag(channel, order[i], atomic_load(&channel->recv->super.epoch));
        oracle->there[order[i]] = true;
        check_all(channel, oracle, random, "after a put");
    }
    channel_progress();
    UNIT_CHECK(channel_complete(&channel->recv->super),
               "all flags are set, the receive does not complete (%u segments, %u flags)",
               map->segments, map->flags);
    check_all(channel, oracle, random, "complete");
    assert_true(channel_test(&channel->recv->super));
    assert_true(channel_parrived(channel, 0, map->recv_partitions - 1)); /* inactive */
}

static void arrival_by_puts(void **state)
{
    static oracle_t oracle;

    (void) state;
    for (unsigned i = 0; i < PLANS; ++i) {
        for (unsigned paths = 1; paths <= 5; ++paths) {
            unit_random_t random = unit_stream(i * 8 + paths);
            channel_t channel;

            make_receive(&channel, &plans[i], paths, PART_UCX_METHOD_FLUSH);
            oracle_make(&oracle, &channel.recv->super.map);
            for (int epoch = 0; epoch < 4; ++epoch) {
                epoch_by_puts(&channel, &oracle, &random);
            }
            drop_receive(&channel);
        }
    }
}

/* ---- by messages: a handler reports runs of segments ---- */

/* The next run to arrive: neighbours of one unit that are not there yet. */
static uint32_t choose_run(const oracle_t *oracle, const mca_part_ucx_map_t *map,
                           unit_random_t *random, uint32_t first)
{
    uint32_t most = 1 + unit_below(random, 5);
    uint32_t count = 1;

    while (count < most && first + count < map->segments && !oracle->there[first + count]
           && first / map->group == (first + count) / map->group) {
        ++count;
    }
    return count;
}

static void epoch_by_messages(channel_t *channel, oracle_t *oracle, unit_random_t *random)
{
    const mca_part_ucx_map_t *map = &channel->recv->super.map;
    uint32_t order[MOST_SEGMENTS];
    uint32_t arrived = 0;

    unit_order(random, order, map->segments);
    memset(oracle->there, 0, sizeof(oracle->there));
    channel_start(&channel->recv->super);
    check_all(channel, oracle, random, "started");
    for (uint32_t i = 0; i < map->segments; ++i) {
        uint32_t count;

        if (oracle->there[order[i]]) {
            continue;
        }
        channel_progress();
        assert_false(channel_test(&channel->recv->super));
        count = choose_run(oracle, map, random, order[i]);
        mca_part_ucx_recv_arrived(channel->recv, atomic_load(&channel->recv->super.epoch), order[i],
                                  count);
        memset(&oracle->there[order[i]], 1, count);
        arrived += count;
        check_all(channel, oracle, random, "after a message");
    }
    assert_int_equal(map->segments, arrived);
    channel_progress();
    assert_true(channel_test(&channel->recv->super));
}

static void arrival_by_messages(void **state)
{
    static oracle_t oracle;

    (void) state;
    for (unsigned i = 0; i < PLANS; ++i) {
        for (unsigned paths = 1; paths <= 5; ++paths) {
            unit_random_t random = unit_stream(1000 + i * 8 + paths);
            channel_t channel;

            make_receive(&channel, &plans[i], paths, PART_UCX_METHOD_MESSAGE);
            oracle_make(&oracle, &channel.recv->super.map);
            for (int epoch = 0; epoch < 4; ++epoch) {
                epoch_by_messages(&channel, &oracle, &random);
            }
            drop_receive(&channel);
        }
    }
}

/* ---- many epochs ---- */

/* All segments of the epoch arrive, and MPI_Parrived is asked, or not. */
static void whole_epoch(channel_t *channel, bool asked)
{
    const mca_part_ucx_map_t *map = &channel->recv->super.map;

    channel_start(&channel->recv->super);
    assert_false(asked && channel_parrived(channel, 0, 0));
    mca_part_ucx_recv_arrived(channel->recv, atomic_load(&channel->recv->super.epoch), 0,
                              map->segments);
    assert_true(!asked || channel_parrived(channel, 0, 0));
    channel_progress();
    assert_true(channel_test(&channel->recv->super));
}

/* It was asked last in an epoch of the same number, 2^32 - 2 epochs before. */
static void numbers_go_round(void **state)
{
    static const channel_plan_t plan = {.total = 4096, .send_partitions = 8, .recv_partitions = 2,
                                        .slices = 1, .group = 1};
    channel_t channel;

    (void) state;
    make_receive(&channel, &plan, 1, PART_UCX_METHOD_MESSAGE);
    for (int epoch = 1; epoch <= 3; ++epoch) {
        whole_epoch(&channel, true);
    }
    channel_grow_old(&channel, 2);
    for (int epoch = 0; epoch < 4; ++epoch) { /* the last two, and the first two */
        whole_epoch(&channel, false);
    }
    assert_int_equal(2, atomic_load(&channel.recv->super.epoch));
    whole_epoch(&channel, true);
    drop_receive(&channel);
}

static void check_other_epochs(channel_t *channel, uint32_t epoch)
{
    const mca_part_ucx_map_t *map = &channel->recv->super.map;

    atomic_store(&channel->recv->super.epoch, epoch - 1);
    channel_start(&channel->recv->super);
    for (uint32_t other = 0; other < 64; ++other) {
        for (uint32_t segment = 0; segment < map->segments; ++segment) {
            uint32_t flag = mca_part_ucx_map_flag(map, segment);
            uint64_t value = other < 32 ? epoch ^ 1u << other : epoch - (other - 31);

            atomic_store(&channel->recv->flag[flag], value);
        }
        channel_progress();
        for (uint32_t j = 0; j < map->recv_partitions; ++j) {
            assert_false(channel_parrived(channel, j, j));
        }
    }
    for (uint32_t segment = 0; segment < map->segments; ++segment) {
        set_flag(channel, segment, epoch);
    }
    assert_true(channel_parrived(channel, 0, map->recv_partitions - 1));
    channel_progress();
    assert_true(channel_test(&channel->recv->super));
}

/* Flags of other epochs, also of later ones and of those long ago, mean nothing. */
static void flags_of_other_epochs(void **state)
{
    static const uint32_t epochs[] = {1,     2,          255,         256,        257,
                                      65536, 0x7fffffff, 0x80000000u, 0xfffffffeu};
    static const unsigned some[] = {0, 1, 9};

    (void) state;
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); ++i) {
        channel_t channel;

        make_receive(&channel, &plans[some[i]], 3, PART_UCX_METHOD_FLUSH);
        for (size_t j = 0; j < sizeof(epochs) / sizeof(epochs[0]); ++j) {
            check_other_epochs(&channel, epochs[j]);
        }
        drop_receive(&channel);
    }
}

/* ---- wrong calls ---- */

static int ask(channel_t *channel, size_t low, size_t high)
{
    int flag = 7;

    return channel_request(&channel->recv->super)
        ->any.ops->parrived(&channel_request(&channel->recv->super)->any, low, high, &flag);
}

static void wrong_calls(void **state)
{
    channel_t channel;

    (void) state;
    make_receive(&channel, &plans[3], 2, PART_UCX_METHOD_FLUSH);
    for (int active = 0; active < 2; ++active) {
        assert_int_equal(MPI_SUCCESS, ask(&channel, 0, 0));
        assert_int_equal(MPI_SUCCESS, ask(&channel, 7, 7));
        assert_int_equal(MPI_SUCCESS, ask(&channel, 0, 7));
        assert_int_equal(MPI_ERR_ARG, ask(&channel, 8, 8));
        assert_int_equal(MPI_ERR_ARG, ask(&channel, 0, 8));
        assert_int_equal(MPI_ERR_ARG, ask(&channel, 3, 2));
        assert_int_equal(MPI_ERR_ARG, ask(&channel, SIZE_MAX, SIZE_MAX)); /* -1 */
        assert_int_equal(MPI_ERR_ARG, ask(&channel, 0, SIZE_MAX));
        if (!active) {
            channel_start(&channel.recv->super);
        }
    }
    assert_null(channel_request(&channel.recv->super)->any.ops->pready);
    assert_null(channel_request(&channel.send->super)->any.ops->parrived);
    for (uint32_t i = 0; i < channel.recv->super.map.segments; ++i) {
        set_flag(&channel, i, 1);
    }
    channel_progress();
    assert_true(channel_test(&channel.recv->super));
    drop_receive(&channel);
}

/* ---- several threads ask while data come in ---- */

typedef struct polled_t {
    channel_t channel;
    uint32_t epochs;
    atomic_uint started;  /* epochs that the main thread has started */
    atomic_uint finished; /* pollers that have seen everything, all epochs together */
} polled_t;

enum { POLLERS = 3 };

static void write_epoch(polled_t *polled, uint32_t epoch, unit_random_t *random)
{
    const mca_part_ucx_map_t *map = &polled->channel.recv->super.map;
    uint32_t order[MOST_SEGMENTS];

    unit_order(random, order, map->segments);
    for (uint32_t i = 0; i < map->segments; ++i) {
        uint64_t begin, length;

        mca_part_ucx_map_range(map, order[i], 1, &begin, &length);
        memset(polled->channel.target + begin, (int) (epoch & 0xff), length);
        set_flag(&polled->channel, order[i], epoch);
        if (0 == unit_below(random, 4)) {
            sched_yield();
        }
    }
}

/* Ask for all partitions until all have arrived; what has arrived must be there. */
static void poll_epoch(polled_t *polled, uint32_t epoch, unit_random_t *random)
{
    const mca_part_ucx_map_t *map = &polled->channel.recv->super.map;
    size_t bytes = map->total / map->recv_partitions;
    bool seen[MOST_RECV] = {false};
    uint32_t left = map->recv_partitions;

    while (0 != left && !unit_thread_failed()) {
        uint32_t j = unit_below(random, map->recv_partitions);

        if (!channel_parrived(&polled->channel, j, j)) {
            if (seen[j]) {
                unit_thread_fail("partition %u arrived and is gone again", j);
            }
            if (0 == unit_below(random, 8)) {
                sched_yield(); /* threads may outnumber processors */
            }
            continue;
        }
        for (size_t byte = j * bytes; byte < (j + 1) * bytes; ++byte) {
            if (polled->channel.target[byte] != (unsigned char) epoch) {
                unit_thread_fail("epoch %u: byte %zu of partition %u is not there", epoch,
                                 byte - j * bytes, j);
                break;
            }
        }
        left -= seen[j] ? 0 : 1;
        seen[j] = true;
    }
}

static void poll_thread(unsigned index, void *context)
{
    polled_t *polled = context;
    unit_random_t random = unit_stream(index);

    for (uint32_t epoch = 1; epoch <= polled->epochs && !unit_thread_failed(); ++epoch) {
        if (0 != index) {
            while (atomic_load(&polled->started) < epoch && !unit_thread_failed()) {
                sched_yield();
            }
            poll_epoch(polled, epoch, &random);
            atomic_fetch_add(&polled->finished, 1);
            continue;
        }
        channel_start(&polled->channel.recv->super);
        atomic_store(&polled->started, epoch);
        write_epoch(polled, epoch, &random);
        while ((atomic_load(&polled->finished) < epoch * POLLERS
                || !channel_test(&polled->channel.recv->super))
               && !unit_thread_failed()) {
            channel_progress();
            sched_yield();
        }
    }
}

static void threads_ask(void **state)
{
    static const unsigned some[] = {3, 5, 9, 13, 15};
    static polled_t polled;

    (void) state;
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); ++i) {
        make_receive(&polled.channel, &plans[some[i]], 3, PART_UCX_METHOD_FLUSH);
        polled.epochs = unit_repeat(plans[some[i]].total > 100000 ? 20 : 1000);
        atomic_store(&polled.started, 0);
        atomic_store(&polled.finished, 0);
        unit_threads(POLLERS + 1, poll_thread, &polled);
        drop_receive(&polled.channel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrival_by_puts),       cmocka_unit_test(arrival_by_messages),
        cmocka_unit_test(numbers_go_round),
        cmocka_unit_test(flags_of_other_epochs), cmocka_unit_test(wrong_calls),
        cmocka_unit_test(threads_ask),
    };

    return UNIT_RUN(tests);
}
