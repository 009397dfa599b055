/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How a path is used again (docs/protocol.md, 9.4): BACK both ways, generations, the three seconds
 * for an answer, and attempts that fail. On cables that are made up, with the component's own code
 * at both ends.
 */
#include "unit.h"

#include "twins.h"

#define UP     PART_UCX_ENDPOINT_UP
#define DOWN   PART_UCX_ENDPOINT_DOWN
#define TRYING PART_UCX_ENDPOINT_TRYING

static const channel_plan_t plan = {.total = 12 * 64,
                                    .send_partitions = 12,
                                    .recv_partitions = 12,
                                    .slices = 1,
                                    .group = 1,
                                    .method = PART_UCX_METHOD_MESSAGE};

static channel_t channel;
static uint32_t epoch;

static void begin(unsigned count)
{
    twins_open(count);
    twins_make(&channel, &plan);
    epoch = 0;
}

static void end(void)
{
    channel_free(&channel);
    twins_close();
}

static void start(void)
{
    twins_start(&channel, ++epoch);
    twins_mark_all(&channel);
}

static void finish(void)
{
    twins_finish(&channel, epoch);
}

static void whole_epoch(void)
{
    start();
    finish();
}

static void a_path_comes_back(void **state)
{
    unsigned before;

    (void) state;
    begin(2);
    for (unsigned times = 0; times < 3; ++times) {
        whole_epoch();
        twins_out_and_back(times % 2);
        before = cables_posted(cables_path(SIDE_A, times % 2), PART_UCX_AM_DATA);
        whole_epoch();
        assert_true(cables_posted(cables_path(SIDE_A, times % 2), PART_UCX_AM_DATA) > before);
    }
    end();
}

/* It comes back in the middle of an epoch, and what is late of its life before comes, too. */
static void it_comes_back_within_an_epoch(void **state)
{
    (void) state;
    begin(2);
    whole_epoch();
    cables_pull(0, true);
    cables.late = true;
    twins_start(&channel, ++epoch);
    twins_mark(&channel, 0, 5);
    twins_give_up(SIDE_B, 0);
    twins_pass(0.7);
    assert_int_equal(DOWN, twins_states(0));
    cables_pull(0, false);
    twins_pass(2);
    assert_int_equal(UP, twins_states(0));
    twins_mark(&channel, 6, plan.send_partitions - 1);
    finish();
    whole_epoch();
    end();
}

/* Until A's attempt at a cable that has been given up. What side `dead`, if that is one, sends by
 * it is lost from then on. */
static void until_an_attempt(unsigned dead)
{
    whole_epoch();
    cables_pull(0, true);
    twins_give_up(SIDE_A, 0);
    twins_pass(0.7);
    cables_pull(0, false);
    for (unsigned i = 0; i < 100 && TRYING != twins_state(SIDE_A, 0); ++i) {
        twins_pass(0.05);
        if (dead < SIDES) {
            cables.cut[dead][0] = TRYING == twins_state(SIDE_A, 0);
        }
    }
    assert_int_equal(TRYING, twins_state(SIDE_A, 0));
    assert_int_equal(1, twins_generation(SIDE_A, 0));
}

/* BACK does not come, neither there nor back: A closes its endpoint after three seconds, says DOWN
 * of a generation that B may have never heard of, is answered, and tries the next one. */
static void an_attempt_fails(void **state)
{
    (void) state;
    for (unsigned dead = 0; dead < SIDES; ++dead) {
        begin(2);
        until_an_attempt(dead);
        twins_pass(2.5);
        assert_int_equal(TRYING, twins_state(SIDE_A, 0));
        assert_int_equal(SIDE_A == dead ? DOWN : UP, twins_state(SIDE_B, 0));
        cables_lose();
        twins_pass(1.5);
        assert_int_equal(DOWN, twins_states(0));
        assert_int_equal(1, twins_generation(SIDE_A, 0));
        assert_int_equal(1, twins_generation(SIDE_B, 0));
        whole_epoch();
        cables_pull(0, false);
        twins_pass(5);
        assert_int_equal(UP, twins_states(0));
        assert_int_equal(2, twins_generation(SIDE_A, 0));
        whole_epoch();
        end();
    }
}

/* B uses the path before A does, and A never hears of it: what B has sent is not lost. */
static void data_of_an_attempt_that_fails(void **state)
{
    (void) state;
    begin(2);
    until_an_attempt(SIDE_B);
    twins_pass(0.5);
    assert_int_equal(UP, twins_state(SIDE_B, 0));
    start(); /* B says READY by path 0, and acknowledges there */
    cables_lose();
    twins_pass(4);
    finish();
    whole_epoch();
    end();
}

/* Nothing is posted by an endpoint that is only tried. */
static void an_attempt_carries_no_data(void **state)
{
    unsigned before;

    (void) state;
    begin(2);
    until_an_attempt(SIDE_A);
    before = cables_posted(cables_path(SIDE_A, 0), PART_UCX_AM_DATA);
    whole_epoch();
    assert_int_equal(before, cables_posted(cables_path(SIDE_A, 0), PART_UCX_AM_DATA));
    assert_int_equal(TRYING, twins_state(SIDE_A, 0));
    end();
}

/* A has no path left but one that it tries, and which B is about to use: B is told of the end. */
static void the_end_during_an_attempt(void **state)
{
    (void) state;
    begin(2);
    until_an_attempt(SIDES);
    cables.resets = true;
    channel_start(&channel.recv->super);
    twins_give_up(SIDE_A, 1);
    twins_pass(2);
    assert_true(channel_test(&channel.recv->super));
    assert_int_equal(MPI_ERR_OTHER, channel_outcome(&channel.recv->super));
    channel_start(&channel.send->super);
    twins_pass(0.1);
    assert_true(channel_test(&channel.send->super));
    assert_int_equal(MPI_ERR_OTHER, channel_outcome(&channel.send->super));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_comes_back),
        cmocka_unit_test(it_comes_back_within_an_epoch),
        cmocka_unit_test(an_attempt_fails),
        cmocka_unit_test(data_of_an_attempt_that_fails),
        cmocka_unit_test(an_attempt_carries_no_data),
        cmocka_unit_test(the_end_during_an_attempt),
    };

    return UNIT_RUN(tests);
}
