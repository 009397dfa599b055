/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What coll_pschedule_persistent auto serves: by place and by size. What is served in the end must
 * not have been declined before the ranks talked to each other.
 */
#include "unit.h"

#include "persistent/coll_pschedule_persistent_params.h"
#include "persistent/coll_pschedule_verdict.h"

#include <stdio.h>

enum { ONE_HOST, CROWDED, FLAT, NESTED, PLACES };

static bool is_one_host(int place)
{
    return ONE_HOST == place || CROWDED == place;
}

static mca_coll_pschedule_where_t node_of(int place)
{
    return is_one_host(place) ? COLL_PSCHEDULE_ONE_NODE : COLL_PSCHEDULE_NODES;
}

static bool served(mca_coll_pschedule_collective_t collective, uint64_t bytes, int place,
                   bool lone_path)
{
    static uint32_t first[] = {0, 8};
    static const mca_coll_pschedule_hosts_t maps[PLACES] = {
        {.count = 1, .fewest = 8, .most = 8, .processors = 8, .first = first},
        {.count = 1, .fewest = 8, .most = 8, .processors = 2, .first = first},
        {.count = 8, .fewest = 1, .most = 1},
        {.count = 2, .fewest = 4, .most = 4},
    };
    mca_coll_pschedule_problem_t problem = {.collective = collective,
                                            .size = 8,
                                            .chunk = 65536,
                                            .whole = true,
                                            .uniform = true,
                                            .common_bytes = bytes,
                                            .common_partitions = 1,
                                            .one_host = is_one_host(place),
                                            .lone_path = lone_path,
                                            .hosts = &maps[place]};

    return mca_coll_pschedule_verdict(&problem);
}

static void early_declines_nothing_that_is_served(void **state)
{
    unsigned count[PLACES] = {0};

    (void) state;
    for (unsigned i = 0; i < COLL_PSCHEDULE_COLLECTIVES; ++i) {
        mca_coll_pschedule_collective_t collective = (mca_coll_pschedule_collective_t) i;

        for (uint64_t bytes = 1; bytes < UINT64_C(1) << 40; bytes += (bytes + 6) / 7) {
            for (int place = 0; place < PLACES; ++place) {
                if (!served(collective, bytes, place, false)) {
                    continue;
                }
                ++count[place];
                assert_true(mca_coll_pschedule_verdict_early(collective, bytes, node_of(place)));
                assert_true(
                    mca_coll_pschedule_verdict_early(collective, UINT64_MAX, node_of(place)));
            }
        }
    }
    for (int place = 0; place < PLACES; ++place) {
        assert_true(count[place] > 0);
    }
}

static void sizes_and_places(void **state)
{
    (void) state;
    assert_false(served(COLL_PSCHEDULE_ALLREDUCE, 511, ONE_HOST, true));
    assert_true(served(COLL_PSCHEDULE_ALLREDUCE, 512, ONE_HOST, true));
    assert_false(served(COLL_PSCHEDULE_ALLREDUCE, 511, CROWDED, true));
    assert_false(served(COLL_PSCHEDULE_REDUCE, 8, ONE_HOST, true));
    assert_false(served(COLL_PSCHEDULE_REDUCE, 8192, ONE_HOST, true));
    assert_true(served(COLL_PSCHEDULE_REDUCE, 8, CROWDED, true));
    assert_true(served(COLL_PSCHEDULE_REDUCE, 8192, CROWDED, true));
    assert_false(served(COLL_PSCHEDULE_SCAN, 256, ONE_HOST, true));
    assert_true(served(COLL_PSCHEDULE_SCAN, 512, ONE_HOST, true));
    assert_false(served(COLL_PSCHEDULE_SCAN, 8192, ONE_HOST, true));
    assert_true(served(COLL_PSCHEDULE_ALLGATHER, 512, ONE_HOST, true));
    assert_true(served(COLL_PSCHEDULE_ALLGATHER, 4096, ONE_HOST, true));
    assert_false(served(COLL_PSCHEDULE_ALLGATHER, 8192, ONE_HOST, true));
    assert_true(served(COLL_PSCHEDULE_ALLGATHERV, 8192, ONE_HOST, true));
    assert_true(served(COLL_PSCHEDULE_BCAST, 4096, ONE_HOST, true));
    assert_false(served(COLL_PSCHEDULE_BCAST, 8, ONE_HOST, true));
    assert_false(served(COLL_PSCHEDULE_ALLTOALL, 512, ONE_HOST, true));
    assert_true(served(COLL_PSCHEDULE_ALLTOALLW, 1024, ONE_HOST, true));
    assert_false(served(COLL_PSCHEDULE_ALLREDUCE, 1024, FLAT, false));
    assert_true(served(COLL_PSCHEDULE_ALLREDUCE, 131072, FLAT, false));
    assert_true(served(COLL_PSCHEDULE_ALLREDUCE, 8, NESTED, false));
    assert_true(served(COLL_PSCHEDULE_ALLTOALL, 1024, FLAT, false)); /* together */
    assert_false(served(COLL_PSCHEDULE_ALLTOALL, 4096, FLAT, false));
    assert_true(served(COLL_PSCHEDULE_ALLGATHERV, 8, FLAT, false));
    assert_false(served(COLL_PSCHEDULE_ALLGATHERV, 4096, FLAT, false));
    assert_false(served(COLL_PSCHEDULE_GATHER, 8, FLAT, false));
    assert_true(served(COLL_PSCHEDULE_ALLTOALL, 65536, FLAT, false));
    assert_true(served(COLL_PSCHEDULE_ALLTOALL, 1 << 20, FLAT, false));
    assert_false(served(COLL_PSCHEDULE_ALLTOALLV, 1 << 20, FLAT, false));
    assert_false(served(COLL_PSCHEDULE_BCAST, 1 << 20, ONE_HOST, false));
    assert_false(served(COLL_PSCHEDULE_EXSCAN, 1 << 20, ONE_HOST, false));
    assert_true(served(COLL_PSCHEDULE_NEIGHBOR_ALLTOALLW, 16384, FLAT, false));
    assert_false(served(COLL_PSCHEDULE_NEIGHBOR_ALLTOALLW, 32768, FLAT, false));
    assert_true(served(COLL_PSCHEDULE_NEIGHBOR_ALLGATHER, 32768, NESTED, false));
    assert_false(served(COLL_PSCHEDULE_NEIGHBOR_ALLGATHER, 16384, ONE_HOST, false));
}

static void a_single_path_is_no_gain(void **state)
{
    (void) state;
    assert_false(served(COLL_PSCHEDULE_BCAST, 1 << 20, FLAT, true));
    assert_false(served(COLL_PSCHEDULE_BCAST, 1 << 20, NESTED, true));
}

static void what_nobody_serves_is_declined_early(void **state)
{
    (void) state;
    assert_false(
        mca_coll_pschedule_verdict_early(COLL_PSCHEDULE_NEIGHBOR_ALLTOALL, UINT64_MAX,
                                         COLL_PSCHEDULE_ONE_NODE));
    assert_false(mca_coll_pschedule_verdict_early(COLL_PSCHEDULE_BCAST, 8,
                                                  COLL_PSCHEDULE_ONE_NODE));
    assert_false(mca_coll_pschedule_verdict_early(COLL_PSCHEDULE_EXSCAN, UINT64_MAX,
                                                  COLL_PSCHEDULE_NODES));
    assert_false(mca_coll_pschedule_verdict_early(COLL_PSCHEDULE_GATHER, 100,
                                                  COLL_PSCHEDULE_NODES));
    for (unsigned i = 0; i < COLL_PSCHEDULE_COLLECTIVES; ++i) {
        assert_false(mca_coll_pschedule_verdict_early((mca_coll_pschedule_collective_t) i,
                                                      UINT64_MAX, COLL_PSCHEDULE_NODES_IN_VAIN));
    }
}

/* What was measured on this machine counts, whatever was measured elsewhere. */
static void the_tuning_file_knows_better(void **state)
{
    static const char text[]
        = "version = 1\n"
          "persistent_bcast = handed_on ranks 8 hosts 8 bytes 65536-\n"
          "persistent_bcast = served ranks 8 hosts 1 bytes -16\n"
          "persistent_scan = served hosts 2 bytes 100-200\n"
          "persistent_allreduce = handed_on ranks 9\n";
    mca_coll_pschedule_tuning_t tuning = {.given = 0};
    const mca_coll_pschedule_tuning_t *before = mca_coll_pschedule_persistent_params.tuning;
    FILE *file = fmemopen((char *) (uintptr_t) text, sizeof(text) - 1, "r");

    (void) state;
    assert_non_null(file);
    assert_true(mca_coll_pschedule_tuning_read(&tuning, file, "made up"));
    (void) fclose(file);
    mca_coll_pschedule_persistent_params.tuning = &tuning;
    assert_false(served(COLL_PSCHEDULE_BCAST, 1 << 20, FLAT, false));
    assert_true(served(COLL_PSCHEDULE_BCAST, 65535, FLAT, false));
    assert_true(served(COLL_PSCHEDULE_BCAST, 8, ONE_HOST, false));
    assert_false(served(COLL_PSCHEDULE_BCAST, 17, ONE_HOST, false));
    assert_true(served(COLL_PSCHEDULE_SCAN, 150, NESTED, true)); /* also with one path */
    assert_false(served(COLL_PSCHEDULE_SCAN, 201, NESTED, false));
    assert_true(served(COLL_PSCHEDULE_ALLREDUCE, 8, NESTED, false));
    assert_true(mca_coll_pschedule_verdict_early(COLL_PSCHEDULE_BCAST, 8, COLL_PSCHEDULE_ONE_NODE));
    assert_true(mca_coll_pschedule_verdict_early(COLL_PSCHEDULE_BCAST, 8,
                                                 COLL_PSCHEDULE_NODES_IN_VAIN));
    assert_false(mca_coll_pschedule_verdict_early(COLL_PSCHEDULE_BCAST, 17,
                                                  COLL_PSCHEDULE_ONE_NODE));
    assert_true(mca_coll_pschedule_verdict_early(COLL_PSCHEDULE_SCAN, UINT64_MAX,
                                                 COLL_PSCHEDULE_NODES));
    early_declines_nothing_that_is_served(state);
    mca_coll_pschedule_persistent_params.tuning = before;
    mca_coll_pschedule_tuning_free(&tuning);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tuning_file_knows_better),
        cmocka_unit_test(early_declines_nothing_that_is_served),
        cmocka_unit_test(sizes_and_places),
        cmocka_unit_test(a_single_path_is_no_gain),
        cmocka_unit_test(what_nobody_serves_is_declined_early),
    };

    return UNIT_RUN(tests);
}
