/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of two ways to make a round the better one, also after it has become the other one, whatever else
 * a round does; and hardly a round the other way.
 */
#include "unit.h"

#include "base/part_ucx_trial.h"

enum { WORTH = 24000, SETTLE = 33 };

/* What makes up a round, ns. */
typedef struct world_t {
    uint64_t way[2];    /* what it takes each way */
    uint64_t burst[2];  /* the same in the first rounds of a way */
    uint64_t else_most; /* what the program does besides, up to this */
    unit_random_t random;
} world_t;

static world_t world_of(uint64_t first, uint64_t second, uint64_t else_most)
{
    world_t world = {.way = {first, second}, .burst = {first, second}, .else_most = else_most};

    world.random = unit_stream(first * 31 + second);
    return world;
}

/* How many of `rounds` go the second way. Every 50th is interrupted for 4 ms. */
static unsigned seconds(mca_part_ucx_trial_t *trial, world_t *world, unsigned rounds)
{
    static unsigned since;
    static bool second;
    unsigned count = 0;

    for (unsigned i = 0; i < rounds; ++i) {
        uint64_t ns = since < SETTLE ? world->burst[second] : world->way[second];
        bool next;

        ns += 0 == world->else_most ? 0 : unit_random(&world->random) % world->else_most;
        ns += 0 == i % 50 ? 4000000 : 0;
        next = mca_part_ucx_trial_next(trial, ns);
        since = next == second ? since + 1 : 0;
        second = next;
        count += second ? 1 : 0;
    }
    return count;
}

static mca_part_ucx_trial_t begin(void)
{
    return (mca_part_ucx_trial_t) {.worth = WORTH, .settle = SETTLE};
}

static void slow_links_are_found(void **state)
{
    mca_part_ucx_trial_t trial = begin();
    world_t world = world_of(131000, 45000, 10000);

    (void) state;
    (void) seconds(&trial, &world, 400);
    assert_true(seconds(&trial, &world, 10000) > 9700);
}

static void short_rounds_are_left_alone(void **state)
{
    mca_part_ucx_trial_t trial = begin();
    world_t world = world_of(WORTH - 2000, 2000, 1000);

    (void) state;
    assert_int_equal(0, seconds(&trial, &world, 20000));
}

static void what_costs_more_is_hardly_tried(void **state)
{
    mca_part_ucx_trial_t trial = begin();
    world_t world = world_of(30000, 60000, 10000);

    (void) state;
    assert_true(seconds(&trial, &world, 1000) < 100);
    assert_true(seconds(&trial, &world, 20000) < 300);
    assert_false(trial.second);
}

/* How many of so many rounds go the way that takes twice as long. */
static unsigned worse(mca_part_ucx_trial_t *trial, unsigned rounds)
{
    const bool better = trial->second;
    bool way = better;
    unsigned count = 0;

    for (unsigned i = 0; i < rounds; ++i) {
        way = mca_part_ucx_trial_next(trial, way == better ? 30000 : 60000);
        count += way == better ? 0 : 1;
    }
    return count;
}

/* A try that takes twice as long is over soon, also one of the first way. */
static void what_is_clearly_worse_ends_early(void **state)
{
    mca_part_ucx_trial_t trial = {.settle = 20};

    (void) state;
    assert_int_equal(2 * 4, worse(&trial, 1000)); /* after 256 and 512 rounds */
    assert_false(trial.second);
    trial = (mca_part_ucx_trial_t) {.settle = 3, .second = true};
    assert_int_equal(2 * 4, worse(&trial, 1000));
    assert_true(trial.second);
}

/* Rounds that are interrupted do not end a good try early: one of the first four is not. Nor do
 * those before them that pay for what the other way has left behind. */
static void interrupted_rounds_are_not_worse(void **state)
{
    static const struct {
        unsigned from, count;
    } held_up[] = {{0, 3}, {3, 3}, {10, 5}}; /* of those that count more, in the middle */

    (void) state;
    for (unsigned k = 0; k < sizeof(held_up) / sizeof(held_up[0]); ++k) {
        mca_part_ucx_trial_t trial = {.settle = 3};

        for (unsigned i = 0; i < 256 + 3 + 16; ++i) {
            bool interrupted = i >= 256 + held_up[k].from
                               && i < 256 + held_up[k].from + held_up[k].count;

            (void) mca_part_ucx_trial_next(&trial,
                                           interrupted ? 4000000 : i < 256 ? 60000 : 30000);
        }
        assert_true(trial.second);
    }
}

/* Who began together tries together, whatever each of them finds; but for one look more after a
 * change, which comes in between. */
static void tries_come_at_the_same_time(void **state)
{
    mca_part_ucx_trial_t good = {.settle = 3, .idle = 6, .wait = 32};
    mca_part_ucx_trial_t bad = {.settle = 9, .wait = 32};
    bool good_way = false, bad_way = false;
    unsigned looks = 0;

    (void) state;
    for (unsigned i = 0; i < 40000; ++i) {
        good_way = mca_part_ucx_trial_next(&good, good_way && i > 3000 ? 30000 : 60000);
        bad_way = mca_part_ucx_trial_next(&bad, bad_way ? 60000 : 30000);
        if (good.trying && 0 != good.rest) {
            ++looks;
            assert_false(bad.trying);
        } else {
            assert_int_equal(good.trying, bad.trying);
        }
    }
    assert_true(good.second);
    assert_false(bad.second);
    assert_int_equal(3 + 16 + 6, looks);
}

/* Who expects much may ask for the first try sooner. */
static void the_first_try_may_be_soon(void **state)
{
    mca_part_ucx_trial_t trial = {.settle = 3, .wait = 64};

    (void) state;
    for (int i = 0; i < 64 + 3 + 16; ++i) {
        assert_false(trial.second);
        (void) mca_part_ucx_trial_next(&trial, trial.trying ? 30000 : 60000);
    }
    assert_true(trial.second);
}

/* Rounds of a program that computes for longer than anything is under way. */
static void no_difference_no_change(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 50; ++seed) {
        mca_part_ucx_trial_t trial = begin();
        world_t world = world_of(1000000 + seed, 1000000 + seed, 50000);

        assert_true(seconds(&trial, &world, 20000) < 400);
    }
}

/* What limits rates lets a burst pass, of the way that has been idle. */
static void bursts_do_not_count(void **state)
{
    mca_part_ucx_trial_t trial = begin();
    world_t world = world_of(60000, 60000, 5000);

    (void) state;
    world.burst[0] = world.burst[1] = 30000;
    assert_true(seconds(&trial, &world, 20000) < 400);

    trial = begin();
    world = world_of(131000, 45000, 5000);
    world.burst[0] = world.burst[1] = 30000;
    (void) seconds(&trial, &world, 400);
    assert_true(seconds(&trial, &world, 10000) > 9700);
}

static void it_follows_changes(void **state)
{
    mca_part_ucx_trial_t trial = begin();
    world_t slow = world_of(131000, 45000, 10000), fast = world_of(30000, 50000, 10000);

    (void) state;
    for (int i = 0; i < 3; ++i) {
        (void) seconds(&trial, &slow, 20000);
        assert_true(trial.second);
        (void) seconds(&trial, &fast, 20000);
        assert_false(trial.second);
    }
}

/* Whoever has another second way hears of each try that brought nothing, and of no other. */
static void failures_are_told(void **state)
{
    mca_part_ucx_trial_t trial = begin();
    unsigned failures = 0;

    (void) state;
    assert_false(mca_part_ucx_trial_has_failed(&trial)); /* none has been made */
    for (int i = 0; i < 4000; ++i) {
        (void) mca_part_ucx_trial_next(&trial, trial.trying ? 60000 : 30000);
        failures += mca_part_ucx_trial_has_failed(&trial) ? 1 : 0;
    }
    assert_int_equal(3, failures); /* after 256, 512, 1024 rounds, and tries */
    trial = begin();
    for (int i = 0; i < 4000; ++i) {
        (void) mca_part_ucx_trial_next(&trial, trial.second == trial.trying ? 131000 : 45000);
        assert_false(mca_part_ucx_trial_has_failed(&trial));
    }
    assert_true(trial.second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_links_are_found),
        cmocka_unit_test(short_rounds_are_left_alone),
        cmocka_unit_test(what_costs_more_is_hardly_tried),
        cmocka_unit_test(what_is_clearly_worse_ends_early),
        cmocka_unit_test(interrupted_rounds_are_not_worse),
        cmocka_unit_test(tries_come_at_the_same_time),
        cmocka_unit_test(the_first_try_may_be_soon),
        cmocka_unit_test(no_difference_no_change),
        cmocka_unit_test(bursts_do_not_count),
        cmocka_unit_test(it_follows_changes),
        cmocka_unit_test(failures_are_told),
    };

    return UNIT_RUN(tests);
}
