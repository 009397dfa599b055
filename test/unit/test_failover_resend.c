/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What becomes of the data when a path dies (docs/protocol.md, 9.2, rules 1 to 8): sent again by
 * another path, taken once, and never by a later epoch; READY said again, and heeded once. On
 * cables that are made up, with the component's own code at both ends.
 */
#include "unit.h"

#include "twins.h"

#include "path/part_ucx_failover_outage.h"

#include <stdlib.h>
#include <string.h>

/* Two partitions in a unit, four units; and each partition alone. */
static const channel_plan_t grouped = {.total = 8 * 64,
                                       .send_partitions = 8,
                                       .recv_partitions = 8,
                                       .slices = 1,
                                       .group = 2,
                                       .method = PART_UCX_METHOD_MESSAGE};
static const channel_plan_t single = {.total = 8 * 64,
                                      .send_partitions = 8,
                                      .recv_partitions = 4,
                                      .slices = 1,
                                      .group = 1,
                                      .method = PART_UCX_METHOD_MESSAGE};
static const channel_plan_t *const plans[] = {&grouped, &single};
#define PLANS (sizeof(plans) / sizeof(plans[0]))

static channel_t channel;

static uint64_t repeats(void)
{
    return atomic_load(&mca_part_ucx_process.repeats);
}

static unsigned data_posted(unsigned cable)
{
    return cables_posted(cables_path(SIDE_A, cable), PART_UCX_AM_DATA);
}

static void begin(const channel_plan_t *plan)
{
    twins_open(2);
    twins_make(&channel, plan);
}

static void end(void)
{
    channel_free(&channel);
    twins_close();
}

static void start_and_mark(uint32_t epoch)
{
    twins_start(&channel, epoch);
    twins_mark_all(&channel);
}

/* ---- rules 1, 2 and 5: what is sent again, and when an epoch is over ---- */

/* UCX has the bytes of path 0, or has called back for them; they are lost with it. */
static void sent_again(const channel_plan_t *plan, bool called_back)
{
    unsigned before;

    begin(plan);
    twins_epoch(&channel, 1);
    cables.cut[SIDE_A][0] = true;
    cables.silent[SIDE_A][0] = !called_back;
    start_and_mark(2);
    assert_true(data_posted(0) > 0);
    /* It is not over before the receiver has said so. */
    assert_false(channel_complete(&channel.send->super));
    assert_false(channel_complete(&channel.recv->super));
    before = data_posted(1);
    twins_give_up(SIDE_A, 0);
    twins_pass(0.5);
    assert_true(data_posted(1) > before);
    twins_finish(&channel, 2);
    twins_epoch(&channel, 3); /* with what is left */
    end();
}

static void what_a_path_took_is_sent_again(void **state)
{
    (void) state;
    for (unsigned i = 0; i < 2 * PLANS; ++i) {
        sent_again(plans[i / 2], 1 == i % 2);
    }
}

/* The receiver has everything, and says so; but UCX may still read a source. */
static void an_epoch_waits_for_ucx(void **state)
{
    (void) state;
    begin(&grouped);
    cables.silent[SIDE_A][0] = true;
    start_and_mark(1);
    twins_pass(0.3);
    channel_finish(&channel.recv->super);
    assert_false(channel_complete(&channel.send->super));
    cables.silent[SIDE_A][0] = false;
    twins_finish(&channel, 1);
    end();
}

/* What has been acknowledged is the program's again: it is not read, nor sent. */
static void what_is_over_is_not_sent_again(void **state)
{
    unsigned before;

    (void) state;
    begin(&grouped);
    twins_epoch(&channel, 1);
    before = data_posted(1);
    memset(channel.source, 0, channel.plan.total);
    twins_give_up(SIDE_A, 0);
    twins_pass(0.5);
    assert_int_equal(before, data_posted(1));
    assert_int_equal(0, atomic_load(&channel.send->remaining));
    twins_epoch(&channel, 2);
    end();
}

/* ---- rules 3 and 4: once, and of this epoch ---- */

static void a_copy_comes_again(const channel_plan_t *plan, bool next_has_begun)
{
    uint64_t before = repeats();

    begin(plan);
    cables.cut[SIDE_A][0] = true;
    cables.late = true;
    start_and_mark(1);
    twins_give_up(SIDE_A, 0);
    twins_pass(0.3);
    twins_finish(&channel, 1);
    if (next_has_begun) {
        channel_start(&channel.recv->super);
        twins_start_send(&channel, 2);
        twins_drive(5);
    }
    assert_int_equal(before, repeats());
    cables.cut[SIDE_A][0] = false; /* now they come */
    twins_drive(5);
    assert_true(repeats() > before);
    for (uint32_t i = 0; i < plan->recv_partitions; ++i) {
        assert_true(channel_is_there(&channel, 1, i));
        assert_true(!next_has_begun || !channel_parrived(&channel, i, i));
    }
    if (next_has_begun) {
        twins_mark_all(&channel);
        twins_finish(&channel, 2);
    } else {
        twins_epoch(&channel, 2);
    }
    twins_epoch(&channel, 3);
    end();
}

static void late_copies_are_dropped(void **state)
{
    (void) state;
    for (unsigned i = 0; i < 2 * PLANS; ++i) {
        a_copy_comes_again(plans[i / 2], 1 == i % 2);
    }
}

/* Both copies of a segment come while its epoch runs, the late one first, or last. */
static void copies_meet_in_an_epoch(void **state)
{
    (void) state;
    for (unsigned first = 0; first < 2; ++first) {
        uint64_t before = repeats();

        begin(&grouped);
        cables.cut[SIDE_A][0] = true;
        cables.late = true;
        channel_start(&channel.recv->super);
        twins_start_send(&channel, 1);
        twins_drive(5);
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, 5)); /* 6 and 7 wait */
        twins_drive(5);
        cables.cut[SIDE_A][1] = 0 == first;
        twins_give_up(SIDE_A, 0);
        twins_pass(0.1);
        cables.cut[SIDE_A][0] = false;
        twins_drive(5);
        cables.cut[SIDE_A][1] = false;
        twins_drive(5);
        assert_int_equal(before + 2, repeats()); /* two units had gone by path 0 */
        assert_int_equal(2, atomic_load(&channel.recv->remaining));
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 6, 7));
        twins_finish(&channel, 1);
        end();
    }
}

/* Meanwhile the epoch ends, and the next one brings the same segment by the other path. */
static void the_next_epoch_passes(void)
{
    twins_finish(&channel, 1);
    twins_epoch(&channel, 2);
}

static void a_handler_stands_still(void **state)
{
    uint64_t before = repeats();

    (void) state;
    begin(&single);
    cables.cut[SIDE_A][0] = cables.cut[SIDE_A][1] = true;
    cables.late = true;
    start_and_mark(1);
    twins_give_up(SIDE_A, 0);
    twins_give_up(SIDE_B, 0); /* READY does not wait for the path that the handler has locked */
    twins_pass(0.1);
    twins_standing = the_next_epoch_passes;
    cables.cut[SIDE_A][1] = false; /* what is sent again comes at once, ... */
    cables.cut[SIDE_A][0] = false; /* ... when the first of path 0 is judged */
    twins_drive(5);
    assert_null(twins_standing);
    assert_true(repeats() > before);
    for (uint32_t i = 0; i < single.recv_partitions; ++i) {
        assert_true(channel_is_there(&channel, 2, i)); /* nothing of epoch 1 has been copied */
    }
    twins_epoch(&channel, 3);
    end();
}

/* ---- rule 6 ---- */

/* Units are in the queue of a path whose endpoint is lost, or closed, before it is driven. */
static void what_is_queued_takes_another_path(void **state)
{
    (void) state;
    for (unsigned i = 0; i < 2 * PLANS; ++i) {
        mca_part_ucx_path_t *path;
        unsigned before;

        begin(plans[i / 2]);
        twins_epoch(&channel, 1);
        path = &mca_part_ucx_paths.path[cables_path(SIDE_A, 0)];
        before = data_posted(0);
        channel_start(&channel.recv->super);
        twins_start_send(&channel, 2);
        twins_drive(5);
        if (1 == i % 2) {
            twins_give_up(SIDE_A, 0);
            twins_pass(0.3);
            assert_int_equal(PART_UCX_ENDPOINT_DOWN, twins_state(SIDE_A, 0));
            twins_mark_all(&channel);
        } else {
            mca_part_ucx_path_lock(path);
            twins_mark_all(&channel);
            mca_part_ucx_endpoint_lose(twins_endpoint(SIDE_A, 0), "a test");
            mca_part_ucx_path_unlock(path);
        }
        twins_pass(0.1);
        assert_int_equal(before, data_posted(0));
        twins_finish(&channel, 2);
        end();
    }
}

/* ---- rules 7 and 8: READY ---- */

/* Neither "started" nor "done" gets through before its path is given up. */
static void ready_is_said_again(void **state)
{
    (void) state;
    for (unsigned done = 0; done < 2; ++done) {
        begin(&grouped);
        twins_epoch(&channel, 1);
        cables.cut[SIDE_B][0] = !done;
        channel_start(&channel.recv->super);
        twins_start_send(&channel, 2);
        twins_drive(5);
        cables.cut[SIDE_B][0] = cables.cut[SIDE_B][1] = true;
        twins_mark_all(&channel);
        twins_drive(5);
        assert_true(!done || channel_complete(&channel.recv->super));
        assert_false(channel_complete(&channel.send->super));
        for (unsigned i = 0; i < 2; ++i) { /* whichever it went by */
            cables.cut[SIDE_B][1 - i] = false;
            twins_give_up(SIDE_B, i);
            twins_pass(0.5);
            if (channel_complete(&channel.send->super)) {
                break;
            }
            assert_int_equal(0, i);
            cables_pull(0, false);
            twins_pass(3);
            assert_int_equal(PART_UCX_ENDPOINT_UP, twins_states(0));
        }
        twins_finish(&channel, 2);
        end();
    }
}

static void say_ready(uint32_t epoch, uint32_t done)
{
    mca_part_ucx_event_t event = {.key = channel.send->super.key,
                                  .nonce = channel.send->super.nonce,
                                  .from = channel.recv->super.key,
                                  .epoch = epoch,
                                  .done = done};

    for (unsigned cable = 0; cable < cables.count; ++cable) {
        cables_say(cables_path(SIDE_A, cable), PART_UCX_AM_READY, &event, sizeof(event), NULL, 0);
    }
}

/* The gate of the next epoch stays closed, and an acknowledgement counts once. */
static void ready_again_does_nothing(void **state)
{
    unsigned before;

    (void) state;
    begin(&grouped);
    twins_epoch(&channel, 1);
    say_ready(1, 0);
    say_ready(1, 1);
    before = data_posted(0) + data_posted(1);
    twins_start_send(&channel, 2);
    say_ready(1, 1);
    say_ready(1, 0);
    twins_mark_all(&channel);
    twins_drive(5);
    assert_int_equal(before, data_posted(0) + data_posted(1));
    assert_int_equal(grouped.send_partitions + 1, atomic_load(&channel.send->remaining));
    channel_start(&channel.recv->super);
    cables.silent[SIDE_A][0] = true;
    twins_drive(5);
    say_ready(2, 2);
    say_ready(2, 1);
    say_ready(2, 2);
    assert_false(channel_complete(&channel.send->super)); /* UCX has not called back */
    cables.silent[SIDE_A][0] = false;
    twins_finish(&channel, 2);
    say_ready(2, 2);
    say_ready(1, 1); /* by a path that was slow */
    before = data_posted(0) + data_posted(1);
    twins_start_send(&channel, 3);
    twins_mark_all(&channel);
    assert_int_equal(before, data_posted(0) + data_posted(1));
    channel_start(&channel.recv->super);
    twins_finish(&channel, 3);
    twins_epoch(&channel, 4);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_path_took_is_sent_again),
        cmocka_unit_test(an_epoch_waits_for_ucx),
        cmocka_unit_test(what_is_over_is_not_sent_again),
        cmocka_unit_test(late_copies_are_dropped),
        cmocka_unit_test(copies_meet_in_an_epoch),
        cmocka_unit_test(a_handler_stands_still),
        cmocka_unit_test(what_is_queued_takes_another_path),
        cmocka_unit_test(ready_is_said_again),
        cmocka_unit_test(ready_again_does_nothing),
    };

    return UNIT_RUN(tests);
}
