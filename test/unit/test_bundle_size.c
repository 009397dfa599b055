/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How large a bundle is: as fits slow links, or larger where that is to be, or has been found to
 * be, faster; and nothing is tried where it would be as many messages.
 */
#include "unit.h"

#include "channel/part_ucx_bundle.h"
#include "line.h"

/* One epoch of a link that is there: so many messages. */
static void expect_epoch(uint32_t epoch, uint64_t messages)
{
    uint64_t before = LINE_COUNTED(messages);

    mca_part_ucx_channel_start_met(&line.send->super);
    for (uint32_t i = 0; i < line.count; ++i) {
        line_mark(i);
    }
    mca_part_ucx_channel_start_met(&line.recv->super);
    line_finish(epoch);
    assert_int_equal(messages, LINE_COUNTED(messages) - before);
}

/* Two of these fit into a large bundle, which is no message without its data (8192 bytes). */
static void large_ones_may_be_better(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};
    static const uint64_t bytes[] = {3000, 3000, 3000, 3000};

    (void) state;
    channel_paths_open(2, &network);
    mca_part_ucx_params.join = PART_UCX_REGROUP_OFF;
    line_make(4, bytes);
    assert_null(line.send->bundler->size);
    expect_epoch(1, 4);
    line_free();
    mca_part_ucx_params.join = PART_UCX_REGROUP_ON;
    line_make(4, bytes);
    assert_null(line.send->bundler->size);
    expect_epoch(1, 2);
    line_free();
    mca_part_ucx_params.join = PART_UCX_REGROUP_AUTO;
    line_make(4, bytes);
    assert_non_null(line.send->bundler->size);
    expect_epoch(1, 4);
    line.send->bundler->size->trial.second = true;
    expect_epoch(2, 2);
    line.send->bundler->size->trial.second = false;
    expect_epoch(3, 4);
    line_free();
    channel_paths_close();
}

/* What large ones are made for: pieces that are as long as a small one, four of them in one
 * message with its list; longer ones leave alone. */
static void large_ones_hold_what_they_should(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};
    static const uint64_t four[] = {16384, 16384, 16384, 16384}, longer[] = {20000, 20000};

    (void) state;
    channel_paths_open(2, &network);
    mca_part_ucx_params.unit_min = 16384;
    mca_part_ucx_params.eager_limit = 1 << 20;
    mca_part_ucx_params.join = PART_UCX_REGROUP_ON;
    line_make(4, four);
    expect_epoch(1, 1);
    line_free();
    line_make(2, longer);
    expect_epoch(1, 2);
    line_free();
    channel_paths_close();
}

static void expect_no_other(uint32_t count, const uint64_t *bytes)
{
    line_make(count, bytes);
    assert_null(line.send->bundler->size);
    line_free();
}

/* Where large ones would hardly be fewer messages, nothing is tried. */
static void large_ones_may_be_none(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true};
    static const uint64_t one[] = {3000}, few[] = {1000, 1000, 1000}, full[] = {5000, 5000, 3000};
    static const uint64_t saves_one[] = {3000, 3000};

    (void) state;
    channel_paths_open(2, &network);
    expect_no_other(1, one);
    expect_no_other(3, few);
    expect_no_other(3, full);
    expect_no_other(2, saves_one);
    mca_part_ucx_params.unit_min = 0;
    expect_no_other(3, few);
    mca_part_ucx_params.unit_min = 8192;
    expect_no_other(3, full);
    channel_paths_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_ones_may_be_better),
        cmocka_unit_test(large_ones_hold_what_they_should),
        cmocka_unit_test(large_ones_may_be_none),
    };

    return UNIT_RUN(tests);
}
