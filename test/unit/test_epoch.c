/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Epochs go round: their order holds where numbers begin again, too.
 */
#include "unit.h"

#include "api/part_ucx_epoch.h"

#define LAST (UINT32_MAX - 1)

/* Neither 0 ("never started") nor UINT32_MAX ("none") is an epoch. */
static void numbers_begin_again(void **state)
{
    (void) state;
    assert_int_equal(mca_part_ucx_epoch_next(0), 1);
    assert_int_equal(mca_part_ucx_epoch_next(LAST - 1), LAST);
    assert_int_equal(mca_part_ucx_epoch_next(LAST), 1);
    assert_true(mca_part_ucx_epoch_is_last(LAST));
    assert_false(mca_part_ucx_epoch_is_last(1));
}

static void order_holds_everywhere(void **state)
{
    uint32_t epoch = LAST - 64;

    (void) state;
    for (int i = 0; i < 128; ++i) {
        uint32_t later = epoch;

        assert_false(mca_part_ucx_epoch_is_after(epoch, epoch));
        assert_int_equal(mca_part_ucx_epoch_steps(epoch, epoch), 0);
        for (int32_t steps = 1; steps <= 64; ++steps) {
            later = mca_part_ucx_epoch_next(later);
            assert_true(mca_part_ucx_epoch_is_after(later, epoch));
            assert_false(mca_part_ucx_epoch_is_after(epoch, later));
            /* two more where the numbers that no epoch has lie between them */
            assert_true(mca_part_ucx_epoch_steps(epoch, later) >= steps
                        && mca_part_ucx_epoch_steps(epoch, later) <= steps + 2);
            assert_int_equal(mca_part_ucx_epoch_steps(later, epoch),
                             -mca_part_ucx_epoch_steps(epoch, later));
        }
        epoch = mca_part_ucx_epoch_next(epoch);
    }
}

static void any_is_later_than_none(void **state)
{
    (void) state;
    assert_true(mca_part_ucx_epoch_is_later(LAST, 0));
    assert_true(mca_part_ucx_epoch_is_later(1, LAST));
    assert_false(mca_part_ucx_epoch_is_later(LAST, 1));
    assert_false(mca_part_ucx_epoch_is_later(7, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_begin_again),
        cmocka_unit_test(order_holds_everywhere),
        cmocka_unit_test(any_is_later_than_none),
    };

    return UNIT_RUN(tests);
}
