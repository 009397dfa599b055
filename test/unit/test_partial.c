/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Many sends with partly filled units: each call of a path looks at a bounded number of them, and
 * the lone partitions of all leave after a few calls, in turn.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"

#include <string.h>

enum { SENDS = 400, PARTS = 16, UNITS_PER_CALL = 64 };

static channel_t channel[SENDS];

/* Each: two units of eight partitions, of which one in each is marked. */
static void open_all(void)
{
    const fakeucx_options_t network = {.seed = 1, .in_order = true};
    const channel_plan_t plan = {.total = PARTS * 64, .send_partitions = PARTS,
                                 .recv_partitions = PARTS, .slices = 1, .group = PARTS / 2,
                                 .method = PART_UCX_METHOD_MESSAGE};

    channel_paths_open(1, &network);
    mca_part_ucx_params.hold = 0;
    for (unsigned i = 0; i < SENDS; ++i) {
        memset(&channel[i], 0, sizeof(channel[i]));
        channel[i].number = i;
        channel_make(&channel[i], &plan);
    }
}

static void start_all(void)
{
    for (unsigned i = 0; i < SENDS; ++i) {
        uint32_t epoch = atomic_load(&channel[i].send->super.epoch) + 1;

        for (uint32_t part = 0; part < PARTS; ++part) {
            channel_fill(&channel[i], epoch, part);
        }
        channel_start(&channel[i].recv->super);
        channel_start(&channel[i].send->super);
    }
    for (int calls = 0; calls < 100; ++calls) {
        channel_progress(); /* READY */
    }
}

static void mark(unsigned which, uint32_t part)
{
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel[which], part, part));
}

static unsigned posted(void)
{
    return (unsigned) atomic_load(&mca_part_ucx_paths.path[0].counters.units);
}

/* So that marking does not drive the path. */
static void mark_only(unsigned which, uint32_t part)
{
    mca_part_ucx_lock_wait(&mca_part_ucx_paths.path[0].lock);
    mark(which, part);
    mca_part_ucx_lock_release(&mca_part_ucx_paths.path[0].lock);
}

/* How many calls of the path it takes until so many units have left. */
static unsigned calls_until(unsigned units)
{
    unsigned calls = 0;

    while (posted() < units && calls < 100000) {
        (void) mca_part_ucx_path_drive(&mca_part_ucx_paths.path[0], false);
        ++calls;
    }
    return calls;
}

/* Of all sends one alone has something to send: it is not found at once, but soon. */
static void look_for_each(void)
{
    unsigned most = 0;

    for (unsigned i = 0; i < SENDS; ++i) {
        unsigned before = posted(), calls;

        mark_only(i, 3);
        calls = calls_until(before + 1);
        most = calls > most ? calls : most;
    }
    UNIT_CHECK(most > SENDS / UNITS_PER_CALL, "%u calls look at all %d units", most, 2 * SENDS);
    UNIT_CHECK(most <= 2 * SENDS / UNITS_PER_CALL + 2, "it takes %u calls", most);
}

static void finish(unsigned which)
{
    for (uint32_t part = 0; part < PARTS; ++part) {
        if (3 != part && PARTS / 2 + 1 != part) {
            mark(which, part);
        }
    }
    for (int more = 0; more < 100000 && !channel_complete(&channel[which].recv->super); ++more) {
        channel_progress();
    }
    assert_true(channel_test(&channel[which].recv->super));
    while (!channel_test(&channel[which].send->super)) {
        channel_progress();
    }
}

static void bounded_and_fair(void **state)
{
    (void) state;
    open_all();
    for (int epoch = 0; epoch < 3; ++epoch) {
        unsigned before;

        start_all();
        look_for_each();
        before = posted();
        for (unsigned i = 0; i < SENDS; ++i) {
            mark_only(i, PARTS / 2 + 1);
        }
        assert_true(calls_until(before + SENDS) < 1000);
        for (int more = 0; more < 1000; ++more) {
            channel_progress();
        }
        for (unsigned i = 0; i < SENDS; ++i) {
            uint32_t now = atomic_load(&channel[i].send->super.epoch);

            assert_true(channel_is_there(&channel[i], now, 3));
            assert_true(channel_is_there(&channel[i], now, PARTS / 2 + 1));
            finish(i);
        }
    }
    for (unsigned i = 0; i < SENDS; ++i) {
        channel_free(&channel[i]);
    }
    channel_paths_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounded_and_fair)};

    return UNIT_RUN(tests);
}
