/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When what MPI_Pready has marked in a collective leaves: small pieces with the last mark of a
 * burst, large ones and those that come slowly at once, and in each epoch anew.
 */
#include "ompi_config.h"

#include "unit.h"

#include "coll_pschedule_hold.h"

enum { HOLD_NS = 50000, SMALL = 1000 };

static uint64_t the_time = 1000000000;

static uint64_t now(void)
{
    return the_time;
}

static uint64_t hold_of(uint64_t bytes)
{
    return bytes <= SMALL ? HOLD_NS : 0;
}

static const mca_part_ucx_link_api_t links = {.hold = hold_of, .now = now};

/* A plan that sends one piece of each size, and receives one that must not count. */
static void make(mca_coll_pschedule_hold_t *hold, uint32_t partitions, uint64_t first,
                 uint64_t second)
{
    mca_coll_pschedule_link_t link[2] = {{.is_send = true}, {.is_send = false}};
    mca_coll_pschedule_transfer_t transfer[3]
        = {{.bytes = first}, {.bytes = second}, {.bytes = UINT64_C(1) << 40, .link = 1}};
    mca_coll_pschedule_plan_t plan = {.send_partitions = partitions,
                                      .links = 2,
                                      .link = link,
                                      .transfers = 3,
                                      .transfer = transfer};

    mca_coll_pschedule_hold_make(hold, &plan, &links);
    mca_coll_pschedule_hold_begin(hold);
}

static void a_burst_leaves_with_its_last_mark(void **state)
{
    mca_coll_pschedule_hold_t hold;

    (void) state;
    make(&hold, 4, 100, 200);
    for (int epoch = 0; epoch < 3; ++epoch) {
        the_time += 100 * HOLD_NS;
        mca_coll_pschedule_hold_begin(&hold);
        assert_false(mca_coll_pschedule_hold_count(&hold, 1));
        assert_false(mca_coll_pschedule_hold_count(&hold, 2));
        assert_true(mca_coll_pschedule_hold_count(&hold, 1));
    }
}

static void all_at_once_leave_at_once(void **state)
{
    mca_coll_pschedule_hold_t hold;

    (void) state;
    make(&hold, 4, 100, 200);
    assert_true(mca_coll_pschedule_hold_count(&hold, 4));
}

static void slow_marks_leave_one_by_one(void **state)
{
    mca_coll_pschedule_hold_t hold;

    (void) state;
    make(&hold, 8, 100, 200);
    assert_false(mca_coll_pschedule_hold_count(&hold, 1));
    the_time += HOLD_NS;
    assert_true(mca_coll_pschedule_hold_count(&hold, 1));
    the_time += HOLD_NS - 1;
    assert_false(mca_coll_pschedule_hold_count(&hold, 1));
    the_time += 1;
    assert_true(mca_coll_pschedule_hold_count(&hold, 1));
}

static void large_pieces_do_not_wait(void **state)
{
    mca_coll_pschedule_hold_t hold;

    (void) state;
    make(&hold, 4, SMALL - 10, SMALL + 12);
    for (int i = 0; i < 4; ++i) {
        assert_true(mca_coll_pschedule_hold_count(&hold, 1));
    }
}

static void a_single_partition_does_not_wait(void **state)
{
    mca_coll_pschedule_hold_t hold;

    (void) state;
    make(&hold, 1, 1, 1);
    assert_true(mca_coll_pschedule_hold_count(&hold, 1));
    assert_int_equal(0, hold.ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_leaves_with_its_last_mark),
        cmocka_unit_test(all_at_once_leave_at_once),
        cmocka_unit_test(slow_marks_leave_one_by_one),
        cmocka_unit_test(large_pieces_do_not_wait),
        cmocka_unit_test(a_single_partition_does_not_wait),
    };

    return UNIT_RUN(tests);
}
