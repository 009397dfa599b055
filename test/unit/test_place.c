/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Placing: a process's memory is written to only after it has shown that it is the one meant, the
 * bytes are where they belong, and where the system refuses, the receiver fetches. What is small is
 * placed if that is cheaper than to carry it.
 */
#include "unit.h"

#include "channel.h"
#include "channel/part_ucx_delivery.h"
#include "channel/part_ucx_copy_side.h"
#include "path/part_ucx_cma.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATHS    2u
#define UNIT     20000u /* above the limit of eager messages */
#define SMALL    12000u /* below it, and large enough to ask what is cheaper */
#define PARTS    12u
#define CHANNELS 3u

/* ---- another process ---- */

/* The child: shares the page of `self` with us, and has a token of its own. */
static void live(mca_part_ucx_wire_peer_t *self, const int *pipe_end, unsigned char *memory)
{
    unsigned char answer[2];
    sigset_t asked;
    int number;

    sigemptyset(&asked);
    sigaddset(&asked, SIGUSR1);
    mca_part_ucx_cma_describe(self);
    self->token_at = (uint64_t) (uintptr_t) malloc(sizeof(uint64_t));
    memcpy((void *) (uintptr_t) self->token_at, &self->token, sizeof(self->token));
    (void) !write(pipe_end[1], "r", 1);
    sigwait(&asked, &number); /* blocked since before the fork: it cannot be missed */
    answer[0] = memory[0];
    answer[1] = memory[UNIT - 1];
    (void) !write(pipe_end[1], answer, sizeof(answer));
    pause();
    _exit(0);
}

static void places_in_another_process(void **state)
{
    mca_part_ucx_wire_peer_t *self = mmap(NULL, sizeof(*self), PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned char *memory = calloc(1, UNIT);
    unsigned char *source = malloc(UNIT);
    mca_part_ucx_wire_peer_t wrong;
    unsigned char answer[2] = {0};
    sigset_t asked;
    int32_t process;
    int ends[2];
    pid_t child;

    (void) state;
    assert_true(MAP_FAILED != self && NULL != memory && NULL != source);
    assert_int_equal(0, pipe(ends));
    sigemptyset(&asked);
    sigaddset(&asked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &asked, NULL);
    child = fork();
    assert_true(child >= 0);
    if (0 == child) {
        live(self, ends, memory);
    }
    assert_int_equal(1, read(ends[0], answer, 1));
    process = mca_part_ucx_cma_reach(self);
    if (0 == process) {
        print_message("the system does not let processes write to each other's memory\n");
    } else {
        assert_int_equal(child, process);
        wrong = *self;
        ++wrong.token; /* another process with the same id */
        assert_int_equal(0, mca_part_ucx_cma_reach(&wrong));
        wrong = *self;
        wrong.token_at = 16; /* nothing is there */
        assert_int_equal(0, mca_part_ucx_cma_reach(&wrong));
        memset(source, 0xa5, UNIT);
        assert_true(mca_part_ucx_cma_write(process, (uint64_t) (uintptr_t) memory, source, UNIT));
        kill(child, SIGUSR1);
        assert_int_equal(2, read(ends[0], answer, 2));
        assert_int_equal(0xa5, answer[0]);
        assert_int_equal(0xa5, answer[1]);
        assert_int_equal(0, memory[0]); /* ours is a copy */
        assert_false(mca_part_ucx_cma_write(process, 16, source, UNIT));
    }
    kill(child, SIGKILL);
    assert_int_equal(child, waitpid(child, NULL, 0));
    assert_false(mca_part_ucx_cma_write(child, (uint64_t) (uintptr_t) memory, source, UNIT));
    assert_int_equal(0, mca_part_ucx_cma_reach(self));
    close(ends[0]);
    close(ends[1]);
    free(memory);
    free(source);
    munmap(self, sizeof(*self));
}

/* ---- channels ---- */

static channel_t channel[CHANNELS];

/* Paths through shared memory. */
static void open_paths(unsigned count, const fakeucx_options_t *network)
{
    channel_paths_open(count, network);
    mca_part_ucx_params.shared_eager_limit = 16384;
    for (unsigned i = 0; i < count; ++i) {
        mca_part_ucx_paths.path[i].device.kind = PART_UCX_DEVICE_SHARED;
    }
}

/* Units of one partition each. */
static channel_plan_t units_of(uint64_t bytes, uint32_t count)
{
    return (channel_plan_t) {.total = count * bytes,
                             .send_partitions = count,
                             .recv_partitions = count,
                             .slices = 1,
                             .group = 1,
                             .method = PART_UCX_METHOD_MESSAGE};
}

static void run_epoch(uint32_t epoch, unit_random_t *random)
{
    for (unsigned i = 0; i < CHANNELS; ++i) {
        if (0 == unit_below(random, 2)) {
            channel_start(&channel[i].recv->super);
            channel_start(&channel[i].send->super);
        } else {
            channel_start(&channel[i].send->super);
            channel_start(&channel[i].recv->super);
        }
    }
    for (uint32_t part = 0; part < PARTS; ++part) {
        for (unsigned i = 0; i < CHANNELS; ++i) {
            channel_fill(&channel[i], epoch, part);
            assert_int_equal(MPI_SUCCESS, channel_pready(&channel[i], part, part));
        }
        for (unsigned i = 0; i < CHANNELS; ++i) {
            uint32_t look = unit_below(random, PARTS);

            assert_true(!channel_parrived(&channel[i], look, look)
                        || channel_is_there(&channel[i], epoch, look));
        }
    }
    for (unsigned i = 0; i < CHANNELS; ++i) {
        channel_finish(&channel[i].recv->super);
        channel_finish(&channel[i].send->super);
        for (uint32_t part = 0; part < PARTS; ++part) {
            assert_true(channel_is_there(&channel[i], epoch, part));
        }
    }
}

static void run(int32_t process, mca_part_ucx_copy_t copy, uint64_t unit, uint64_t seed)
{
    const fakeucx_options_t network = {.seed = seed, .at_once = 30, .lazy = 20};
    const channel_plan_t plan = units_of(unit, PARTS);
    unit_random_t random = unit_stream(seed);

    open_paths(PATHS, &network);
    mca_part_ucx_params.shared_copy = (int) copy;
    for (unsigned i = 0; i < CHANNELS; ++i) {
        channel_make(&channel[i], &plan);
        channel_let_place(&channel[i], process);
    }
    for (uint32_t epoch = 1; epoch <= 20; ++epoch) {
        run_epoch(epoch, &random);
    }
    for (unsigned i = 0; i < CHANNELS; ++i) {
        assert_int_equal(0 == kill(process, 0) ? process : 0, channel[i].send->cma_process);
        channel_free(&channel[i]);
    }
    for (unsigned i = 0; i < PATHS; ++i) {
        assert_int_equal(0, mca_part_ucx_paths.path[i].ops_in_flight);
    }
    channel_paths_close();
}

static void bytes_where_they_belong(void **state)
{
    (void) state;
    for (unsigned seed = 1; seed <= unit_repeat(40); ++seed) {
        run((int32_t) getpid(), PART_UCX_COPY_BOTH, UNIT, seed);
        run((int32_t) getpid(), PART_UCX_COPY_SENDER, UNIT, seed);
        run((int32_t) getpid(), PART_UCX_COPY_BOTH, SMALL, seed);
    }
}

/* A process that is gone: the system refuses, and all units are fetched. */
static void refused(void **state)
{
    pid_t gone = fork();

    (void) state;
    if (0 == gone) {
        _exit(0);
    }
    assert_true(gone > 0);
    assert_int_equal(gone, waitpid(gone, NULL, 0));
    run((int32_t) gone, PART_UCX_COPY_BOTH, UNIT, 1);
    run((int32_t) gone, PART_UCX_COPY_SENDER, UNIT, 2);
    run((int32_t) gone, PART_UCX_COPY_BOTH, SMALL, 3);
}

/* As if this had been found out. */
static void prefer(mca_part_ucx_endpoint_t *endpoint, uint32_t way)
{
    for (unsigned i = 0; i < PART_UCX_CHEAPER_SIZES; ++i) {
        endpoint->cheaper[i] = (mca_part_ucx_cheaper_t) {.way = way, .wait = 1000, .left = 1000};
    }
}

/* Who copies: the receiver what it can fetch, the sender what would have to wait. */
static void expect_placed(uint64_t unit, uint32_t units, uint32_t way, const bool *placed,
                          unsigned offers)
{
    const channel_plan_t plan = units_of(unit, units);
    static const fakeucx_options_t network = {.seed = 1};
    mca_part_ucx_send_t *send;

    open_paths(1, &network);
    channel_make(&channel[0], &plan);
    send = channel[0].send;
    channel_let_place(&channel[0], (int32_t) getpid());
    prefer(send->endpoint[0], way);
    channel_start(&channel[0].recv->super);
    channel_start(&send->super);
    for (unsigned i = 0; i < 100000 && !mca_part_ucx_send_heard_ready(send); ++i) {
        channel_progress();
    }
    for (uint32_t part = 0; part < units; ++part) {
        channel_fill(&channel[0], 1, part);
    }
    fakeucx_stopped = true; /* the receiver does not fetch anything now */
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel[0], 0, units - 1));
    for (uint32_t part = 0; part < units; ++part) {
        assert_int_equal(placed[part], channel_is_there(&channel[0], 1, part));
        assert_false(channel_parrived(&channel[0], part, part)); /* nobody has told yet */
    }
    assert_int_equal(offers, send->endpoint[0]->offers);
    fakeucx_stopped = false;
    channel_finish(&channel[0].recv->super);
    channel_finish(&send->super);
    assert_int_equal(0, send->endpoint[0]->offers);
    channel_free(&channel[0]);
    channel_paths_close();
}

static const bool in_turns[6] = {false, true, false, true, true, true};
static const bool nothing[6] = {false};

static void they_take_turns(void **state)
{
    (void) state;
    expect_placed(UNIT, 6, PART_UCX_EAGER, in_turns, 2);
    /* Two offers fill the window: what is placed does not need it. */
    expect_placed(300000, 6, PART_UCX_EAGER, in_turns, 2);
}

static void small_units_go_the_cheaper_way(void **state)
{
    static const bool placed[1] = {true};

    (void) state;
    expect_placed(SMALL, 6, PART_UCX_EAGER, nothing, 0);
    expect_placed(SMALL, 1, PART_UCX_EAGER, nothing, 0);
    expect_placed(SMALL, 6, PART_UCX_PLACE, in_turns, 2);
    expect_placed(SMALL, 1, PART_UCX_PLACE, placed, 0);
    expect_placed(8192, 1, PART_UCX_PLACE, placed, 0);
    expect_placed(8191, 1, PART_UCX_PLACE, nothing, 0);
}

/* Whatever it finds: it has looked at both ways. */
static void small_units_learn(void **state)
{
    static const fakeucx_options_t network = {.seed = 7, .at_once = 100};
    static const uint32_t units[] = {1, 3};
    mca_part_ucx_cheaper_t *cheaper;

    (void) state;
    for (unsigned i = 0; i < 2; ++i) {
        const channel_plan_t plan = units_of(SMALL, units[i]);

        open_paths(1, &network);
        channel_make(&channel[0], &plan);
        channel_let_place(&channel[0], (int32_t) getpid());
        cheaper = channel[0].send->endpoint[0]->cheaper;
        for (uint32_t epoch = 1; epoch <= 66 || 0 != cheaper->trying; ++epoch) {
            channel_start(&channel[0].recv->super);
            channel_start(&channel[0].send->super);
            for (uint32_t part = 0; part < units[i]; ++part) {
                channel_fill(&channel[0], epoch, part);
                assert_int_equal(MPI_SUCCESS, channel_pready(&channel[0], part, part));
            }
            channel_finish(&channel[0].recv->super);
            channel_finish(&channel[0].send->super);
            assert_true(channel_is_there(&channel[0], epoch, 0));
        }
        assert_int_not_equal(0, cheaper->cost[PART_UCX_EAGER]);
        assert_int_not_equal(0, cheaper->cost[PART_UCX_PLACE]);
        channel_free(&channel[0]);
        channel_paths_close();
    }
}

/* Many threads mark; each copies what it has marked, and the bytes are there when it is told. */
static void mark_share(unsigned thread, void *argument)
{
    uint32_t epoch = *(uint32_t *) argument;

    for (uint32_t part = thread; part < PARTS; part += 4) {
        channel_fill(&channel[0], epoch, part);
        if (MPI_SUCCESS != channel_pready(&channel[0], part, part)) {
            unit_thread_fail("MPI_Pready");
        }
    }
}

static void mark_side_by_side(uint64_t unit)
{
    static const fakeucx_options_t network = {.seed = 5, .at_once = 20};
    const channel_plan_t plan = units_of(unit, PARTS);

    open_paths(PATHS, &network);
    channel_make(&channel[0], &plan);
    channel_let_place(&channel[0], (int32_t) getpid());
    for (uint32_t epoch = 1; epoch <= unit_repeat(300); ++epoch) {
        channel_start(&channel[0].recv->super);
        channel_start(&channel[0].send->super);
        unit_threads(4, mark_share, &epoch);
        channel_finish(&channel[0].recv->super);
        channel_finish(&channel[0].send->super);
        for (uint32_t part = 0; part < PARTS; ++part) {
            assert_true(channel_is_there(&channel[0], epoch, part));
        }
    }
    for (unsigned i = 0; i < PATHS; ++i) {
        assert_int_equal(0, channel[0].send->endpoint[i]->offers);
    }
    channel_free(&channel[0]);
    channel_paths_close();
}

static void threads_copy_side_by_side(void **state)
{
    (void) state;
    mark_side_by_side(UNIT);
    mark_side_by_side(SMALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_in_another_process),
        cmocka_unit_test(bytes_where_they_belong),
        cmocka_unit_test(refused),
        cmocka_unit_test(they_take_turns),
        cmocka_unit_test(small_units_go_the_cheaper_way),
        cmocka_unit_test(small_units_learn),
        cmocka_unit_test(threads_copy_side_by_side),
    };

    return UNIT_RUN(tests);
}
