/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How two ends agree that a path is given up (docs/protocol.md, 9.2, rules 9 to 11, and 9.3): what
 * makes them do so, DOWN and its answer, what of it is not to be believed; and the end, where no
 * path is left. On cables that are made up, with the component's own code at both ends.
 */
#include "ompi_config.h"

#include "unit.h"

#include "fakehelp.h"
#include "course.h"

#include <string.h>

#include "ompi/proc/proc.h"
#include "ompi/runtime/params.h"

#define UP   PART_UCX_ENDPOINT_UP
#define DOWN PART_UCX_ENDPOINT_DOWN

/* DOWN or BACK of a cable from the other side, by any path. */
static void hear(unsigned side, unsigned cable, unsigned id, uint32_t generation, bool answer)
{
    const mca_part_ucx_channel_t *end =
        SIDE_A == side ? &course.channel.send->super : &course.channel.recv->super;
    mca_part_ucx_failover_news_t down = {.key = end->key,
                                         .nonce = end->nonce,
                                         .generation = generation,
                                         .from_path = cables_path(1 - side, cable),
                                         .to_path = cables_path(side, cable),
                                         .answer = answer};

    cables_say(cables_path(side, cables.count - 1), id, &down, sizeof(down), NULL, 0);
}

/* ---- giving up ---- */

/* Either end gives a path up, and the other one does so, too; then they are quiet. */
static void both_ends_give_up(void **state)
{
    (void) state;
    for (unsigned side = 0; side < SIDES; ++side) {
        unsigned told;

        course_begin(2);
        course_epoch();
        cables_pull(0, true);
        twins_give_up(side, 0);
        twins_pass(0.5);
        assert_int_equal(DOWN, twins_states(0));
        assert_int_equal(UP, twins_states(1));
        told = twins_said(SIDE_A, PART_UCX_AM_DOWN) + twins_said(SIDE_B, PART_UCX_AM_DOWN);
        twins_pass(5);
        assert_int_equal(told, twins_said(SIDE_A, PART_UCX_AM_DOWN)
                                   + twins_said(SIDE_B, PART_UCX_AM_DOWN));
        course_epoch();
        course_end();
    }
}

/* The answer is late: DOWN is said again, and an end that has heard the other one is not asked any
 * more. */
static void down_is_said_until_it_is_answered(void **state)
{
    unsigned told;

    (void) state;
    course_begin(2);
    course_epoch();
    cables_pull(0, true);
    cables.cut[SIDE_A][1] = true;
    twins_give_up(SIDE_A, 0);
    twins_pass(0.8);
    assert_int_equal(DOWN, twins_state(SIDE_A, 0));
    assert_int_equal(UP, twins_state(SIDE_B, 0));
    cables_lose(); /* what has been said so far never comes */
    cables.cut[SIDE_A][1] = false;
    twins_pass(1.2);
    assert_int_equal(DOWN, twins_states(0));
    assert_true(twins_said(SIDE_A, PART_UCX_AM_DOWN) > 1);
    told = twins_said(SIDE_A, PART_UCX_AM_DOWN);
    twins_pass(3);
    assert_int_equal(told, twins_said(SIDE_A, PART_UCX_AM_DOWN));
    course_epoch();
    course_end();
}

/* The answer is lost: it is asked for again, and until then the path is not tried. */
static void an_answer_is_lost(void **state)
{
    (void) state;
    course_begin(2);
    course_epoch();
    cables_pull(0, true);
    cables.cut[SIDE_B][1] = true;
    twins_give_up(SIDE_A, 0);
    twins_pass(0.6);
    assert_int_equal(DOWN, twins_states(0));
    assert_true(twins_said(SIDE_B, PART_UCX_AM_DOWN) > 0);
    cables_pull(0, false);
    twins_pass(3);
    assert_int_equal(DOWN, twins_states(0)); /* A does not try before it has been answered */
    assert_int_equal(0, twins_generation(SIDE_A, 0));
    cables_lose();
    cables.cut[SIDE_B][1] = false;
    twins_pass(3);
    assert_int_equal(UP, twins_states(0));
    course_epoch();
    course_end();
}

/* Each has given up another path, and is deaf there: only the third one leads to both. */
static void each_end_gives_up_another(void **state)
{
    (void) state;
    for (unsigned third = 0; third < 3; ++third) {
        course_begin(3);
        course_epoch();
        cables.cut[SIDE_A][(third + 1) % 3] = true;
        cables.cut[SIDE_B][(third + 2) % 3] = true;
        course_start();
        twins_give_up(SIDE_A, (third + 1) % 3);
        twins_give_up(SIDE_B, (third + 2) % 3);
        twins_pass(0.5);
        assert_int_equal(DOWN, twins_states((third + 1) % 3));
        assert_int_equal(DOWN, twins_states((third + 2) % 3));
        assert_int_equal(UP, twins_states(third));
        course_finish();
        course_epoch();
        course_end();
    }
}

/* ---- noticing ---- */

/* One direction of a cable is dead: both ends notice, none of them by UCX. */
static void a_path_that_hangs_is_given_up(void **state)
{
    (void) state;
    for (unsigned side = 0; side < SIDES; ++side) {
        course_begin(2);
        course_epoch();
        cables.cut[side][0] = true;
        course_start();
        twins_pass(0.4 + TWINS_TIMEOUT - 0.3);
        assert_int_equal(UP, twins_states(0));
        twins_pass(4);
        assert_int_equal(DOWN, twins_states(0));
        assert_int_equal(UP, twins_states(1));
        assert_true(twins_said(side, PART_UCX_AM_PROBE) > 0);
        course_finish();
        course_end();
    }
}

/* One's cable is out: no need to wait, where there is another path. */
static void a_path_without_carrier_is_given_up_soon(void **state)
{
    (void) state;
    for (unsigned side = 0; side < SIDES; ++side) {
        course_begin(2);
        course_epoch();
        cables_pull(0, true);
        cables.dark[side][0] = true;
        course_start();
        twins_pass(1.2);
        assert_int_equal(DOWN, twins_states(0));
        assert_int_equal(UP, twins_states(1));
        course_finish();
        twins_pass(5); /* nobody asks by it */
        assert_int_equal(DOWN, twins_states(0));
        cables_pull(0, false);
        cables.dark[side][0] = false;
        twins_pass(2);
        assert_int_equal(UP, twins_states(0));
        course_epoch();
        course_end();
    }
}

/* A carrier that is away for a moment is no cable that is out, however often somebody looks. */
static void a_carrier_may_blink(void **state)
{
    (void) state;
    course_begin(2);
    course_epoch();
    cables_pull(0, true);
    course_start();
    twins_pass(0.6);
    cables.dark[SIDE_A][0] = true;
    for (unsigned i = 0; i < 3; ++i) {
        mca_part_ucx_watchdog_soon();
        twins_pass(0.05);
    }
    cables.dark[SIDE_A][0] = false;
    cables_pull(0, false);
    twins_pass(1);
    assert_int_equal(0, twins_generation(SIDE_A, 0));
    assert_int_equal(UP, twins_states(0));
    course_finish();
    course_end();
}

/* A device is gone when its endpoint is to be made: lost before it was used. */
static void an_endpoint_that_cannot_be_made_is_lost(void **state)
{
    (void) state;
    for (unsigned side = 0; side < SIDES; ++side) {
        course_begin_without(2, side);
        course_start();
        twins_pass(1);
        assert_int_equal(DOWN, twins_states(0));
        assert_int_equal(UP, twins_states(1));
        course_finish();
        course_epoch();
        cables.gone[side][0] = false;
        twins_pass(3);
        assert_int_equal(UP, twins_states(0));
        course_epoch();
        course_end();
    }
}

/* All of them: a switch may be back in a moment. */
static void all_without_carrier_may_come_back(void **state)
{
    (void) state;
    course_begin(2);
    course_epoch();
    for (unsigned i = 0; i < 2; ++i) {
        cables_pull(i, true);
        cables.dark[SIDE_A][i] = true;
    }
    course_start();
    twins_pass(0.4 + TWINS_TIMEOUT - 0.3);
    assert_int_equal(UP, twins_states(0));
    assert_int_equal(UP, twins_states(1));
    for (unsigned i = 0; i < 2; ++i) {
        cables_pull(i, false);
        cables.dark[SIDE_A][i] = false;
    }
    course_finish();
    course_end();
}

/* A receiver that computes, and answers nothing, is no dead path. */
static void a_slow_peer_is_no_dead_path(void **state)
{
    (void) state;
    course_begin(2);
    course_epoch();
    twins_start_send(&course.channel, ++course.epoch);
    twins_mark_all(&course.channel);
    twins_pass(10 * TWINS_TIMEOUT);
    assert_int_equal(UP, twins_states(0));
    assert_int_equal(UP, twins_states(1));
    assert_true(twins_said(SIDE_A, PART_UCX_AM_PROBE) > 0);
    channel_start(&course.channel.recv->super);
    course_finish();
    course_end();
}

/* ---- what is not to be believed ---- */

static void an_old_down_is_dropped(void **state)
{
    (void) state;
    for (unsigned i = 0; i < 4; ++i) {
        unsigned side = i / 2;

        course_begin(2);
        twins_out_and_back(0);
        hear(side, 0, PART_UCX_AM_DOWN, 0, 1 == i % 2);
        twins_pass(2);
        assert_int_equal(UP, twins_states(0));
        assert_int_equal(1, twins_generation(side, 0));
        course_epoch();
        twins_out_and_back(0); /* it does not stand in the way of the next one */
        course_end();
    }
}

/* No end can be ahead by more than one: a generation from nowhere gives up no path, and opens none,
 * neither now nor when the path dies. */
static void a_far_generation_is_dropped(void **state)
{
    static const uint32_t far[] = {2, 100, INT32_MAX, UINT32_MAX - 1, UINT32_MAX};

    (void) state;
    for (unsigned i = 0; i < 4 * sizeof(far) / sizeof(far[0]); ++i) {
        unsigned side = i / 2 % 2;

        course_begin(2);
        course_epoch();
        hear(side, 0, 1 == i % 2 ? PART_UCX_AM_DOWN : PART_UCX_AM_BACK, far[i / 4], false);
        twins_pass(2);
        assert_int_equal(UP, twins_states(0));
        assert_int_equal(0, twins_generation(side, 0));
        cables_pull(0, true);
        twins_give_up(SIDE_A, 0);
        twins_pass(2);
        assert_int_equal(DOWN, twins_states(0));
        cables_pull(0, false);
        twins_pass(3);
        assert_int_equal(UP, twins_states(0));
        course_epoch();
        course_end();
    }
}

/* Wrong in one respect each: it counts as a stranger's, and nothing happens. */
static void strangers_are_not_heard(void **state)
{
    mca_part_ucx_failover_news_t good, bad[6];
    uint64_t strays;

    (void) state;
    course_begin(2);
    course_epoch();
    good = (mca_part_ucx_failover_news_t) {.key = course.channel.send->super.key,
                                          .nonce = course.channel.send->super.nonce,
                                          .from_path = cables_path(SIDE_B, 0),
                                          .to_path = cables_path(SIDE_A, 0)};
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        bad[i] = good;
    }
    bad[0].key ^= UINT64_C(1) << 40;
    bad[1].nonce ^= 1;
    bad[2].from_path = 4; /* there is none */
    bad[3].from_path = UINT32_MAX;
    bad[4].to_path = 4;
    bad[5].to_path = cables_path(SIDE_A, 1); /* the two do not meet */
    strays = atomic_load(&mca_part_ucx_process.strays);
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        cables_say(cables_path(SIDE_A, 0), PART_UCX_AM_DOWN, &bad[i], sizeof(bad[i]), NULL, 0);
        cables_say(cables_path(SIDE_A, 0), PART_UCX_AM_BACK, &bad[i], sizeof(bad[i]), NULL, 0);
    }
    for (size_t length = 0; length < sizeof(good); ++length) {
        cables_say(cables_path(SIDE_A, 0), PART_UCX_AM_DOWN, &good, length, NULL, 0);
    }
    assert_int_equal(strays + 12 + sizeof(good), atomic_load(&mca_part_ucx_process.strays));
    twins_pass(2);
    assert_int_equal(UP, twins_states(0));
    assert_int_equal(UP, twins_states(1));
    assert_int_equal(0, twins_said(SIDE_A, PART_UCX_AM_DOWN));
    course_epoch();
    course_end();
}

/* ---- the end ---- */

/* No path is left: an error on both ends, and no end of it without one. */
static void no_path_is_left(void **state)
{
    (void) state;
    for (unsigned noticed = 0; noticed < 2; ++noticed) {
        course_begin(2);
        course_epoch();
        cables_pull(0, true);
        cables_pull(1, true);
        course_start();
        if (noticed) {
            for (unsigned i = 0; i < 4; ++i) {
                twins_give_up(i / 2, i % 2);
            }
        }
        twins_pass(10);
        assert_true(channel_complete(&course.channel.send->super));
        assert_true(channel_complete(&course.channel.recv->super));
        assert_int_equal(MPI_ERR_OTHER, channel_outcome(&course.channel.send->super));
        assert_int_equal(MPI_ERR_OTHER, channel_outcome(&course.channel.recv->super));
        assert_true(channel_test(&course.channel.send->super)
                    && channel_test(&course.channel.recv->super));
        course_end();
    }
}

/* One end alone finds that no path is left, and can tell nobody: UCX finds its connections closed
 * at the other one. */
static void one_end_is_left_alone(void **state)
{
    (void) state;
    for (unsigned side = 0; side < SIDES; ++side) {
        course_begin(2);
        course_epoch();
        cables.resets = true;
        channel_start(side == SIDE_A ? &course.channel.recv->super : &course.channel.send->super);
        twins_give_up(side, 0);
        twins_give_up(side, 1);
        twins_pass(2);
        channel_start(side == SIDE_A ? &course.channel.send->super : &course.channel.recv->super);
        twins_pass(2);
        assert_true(channel_test(&course.channel.send->super)
                    && channel_test(&course.channel.recv->super));
        assert_int_equal(MPI_ERR_OTHER, channel_outcome(&course.channel.send->super));
        assert_int_equal(MPI_ERR_OTHER, channel_outcome(&course.channel.recv->super));
        course_end();
    }
}

#if OPAL_ENABLE_FT_MPI
/* All paths are lost at once, as where the process has died: the last endpoints are closed only
 * when Open MPI has not told so for seconds. For each closing ends what others have, too. */
static void a_process_may_have_died(void **state)
{
    (void) state;
    for (unsigned died = 0; died < 2; ++died) {
        course_begin(2);
        course_epoch();
        ompi_ftmpi_enabled = true;
        twins_give_up(SIDE_A, 0);
        twins_give_up(SIDE_A, 1);
        twins_pass(4.6);
        assert_int_equal(PART_UCX_ENDPOINT_LOST, twins_state(SIDE_A, 0));
        assert_int_equal(PART_UCX_ENDPOINT_LOST, twins_state(SIDE_A, 1));
        twins_endpoint(SIDE_A, 0)->peer->proc->proc_active = 0 == died;
        twins_pass(1);
        for (unsigned i = 0; i < 2; ++i) {
            assert_int_equal(died ? PART_UCX_ENDPOINT_LOST : DOWN, twins_state(SIDE_A, i));
        }
        ompi_ftmpi_enabled = false;
        course_end();
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_give_up),
        cmocka_unit_test(down_is_said_until_it_is_answered),
        cmocka_unit_test(an_answer_is_lost),
        cmocka_unit_test(each_end_gives_up_another),
        cmocka_unit_test(a_path_that_hangs_is_given_up),
        cmocka_unit_test(a_path_without_carrier_is_given_up_soon),
        cmocka_unit_test(a_carrier_may_blink),
        cmocka_unit_test(an_endpoint_that_cannot_be_made_is_lost),
        cmocka_unit_test(all_without_carrier_may_come_back),
        cmocka_unit_test(a_slow_peer_is_no_dead_path),
        cmocka_unit_test(an_old_down_is_dropped),
        cmocka_unit_test(a_far_generation_is_dropped),
        cmocka_unit_test(strangers_are_not_heard),
        cmocka_unit_test(no_path_is_left),
        cmocka_unit_test(one_end_is_left_alone),
#if OPAL_ENABLE_FT_MPI
        cmocka_unit_test(a_process_may_have_died),
#endif
    };

    return UNIT_RUN(tests);
}
