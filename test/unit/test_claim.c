/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Claims: in every epoch each partition is handed out once, only after it has arrived, to one
 * thread; and it is known when none is left.
 */
#include "unit.h"

#include "api/part_ucx_claim.h"

#include <sched.h>
#include <stdlib.h>

#define MOST       300u
#define ROOM       7
#define TAKERS     4u
#define THREADS    (TAKERS + 1) /* and one that lets partitions arrive */
#define PARTITIONS 64u

typedef struct game_t {
    mca_part_ucx_claims_t claims;
    uint32_t epoch;
    atomic_uint arrived[MOST]; /* the last epoch it has arrived in */
    atomic_uint taken[MOST];   /* how often, in this epoch */
    unit_random_t stream;
} game_t;

static bool is_there(void *context, uint32_t partition)
{
    game_t *game = context;

    return game->epoch
           == atomic_load_explicit(&game->arrived[partition], memory_order_acquire);
}

static int take(game_t *game, int room, int partitions[])
{
    return mca_part_ucx_claims_take(&game->claims, game->epoch, is_there, game, room, partitions);
}

static void begin(game_t *game)
{
    ++game->epoch;
    for (uint32_t i = 0; i < MOST; ++i) {
        atomic_store(&game->taken[i], 0);
    }
}

/* After 2^32 epochs numbers begin again, and the last to ask was one of the same number. */
static void numbers_go_round(void **state)
{
    static game_t game;
    int got[3];

    (void) state;
    assert_true(mca_part_ucx_claims_init(&game.claims, 2));
    for (int round = 0; round < 2; ++round) {
        game.epoch = 7;
        atomic_store(&game.arrived[0], 7);
        atomic_store(&game.arrived[1], 7);
        assert_int_equal(2, take(&game, 3, got));
        assert_int_equal(PART_UCX_CLAIMS_OVER, take(&game, 3, got));
        mca_part_ucx_claims_forget(&game.claims);
    }
    mca_part_ucx_claims_fini(&game.claims);
}

static void in_one_thread(void **state)
{
    static game_t game;
    int got[3];

    (void) state;
    assert_true(mca_part_ucx_claims_init(&game.claims, 4));
    for (int round = 0; round < 3; ++round) {
        begin(&game);
        assert_int_equal(0, take(&game, 3, got));
        atomic_store(&game.arrived[2], game.epoch);
        assert_int_equal(0, take(&game, 0, got));
        assert_int_equal(1, take(&game, 3, got));
        assert_int_equal(2, got[0]);
        assert_int_equal(0, take(&game, 3, got));
        atomic_store(&game.arrived[0], game.epoch);
        atomic_store(&game.arrived[1], game.epoch);
        atomic_store(&game.arrived[3], game.epoch);
        assert_int_equal(1, take(&game, 1, got));
        assert_int_equal(0, got[0]);
        /* The last two: no more than there are, and only then it is over. */
        assert_int_equal(2, take(&game, 3, got));
        assert_int_equal(1, got[0]);
        assert_int_equal(3, got[1]);
        assert_int_equal(PART_UCX_CLAIMS_OVER, take(&game, 3, got));
        assert_int_equal(PART_UCX_CLAIMS_OVER, take(&game, 0, got));
    }
    mca_part_ucx_claims_fini(&game.claims);
}

/* Without a function to ask, all have arrived: what an earlier call has left is handed out. */
static void after_completion(void **state)
{
    static game_t game;
    int got[8];

    (void) state;
    assert_true(mca_part_ucx_claims_init(&game.claims, 5));
    begin(&game);
    atomic_store(&game.arrived[3], game.epoch);
    assert_int_equal(1, take(&game, 8, got));
    assert_int_equal(4, mca_part_ucx_claims_take(&game.claims, game.epoch, NULL, NULL, 8, got));
    assert_int_equal(0, got[0]);
    assert_int_equal(1, got[1]);
    assert_int_equal(2, got[2]);
    assert_int_equal(4, got[3]);
    assert_int_equal(PART_UCX_CLAIMS_OVER,
                     mca_part_ucx_claims_take(&game.claims, game.epoch, NULL, NULL, 8, got));
    mca_part_ucx_claims_fini(&game.claims);
}

static void without_partitions(void **state)
{
    mca_part_ucx_claims_t claims;
    int got = 0;

    (void) state;
    assert_true(mca_part_ucx_claims_init(&claims, 0));
    assert_int_equal(PART_UCX_CLAIMS_OVER,
                     mca_part_ucx_claims_take(&claims, 1, NULL, NULL, 1, &got));
    mca_part_ucx_claims_fini(&claims);
}

/* Random arrivals, random room: every partition once, in whatever order. */
static void random_order(void **state)
{
    static game_t game;
    uint32_t order[MOST];
    int got[ROOM];

    (void) state;
    game.stream = unit_stream(1);
    for (uint32_t round = 0; round < unit_repeat(300); ++round) {
        uint32_t partitions = 1 + unit_below(&game.stream, MOST);
        uint32_t there = 0, taken = 0;
        int count = 0;

        game.epoch = round % 3; /* epochs need not follow each other */
        assert_true(mca_part_ucx_claims_init(&game.claims, partitions));
        begin(&game);
        for (uint32_t i = 0; i < MOST; ++i) {
            atomic_store(&game.arrived[i], 0);
        }
        unit_order(&game.stream, order, partitions);
        while (PART_UCX_CLAIMS_OVER != count) {
            if (there < partitions) {
                atomic_store(&game.arrived[order[there++]], game.epoch);
            }
            count = take(&game, (int) unit_below(&game.stream, ROOM + 1), got);
            for (int i = 0; i < count; ++i) {
                assert_true(is_there(&game, (uint32_t) got[i]));
                assert_int_equal(0, atomic_fetch_add(&game.taken[got[i]], 1));
                ++taken;
            }
            assert_true(taken <= there);
        }
        assert_int_equal(partitions, taken);
        mca_part_ucx_claims_fini(&game.claims);
    }
}

/* ---- several threads ---- */

static void arrive(game_t *game)
{
    uint32_t order[PARTITIONS];

    unit_order(&game->stream, order, PARTITIONS);
    for (uint32_t i = 0; i < PARTITIONS; ++i) {
        atomic_store_explicit(&game->arrived[order[i]], game->epoch, memory_order_release);
        if (0 == i % 8) {
            sched_yield();
        }
    }
}

static void play(unsigned index, void *context)
{
    game_t *game = context;
    int got[ROOM];
    int count = 0;

    if (TAKERS == index) {
        arrive(game);
        return;
    }
    while (PART_UCX_CLAIMS_OVER != count && !unit_thread_failed()) {
        /* The number of the thread is how much it takes at once. */
        count = take(game, 1 + (int) index, got);
        for (int i = 0; i < count; ++i) {
            if (!is_there(game, (uint32_t) got[i])
                || 0 != atomic_fetch_add(&game->taken[got[i]], 1)) {
                unit_thread_fail("partition %d comes early or twice", got[i]);
            }
        }
        if (0 == count) {
            sched_yield();
        }
    }
}

static void in_threads(void **state)
{
    static game_t game;

    (void) state;
    game.stream = unit_stream(2);
    assert_true(mca_part_ucx_claims_init(&game.claims, PARTITIONS));
    for (uint32_t round = 0; round < unit_repeat(300); ++round) {
        begin(&game);
        unit_threads(THREADS, play, &game);
        for (uint32_t i = 0; i < PARTITIONS; ++i) {
            UNIT_CHECK(1 == atomic_load(&game.taken[i]), "epoch %u: partition %u is taken %u times",
                       game.epoch, i, atomic_load(&game.taken[i]));
        }
    }
    mca_part_ucx_claims_fini(&game.claims);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_one_thread), cmocka_unit_test(after_completion),
        cmocka_unit_test(without_partitions), cmocka_unit_test(random_order),
        cmocka_unit_test(in_threads), cmocka_unit_test(numbers_go_round),
    };

    return UNIT_RUN(tests);
}
