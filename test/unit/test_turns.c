/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns: when the sends of a turn leave, and when it is over, step by step, for several epochs.
 * Many at a time, in any order, are in test_algorithms, with several threads in test_engine.
 */
#include "plan/coll_pschedule_engine.h"
#include "plan/coll_pschedule_freeze.h"
#include "unit.h"

#include <string.h>

enum { BLOCKS = 2, PARTITIONS = 2, BYTES = 8, RANKS = 1 + BLOCKS };

/* Keys of what goes to, or comes from, each of the others. */
enum { DATA, FREE = PARTITIONS, RECEIVED, OVER };

typedef struct turns_t {
    mca_coll_pschedule_plan_t *plan;
    mca_coll_pschedule_engine_t engine;
    bool left[RANKS][OVER + 1]; /* by receiver and key */
    uint32_t sends;
    uint32_t done;
} turns_t;

static uint64_t key_of(const turns_t *turns, uint32_t transfer)
{
    return turns->plan->transfer[transfer].key;
}

static int32_t peer_of(const turns_t *turns, uint32_t transfer)
{
    return turns->plan->link[turns->plan->transfer[transfer].link].peer;
}

static bool on_send(void *context, uint32_t transfer)
{
    turns_t *turns = context;
    bool *left = &turns->left[peer_of(turns, transfer)][key_of(turns, transfer)];

    assert_false(*left);
    *left = true;
    ++turns->sends;
    return false;
}

static void on_result(void *context, uint32_t partition)
{
    (void) context;
    (void) partition;
}

static void on_done(void *context)
{
    turns_t *turns = context;

    ++turns->done;
}

static const mca_coll_pschedule_backend_t backend
    = {.send = on_send, .result = on_result, .done = on_done};

/* Rank 0 sends a block to rank 1, then one to rank 2. */
static void build(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_node_t last = COLL_PSCHEDULE_NONE;

    for (int32_t to = 1; to <= BLOCKS; ++to) {
        mca_coll_pschedule_node_t received = mca_coll_pschedule_plan_granted(plan, to, RECEIVED);
        mca_coll_pschedule_node_t over;
        mca_coll_pschedule_node_t turn = mca_coll_pschedule_plan_turn(plan, received, &over);

        mca_coll_pschedule_plan_depend(plan, turn, last);
        mca_coll_pschedule_plan_depend(plan, turn,
                                       mca_coll_pschedule_plan_granted(plan, to, FREE));
        for (uint32_t i = 0; i < PARTITIONS; ++i) {
            uint32_t partition = (uint32_t) (to - 1) * PARTITIONS + i;
            mca_coll_pschedule_place_t place
                = {.space = COLL_PSCHEDULE_SPACE_SEND, .offset = partition * BYTES};
            mca_coll_pschedule_node_t send
                = mca_coll_pschedule_plan_send(plan, to, DATA + i, place, BYTES,
                                               mca_coll_pschedule_plan_ready(plan, partition));

            mca_coll_pschedule_plan_depend(plan, send, turn);
        }
        (void) mca_coll_pschedule_plan_grant(plan, to, OVER, over);
        last = over;
    }
}

static void begin(turns_t *turns)
{
    mca_coll_pschedule_block_t block = {
        .cut = {.bytes = BLOCKS * PARTITIONS * BYTES, .partitions = BLOCKS * PARTITIONS}};
    mca_coll_pschedule_problem_t problem
        = {.size = RANKS, .element = 1, .send_blocks = 1, .send = &block};

    *turns = (turns_t) {.plan = mca_coll_pschedule_plan_new(&problem)};
    assert_non_null(turns->plan);
    build(turns->plan);
    assert_true(mca_coll_pschedule_plan_freeze(turns->plan));
    assert_true(mca_coll_pschedule_engine_init(&turns->engine, turns->plan, &backend, turns));
}

static void end(turns_t *turns)
{
    mca_coll_pschedule_engine_fini(&turns->engine);
    mca_coll_pschedule_plan_free(turns->plan);
}

static void start(turns_t *turns)
{
    memset(turns->left, 0, sizeof(turns->left));
    turns->sends = 0;
    mca_coll_pschedule_engine_arm(&turns->engine);
    mca_coll_pschedule_engine_start(&turns->engine);
}

static void mark(turns_t *turns, uint32_t block, uint32_t partition)
{
    mca_coll_pschedule_engine_ready(&turns->engine, block * PARTITIONS + partition);
}

static void mark_block(turns_t *turns, uint32_t block)
{
    for (uint32_t i = 0; i < PARTITIONS; ++i) {
        mark(turns, block, i);
    }
}

/* A transfer has arrived, or left for good. */
static void moved(turns_t *turns, int32_t peer, uint64_t key, bool is_send)
{
    const mca_coll_pschedule_plan_t *plan = turns->plan;

    for (uint32_t i = 0; i < plan->transfers; ++i) {
        if (peer == peer_of(turns, i) && key == key_of(turns, i)
            && is_send == plan->link[plan->transfer[i].link].is_send) {
            mca_coll_pschedule_engine_moved(&turns->engine, i);
        }
    }
}

static void come(turns_t *turns, int32_t from, uint64_t key)
{
    moved(turns, from, key, false);
}

/* All that has left, and no more than `count`, is gone. */
static void gone(turns_t *turns, uint32_t count)
{
    assert_int_equal(count, turns->sends);
    for (int32_t to = 1; to <= BLOCKS; ++to) {
        for (uint64_t key = DATA; key <= OVER; ++key) {
            if (turns->left[to][key]) {
                moved(turns, to, key, true);
            }
        }
    }
}

static bool has_left(const turns_t *turns, int32_t to)
{
    return turns->left[to][DATA] && turns->left[to][DATA + 1];
}

static bool is_over(const turns_t *turns, int32_t to)
{
    return turns->left[to][OVER];
}

/* All is marked: the second block leaves when its receiver is free, and the first one is there. */
static void one_after_the_other(turns_t *turns, bool free_first)
{
    start(turns);
    mark_block(turns, 1);
    mark_block(turns, 0);
    assert_int_equal(0, turns->sends);
    come(turns, 1, FREE);
    assert_true(has_left(turns, 1));
    if (free_first) {
        come(turns, 2, FREE);
    }
    assert_int_equal(PARTITIONS, turns->sends);
    come(turns, 1, RECEIVED);
    assert_true(is_over(turns, 1));
    if (!free_first) {
        assert_int_equal(PARTITIONS + 1, turns->sends);
        come(turns, 2, FREE);
    }
    assert_true(has_left(turns, 2) && !is_over(turns, 2));
    come(turns, 2, RECEIVED);
    assert_true(is_over(turns, 2));
    gone(turns, BLOCKS * (PARTITIONS + 1));
}

/* Half of the first block is not marked: the second one does not wait for it. */
static void does_not_wait(turns_t *turns, uint32_t unmarked)
{
    start(turns);
    mark(turns, 0, 1 - unmarked);
    mark_block(turns, 1);
    come(turns, 1, FREE);
    assert_true(turns->left[1][DATA + 1 - unmarked] && !turns->left[1][DATA + unmarked]);
    assert_true(is_over(turns, 1));
    come(turns, 2, FREE);
    assert_true(has_left(turns, 2));
    come(turns, 2, RECEIVED);
    assert_true(is_over(turns, 2));
    mark(turns, 0, unmarked);
    assert_true(has_left(turns, 1)); /* at once */
    gone(turns, BLOCKS * (PARTITIONS + 1));
}

static void in_order(void **state)
{
    turns_t turns;

    (void) state;
    begin(&turns);
    for (uint32_t epoch = 1; epoch < 7; ++epoch) {
        one_after_the_other(&turns, 0 == epoch % 2);
        assert_int_equal(epoch, turns.done);
    }
    end(&turns);
}

/* However the last turn has ended, the next epoch is as the first one. A plan is not done before
 * the note comes that a turn did not wait for. */
static void early_end(void **state)
{
    turns_t turns;

    (void) state;
    begin(&turns);
    for (uint32_t epoch = 1; epoch < 13; ++epoch) {
        if (0 == epoch % 3) {
            one_after_the_other(&turns, false);
        } else {
            does_not_wait(&turns, epoch % 2);
            assert_int_equal(epoch - 1, turns.done);
            come(&turns, 1, RECEIVED);
            assert_int_equal(BLOCKS * (PARTITIONS + 1), turns.sends);
        }
        assert_int_equal(epoch, turns.done);
    }
    end(&turns);
}

/* A plan with a turn that cannot end early is refused: nobody waits for its end; or what leaves in
 * it waits for something else, too, and would not be seen to be marked. */
static void refused(void **state)
{
    mca_coll_pschedule_block_t block = {.cut = {.bytes = BYTES, .partitions = 1}};
    mca_coll_pschedule_problem_t problem
        = {.size = RANKS, .element = 1, .send_blocks = 1, .send = &block};

    (void) state;
    for (int idle = 0; idle < 2; ++idle) {
        mca_coll_pschedule_plan_t *plan = mca_coll_pschedule_plan_new(&problem);
        mca_coll_pschedule_place_t place = {.space = COLL_PSCHEDULE_SPACE_SEND};
        mca_coll_pschedule_node_t over;
        mca_coll_pschedule_node_t turn = mca_coll_pschedule_plan_turn(
            plan, mca_coll_pschedule_plan_granted(plan, 1, RECEIVED), &over);
        mca_coll_pschedule_node_t send = mca_coll_pschedule_plan_send(
            plan, 1, DATA, place, BYTES, mca_coll_pschedule_plan_ready(plan, 0));

        mca_coll_pschedule_plan_depend(plan, send, turn);
        if (0 == idle) {
            mca_coll_pschedule_plan_depend(plan, send,
                                           mca_coll_pschedule_plan_granted(plan, 1, FREE));
            (void) mca_coll_pschedule_plan_grant(plan, 1, OVER, over);
        }
        assert_false(mca_coll_pschedule_plan_freeze(plan));
        assert_non_null(plan->fault);
        mca_coll_pschedule_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order),
        cmocka_unit_test(early_end),
        cmocka_unit_test(refused),
    };

    return UNIT_RUN(tests);
}
