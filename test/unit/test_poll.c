/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When polls that find nothing make progress: seldom when they follow each other closely, at every
 * one when they are far apart, and always after a bounded number.
 */
#include "unit.h"

#include "base/part_ucx_poll.h"

/* As mca_part_ucx_poll_due() and _over(), with a clock of our own: true when progress is due. */
static bool poll_at(mca_part_ucx_poll_t *poll, uint64_t now)
{
    if (++poll->calls < poll->limit) {
        return false;
    }
    mca_part_ucx_poll_adapt(poll, now);
    poll->then = now;
    return true;
}

/* How often `calls` polls, `step` nanoseconds apart, make progress. */
static unsigned due_in(mca_part_ucx_poll_t *poll, uint64_t *now, unsigned calls, uint64_t step)
{
    unsigned due = 0;

    for (unsigned i = 0; i < calls; ++i) {
        *now += step;
        due += poll_at(poll, *now);
    }
    return due;
}

static void close_polls_seldom(void **state)
{
    mca_part_ucx_poll_t poll = {0};
    uint64_t now = 1000000;

    (void) state;
    (void) due_in(&poll, &now, 1000, 5);
    assert_int_equal(due_in(&poll, &now, 6400, 5), 6400 / PART_UCX_POLL_CALLS);
}

static void distant_polls_always(void **state)
{
    mca_part_ucx_poll_t poll = {0};
    uint64_t now = 1000000;

    (void) state;
    (void) due_in(&poll, &now, 1000, 5);
    (void) due_in(&poll, &now, 1000, 3 * PART_UCX_POLL_NS);
    assert_int_equal(due_in(&poll, &now, 100, 3 * PART_UCX_POLL_NS), 100);
}

/* Whatever the distance of the polls, progress is about PART_UCX_POLL_NS apart, or as far as polls
 * are, or as PART_UCX_POLL_CALLS of them take. */
static void about_as_long(void **state)
{
    (void) state;
    for (uint64_t step = 1; step < 20 * PART_UCX_POLL_NS; step += 1 + step / 3) {
        mca_part_ucx_poll_t poll = {0};
        uint64_t now = 1000000;
        uint64_t most = step > 2 * PART_UCX_POLL_NS ? step : 2 * PART_UCX_POLL_NS + step;
        unsigned calls = (unsigned) (1000000 / step) + 1000;
        unsigned due;

        (void) due_in(&poll, &now, 2000, step);
        due = due_in(&poll, &now, calls, step);
        assert_true(due > 0);
        assert_uint_in_range(calls / due * step, 0, most);
        assert_uint_in_range(calls / due, 0, PART_UCX_POLL_CALLS + 1);
    }
}

static void first_poll(void **state)
{
    mca_part_ucx_poll_t poll = {0};

    (void) state;
    assert_true(mca_part_ucx_poll_due(&poll));
    mca_part_ucx_poll_over(&poll);
    assert_int_not_equal(poll.then, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_polls_seldom),
        cmocka_unit_test(distant_polls_always),
        cmocka_unit_test(about_as_long),
        cmocka_unit_test(first_poll),
    };

    return UNIT_RUN(tests);
}
