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

#include "course.h"

#define UP     PART_UCX_ENDPOINT_UP
#define DOWN   PART_UCX_ENDPOINT_DOWN
#define TRYING PART_UCX_ENDPOINT_TRYING

static void a_path_comes_back(void **state)
{
    unsigned before;

    (void) state;
    course_begin(2);
    for (unsigned times = 0; times < 3; ++times) {
        course_epoch();
        twins_out_and_back(times % 2);
        before = cables_posted(cables_path(SIDE_A, times % 2), PART_UCX_AM_DATA);
        course_epoch();
        assert_true(cables_posted(cables_path(SIDE_A, times % 2), PART_UCX_AM_DATA) > before);
    }
    course_end();
}

/* While it was out, units have been dealt to others; and nothing is known of how fast any is. */
static void it_carries_again(void **state)
{
    unsigned before;

    (void) state;
    course_begin(2);
    course_epoch();
    cables_pull(0, true);
    twins_give_up(SIDE_A, 0);
    twins_pass(0.7);
    assert_int_equal(DOWN, twins_states(0));
    course_epoch();
    cables_pull(0, false);
    twins_pass(2);
    assert_int_equal(UP, twins_states(0));
    before = cables_posted(cables_path(SIDE_A, 0), PART_UCX_AM_DATA);
    course_epoch();
    assert_true(cables_posted(cables_path(SIDE_A, 0), PART_UCX_AM_DATA) > before);
    course_end();
}

/* It comes back in the middle of an epoch, and what is late of its life before comes, too. */
static void it_comes_back_within_an_epoch(void **state)
{
    (void) state;
    course_begin(2);
    course_epoch();
    cables_pull(0, true);
    cables.late = true;
    twins_start(&course.channel, ++course.epoch);
    twins_mark(&course.channel, 0, 5);
    twins_give_up(SIDE_B, 0);
    twins_pass(0.7);
    assert_int_equal(DOWN, twins_states(0));
    cables_pull(0, false);
    twins_pass(2);
    assert_int_equal(UP, twins_states(0));
    twins_mark(&course.channel, 6, course.channel.plan.send_partitions - 1);
    course_finish();
    course_epoch();
    course_end();
}

/* Until A's attempt at a cable that has been given up. What side `dead`, if that is one, sends by
 * it is lost from then on. */
static void until_an_attempt(unsigned dead)
{
    course_epoch();
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
        course_begin(2);
        until_an_attempt(dead);
        twins_pass(2.5);
        assert_int_equal(TRYING, twins_state(SIDE_A, 0));
        assert_int_equal(SIDE_A == dead ? DOWN : UP, twins_state(SIDE_B, 0));
        cables_lose();
        twins_pass(1.5);
        assert_int_equal(DOWN, twins_states(0));
        assert_int_equal(1, twins_generation(SIDE_A, 0));
        assert_int_equal(1, twins_generation(SIDE_B, 0));
        course_epoch();
        cables_pull(0, false);
        twins_pass(5);
        assert_int_equal(UP, twins_states(0));
        assert_int_equal(2, twins_generation(SIDE_A, 0));
        course_epoch();
        course_end();
    }
}

/* B uses the path before A does, and A never hears of it: what B has sent is not lost. */
static void data_of_an_attempt_that_fails(void **state)
{
    (void) state;
    course_begin(2);
    until_an_attempt(SIDE_B);
    twins_pass(0.5);
    assert_int_equal(UP, twins_state(SIDE_B, 0));
    course_start(); /* B says READY by path 0, and acknowledges there */
    cables_lose();
    twins_pass(4);
    course_finish();
    course_epoch();
    course_end();
}

/* Nothing is posted by an endpoint that is only tried. */
static void an_attempt_carries_no_data(void **state)
{
    unsigned before;

    (void) state;
    course_begin(2);
    until_an_attempt(SIDE_A);
    before = cables_posted(cables_path(SIDE_A, 0), PART_UCX_AM_DATA);
    course_epoch();
    assert_int_equal(before, cables_posted(cables_path(SIDE_A, 0), PART_UCX_AM_DATA));
    assert_int_equal(TRYING, twins_state(SIDE_A, 0));
    course_end();
}

/* A has no path left but one that it tries, and which B is about to use: B is told of the end. */
static void the_end_during_an_attempt(void **state)
{
    (void) state;
    course_begin(2);
    until_an_attempt(SIDES);
    cables.resets = true;
    channel_start(&course.channel.recv->super);
    twins_give_up(SIDE_A, 1);
    twins_pass(2);
    assert_true(channel_test(&course.channel.recv->super));
    assert_int_equal(MPI_ERR_OTHER, channel_outcome(&course.channel.recv->super));
    channel_start(&course.channel.send->super);
    twins_pass(0.1);
    assert_true(channel_test(&course.channel.send->super));
    assert_int_equal(MPI_ERR_OTHER, channel_outcome(&course.channel.send->super));
    course_end();
}

/* What has failed on it before, puts perhaps, is of no endpoint any more. */
static void an_old_error_is_forgotten(void **state)
{
    (void) state;
    course_begin(2);
    course_epoch();
    twins_endpoint(SIDE_A, 0)->status = UCS_ERR_CANCELED;
    twins_out_and_back(0);
    assert_int_equal(UCS_OK, twins_endpoint(SIDE_A, 0)->status);
    course_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_comes_back),
        cmocka_unit_test(it_carries_again),
        cmocka_unit_test(it_comes_back_within_an_epoch),
        cmocka_unit_test(an_attempt_fails),
        cmocka_unit_test(data_of_an_attempt_that_fails),
        cmocka_unit_test(an_attempt_carries_no_data),
        cmocka_unit_test(the_end_during_an_attempt),
        cmocka_unit_test(an_old_error_is_forgotten),
    };

    return UNIT_RUN(tests);
}
