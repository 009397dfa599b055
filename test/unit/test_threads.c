/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whole channels with threads at both ends, over a network that is made up: two threads mark, two
 * ask, one drives the paths as the helper thread does; requests restart at once, and a send is
 * freed as soon as it is complete, whether the other marking thread has left MPI_Pready or not; a
 * receive changes its match while threads look at it.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"
#include "channel/part_ucx_recv_side.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARTS 64u

/* Threads by index. */
enum {
    SENDER,   /* starts, marks its share, waits, frees */
    MARKER,   /* marks the rest */
    RECEIVER, /* starts, asks, waits */
    POLLER,   /* asks */
    HELPER,   /* drives the paths */
    THREADS
};

typedef struct round_t {
    channel_t channel;
    uint32_t epochs;
    uint64_t seed;
    uint32_t order[MOST_PARTS];
    atomic_uint sent;     /* epochs that the sender has started */
    atomic_uint received; /* epochs that the receiver has started */
    atomic_uint polled;   /* epochs that the poller has seen all of */
    atomic_uint ends;     /* ends that are through */
} round_t;

/* Until a counter has come so far; false when a thread has failed. */
static bool wait_for(atomic_uint *counter, uint32_t value)
{
    while (atomic_load(counter) < value) {
        if (unit_thread_failed()) {
            return false;
        }
        sched_yield();
    }
    return true;
}

static bool complete(mca_part_ucx_channel_t *request)
{
    while (!channel_complete(request)) {
        if (unit_thread_failed()) {
            return false;
        }
        channel_progress();
        sched_yield();
    }
    if (MPI_SUCCESS != channel_outcome(request)) {
        unit_thread_fail("a request fails");
    }
    return true;
}

/* Every second partition of the order, from `first` on. */
static void mark_share(round_t *round, uint32_t epoch, uint32_t first)
{
    for (uint32_t i = first; i < round->channel.plan.send_partitions; i += 2) {
        channel_fill(&round->channel, epoch, round->order[i]);
        if (MPI_SUCCESS != channel_pready(&round->channel, round->order[i], round->order[i])) {
            unit_thread_fail("a mark is refused");
        }
    }
}

static void run_sender(round_t *round)
{
    for (uint32_t epoch = 1; epoch <= round->epochs; ++epoch) {
        channel_start(&round->channel.send->super);
        atomic_store(&round->sent, epoch);
        mark_share(round, epoch, 0);
        if (!complete(&round->channel.send->super)) {
            return;
        }
        (void) channel_test(&round->channel.send->super);
        memset(round->channel.source, 0, round->channel.plan.total);
    }
    channel_free_send(&round->channel);
    atomic_fetch_add(&round->ends, 1);
}

static void run_marker(round_t *round)
{
    for (uint32_t epoch = 1; epoch <= round->epochs; ++epoch) {
        if (!wait_for(&round->sent, epoch)) {
            return;
        }
        mark_share(round, epoch, 1);
    }
}

/* Ask in random order until all have been seen, each complete when it is reported. */
static void ask_for_all(round_t *round, uint32_t epoch, unit_random_t *random)
{
    uint32_t count = round->channel.plan.recv_partitions;
    bool seen[MOST_PARTS] = {false};
    uint32_t left = count;

    while (left > 0 && !unit_thread_failed()) {
        uint32_t partition = unit_below(random, count);

        if (!channel_parrived(&round->channel, partition, partition)) {
            if (seen[partition]) {
                unit_thread_fail("partition %u is gone again", partition);
            }
            sched_yield();
        } else if (!seen[partition]) {
            seen[partition] = true;
            --left;
            if (!channel_is_there(&round->channel, epoch, partition)) {
                unit_thread_fail("epoch %u: partition %u is reported before it is there "
                                 "(%llu bytes, %u to %u, %u slices, group %u, method %d)",
                                 epoch, partition, (unsigned long long) round->channel.plan.total,
                                 round->channel.plan.send_partitions, count,
                                 round->channel.plan.slices, round->channel.plan.group,
                                 (int) round->channel.plan.method);
            }
        }
    }
}

static void run_receiver(round_t *round, unit_random_t *random)
{
    for (uint32_t epoch = 1; epoch <= round->epochs; ++epoch) {
        for (uint64_t i = 0; i < round->channel.plan.total; ++i) {
            if (0 != round->channel.target[i]) {
                unit_thread_fail("epoch %u: byte %llu is written before the start", epoch,
                                 (unsigned long long) i);
                return;
            }
        }
        channel_start(&round->channel.recv->super);
        atomic_store(&round->received, epoch);
        if (0 != unit_below(random, 2)) {
            ask_for_all(round, epoch, random);
        }
        if (!complete(&round->channel.recv->super)) {
            return;
        }
        for (uint32_t i = 0; i < round->channel.plan.recv_partitions; ++i) {
            if (!channel_is_there(&round->channel, epoch, i)) {
                unit_thread_fail("a receive completes without its data");
            }
        }
        if (!wait_for(&round->polled, epoch)) {
            return;
        }
        (void) channel_test(&round->channel.recv->super);
        memset(round->channel.target, 0, round->channel.plan.total);
    }
    atomic_fetch_add(&round->ends, 1);
}

static void run_poller(round_t *round, unit_random_t *random)
{
    for (uint32_t epoch = 1; epoch <= round->epochs; ++epoch) {
        if (!wait_for(&round->received, epoch)) {
            return;
        }
        ask_for_all(round, epoch, random);
        atomic_store(&round->polled, epoch);
    }
}

static void play(unsigned index, void *context)
{
    round_t *round = context;
    unit_random_t random = unit_stream(round->seed * THREADS + index);

    switch (index) {
    case SENDER:
        run_sender(round);
        break;
    case MARKER:
        run_marker(round);
        break;
    case RECEIVER:
        run_receiver(round, &random);
        break;
    case POLLER:
        run_poller(round, &random);
        break;
    default:
        while (atomic_load(&round->ends) < 2 && !unit_thread_failed()) {
            (void) mca_part_ucx_paths_drive(false);
            sched_yield();
        }
        break;
    }
}

/* Cut in all ways: one unit, whole partitions, groups with and without a rest, slices. */
static const channel_plan_t plans[] = {
    {.total = 64, .send_partitions = 2, .recv_partitions = 2, .slices = 1, .group = 2},
    {.total = 4096, .send_partitions = 16, .recv_partitions = 16, .slices = 1, .group = 1},
    {.total = 4096, .send_partitions = 64, .recv_partitions = 8, .slices = 1, .group = 8},
    {.total = 33 * 64, .send_partitions = 33, .recv_partitions = 64, .slices = 1, .group = 7},
    {.total = 12000, .send_partitions = 3, .recv_partitions = 8, .slices = 5, .group = 1},
    {.total = 12000, .send_partitions = 2, .recv_partitions = 6, .slices = 3, .group = 1},
};

static void play_rounds(mca_part_ucx_method_t method, bool put_in_place)
{
    static round_t round;

    for (uint32_t i = 0; i < unit_repeat(900); ++i) {
        unit_random_t random = unit_stream(1000 * (unsigned) method + i);
        const fakeucx_options_t network = {.seed = i,
                                           .at_once = unit_below(&random, 101),
                                           .put_in_place = put_in_place,
                                           .lazy = unit_below(&random, 50)};
        channel_plan_t plan = plans[i % (sizeof(plans) / sizeof(plans[0]))];

        plan.method = method;
        channel_paths_open(1 + unit_below(&random, 4), &network);
        mca_part_ucx_params.window = 1u << (7 + unit_below(&random, 10));
        mca_part_ucx_params.eager_limit = 1u << unit_below(&random, 14);
        mca_part_ucx_params.hold = 0 == unit_below(&random, 2) ? 0 : 20;
        memset(&round, 0, sizeof(round));
        channel_make(&round.channel, &plan);
        round.epochs = 1 + unit_below(&random, 30);
        round.seed = i;
        unit_order(&random, round.order, plan.send_partitions);
        unit_threads(THREADS, play, &round);
        channel_free_recv(&round.channel);
        channel_paths_close();
    }
}

static void messages(void **state)
{
    (void) state;
    play_rounds(PART_UCX_METHOD_MESSAGE, false);
}

static void flushed_puts(void **state)
{
    (void) state;
    play_rounds(PART_UCX_METHOD_FLUSH, false);
}

static void chained_puts(void **state)
{
    (void) state;
    play_rounds(PART_UCX_METHOD_CHAINED, true);
}

/* ---- a receive that meets one send after the other, none of which ever starts ---- */

typedef struct rematch_t {
    channel_t channel;
    unsigned rounds;
    atomic_bool over;
} rematch_t;

/* How the next send of the same 8192 bytes is cut: each way needs other arrays. */
static void meet_next(mca_part_ucx_recv_t *recv, unsigned round)
{
    static const struct {
        uint32_t partitions, slices, group;
    } cuts[] = {{4, 1, 1}, {1, 1, 1}, {1024, 1, 16}, {4, 8, 1}, {2, 64, 1}};
    uint32_t cut = round % (sizeof(cuts) / sizeof(cuts[0]));
    mca_part_ucx_channel_t *base = &recv->super;

    if (!mca_part_ucx_map_init(&base->map, base->total, cuts[cut].partitions, base->partitions,
                               cuts[cut].slices, cuts[cut].group, base->pairs)
        || OMPI_SUCCESS != mca_part_ucx_recv_side_build(recv)) {
        unit_thread_fail("a receive cannot be matched again");
    }
}

static void rematch(rematch_t *test)
{
    mca_part_ucx_recv_t *recv = test->channel.recv;

    for (unsigned i = 0; i < test->rounds && !unit_thread_failed(); ++i) {
        pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
        atomic_store(&recv->super.state, PART_UCX_OPEN);
        mca_part_ucx_recv_side_unbuild(recv);
        meet_next(recv, i);
        atomic_store(&recv->super.state, PART_UCX_MATCHED);
        pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
        sched_yield();
    }
    atomic_store(&test->over, true);
}

static void rematch_and_poll(unsigned thread, void *argument)
{
    rematch_t *test = argument;
    uint32_t partition = thread, polls = 0;

    if (0 == thread) {
        rematch(test);
        return;
    }
    while (!atomic_load(&test->over)) {
        partition = (partition + 1) % test->channel.plan.recv_partitions;
        if (channel_parrived(&test->channel, partition, partition)) {
            unit_thread_fail("a partition is reported that nobody has sent");
        }
        if (0 == ++polls % 16) {
            sched_yield(); /* there may be fewer processors than threads */
        }
    }
}

static void matched_again(void **state)
{
    const fakeucx_options_t network = {.seed = 5, .at_once = 50, .in_order = true};
    const channel_plan_t plan = {.total = 8192, .send_partitions = 4, .recv_partitions = 4,
                                 .slices = 1, .group = 1, .method = PART_UCX_METHOD_MESSAGE};
    rematch_t test = {.rounds = unit_repeat(20000)};

    (void) state;
    channel_paths_open(2, &network);
    channel_make(&test.channel, &plan);
    channel_free_send(&test.channel);
    channel_start(&test.channel.recv->super);
    unit_threads(3, rematch_and_poll, &test);
    mca_part_ucx_channel_fail(&test.channel.recv->super, MPI_ERR_OTHER);
    channel_watch();
    channel_progress();
    assert_false(atomic_load(&test.channel.recv->super.peer->knows_us)); /* it has sent no data */
    channel_free_recv(&test.channel);
    channel_paths_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),
        cmocka_unit_test(flushed_puts),
        cmocka_unit_test(chained_puts),
        cmocka_unit_test(matched_again),
    };

    return UNIT_RUN(tests);
}
