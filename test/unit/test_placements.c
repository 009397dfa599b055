/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reductions where hosts have several ranks: what the busiest host moves is counted in the plans of
 * all ranks, and is what the algorithm is for, whichever ranks are on which host; and the choice of
 * a row does not depend on the order of ranks.
 *
 * MPIX_SIM_TABLE=1: print what was counted.
 */
#include "simulator.h"

#include "algorithms/coll_pschedule_select.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, PARTITIONS = 4, ELEMENT = 8 };

/* Elements of a partition: they can be cut for all numbers of hosts and ranks here. */
enum { COUNT = 4 * 4 * 5 * 7 * 16 };

static const struct placement_t {
    const char *name;
    uint64_t host[MOST_RANKS];
} placements[]
    = {{"4 x 4, block", {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}},
       {"4 x 4, round-robin", {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}},
       {"3+4+4+5", {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3}},
       {"1+4+7+4, mixed", {2, 2, 1, 3, 2, 0, 1, 3, 2, 1, 3, 2, 2, 3, 1, 2}},
       {"2 x 8, block", {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}}};
enum { PLACEMENTS = sizeof(placements) / sizeof(placements[0]) };

/* Vectors, in 16ths, that the busiest host shall move in each placement; 0: the row is not for
 * it. */
static const struct expected_t {
    mca_coll_pschedule_collective_t collective;
    const char *row;
    uint32_t sixteenths[PLACEMENTS];
} expected[] = {{COLL_PSCHEDULE_ALLREDUCE, "lanes", {24, 24, 24, 24, 16}},
                {COLL_PSCHEDULE_ALLREDUCE, "hosts", {32, 32, 32, 32, 16}},
                {COLL_PSCHEDULE_ALLREDUCE, "rabenseifner", {24, 24, 72, 72, 16}},
                {COLL_PSCHEDULE_REDUCE, "lanes", {16, 16, 16, 16, 16}},
                {COLL_PSCHEDULE_REDUCE, "hosts", {32, 32, 32, 32, 16}},
                {COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK, "lanes", {12, 12, 13, 15, 8}},
                {COLL_PSCHEDULE_REDUCE_SCATTER, "lanes", {12, 12, 13, 15, 8}},
                {COLL_PSCHEDULE_SCAN, "hosts", {32, 0, 32, 0, 16}},
                {COLL_PSCHEDULE_EXSCAN, "hosts", {32, 0, 32, 0, 16}}};

static const mca_coll_pschedule_algorithm_t *row_of(mca_coll_pschedule_collective_t collective,
                                                    const char *name)
{
    for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
        const mca_coll_pschedule_algorithm_t *row = mca_coll_pschedule_algorithms[i];

        if (mca_coll_pschedule_serves(row, collective) && 0 == strcmp(row->name, name)) {
            return row;
        }
    }
    return NULL;
}

static sim_world_t *world_of(const mca_coll_pschedule_algorithm_t *row,
                             mca_coll_pschedule_collective_t collective,
                             const struct placement_t *placement, uint32_t root)
{
    bool blocks = COLL_PSCHEDULE_REDUCE_SCATTER >= collective
                  && COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK <= collective;
    sim_params_t params = {.row = row,
                           .collective = collective,
                           .ranks = MOST_RANKS,
                           .partitions = PARTITIONS,
                           .count = blocks ? COUNT / MOST_RANKS : COUNT,
                           .element = ELEMENT,
                           .root = root,
                           .chunk = 1 << 14,
                           .epochs = 1,
                           .threads = 1};
    sim_world_t *world = sim_new(&params);

    mca_coll_pschedule_hosts_free(&world->hosts);
    assert_true(mca_coll_pschedule_hosts_make(&world->hosts, placement->host, MOST_RANKS));
    return world;
}

static uint64_t counted(const mca_coll_pschedule_algorithm_t *row,
                        mca_coll_pschedule_collective_t collective,
                        const struct placement_t *placement, uint32_t root)
{
    sim_world_t *world = world_of(row, collective, placement, root);
    uint64_t bytes;

    for (uint32_t i = 0; i < MOST_RANKS; ++i) {
        assert_true(sim_build(world, i));
    }
    assert_true(sim_match(world));
    bytes = sim_host_bytes(world);
    sim_free(world);
    return bytes;
}

static void moves(const struct expected_t *one, const struct placement_t *placement,
                  uint32_t sixteenths, uint32_t root)
{
    const mca_coll_pschedule_algorithm_t *row = row_of(one->collective, one->row);
    const uint64_t vector = (uint64_t) PARTITIONS * COUNT * ELEMENT;
    uint64_t wanted = sixteenths * vector / 16;
    uint64_t bytes;

    assert_non_null(row);
    bytes = counted(row, one->collective, placement, root);
    if (NULL != getenv("MPIX_SIM_TABLE")) {
        print_message("%-20s %-14s %-20s %.4f vectors\n", sim_collective(one->collective),
                      one->row, placement->name, (double) bytes / (double) vector);
    }
    UNIT_CHECK(bytes == wanted, "%s %s, %s: %llu bytes instead of %llu",
               sim_collective(one->collective), one->row, placement->name,
               (unsigned long long) bytes, (unsigned long long) wanted);
}

static void moves_no_more(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        for (uint32_t k = 0; k < PLACEMENTS; ++k) {
            if (0 != expected[i].sixteenths[k]) {
                moves(&expected[i], &placements[k], expected[i].sixteenths[k], k);
            }
        }
    }
}

/* Four processes share what a host has. */
static const mca_coll_pschedule_rates_t rates
    = {.latency = 40, .local_latency = 10, .bandwidth = 1000, .host_bandwidth = 400};

static const char *choice(mca_coll_pschedule_collective_t collective, uint64_t bytes,
                          bool ordered, const struct placement_t *placement)
{
    mca_coll_pschedule_hosts_t hosts;
    bool blocks = COLL_PSCHEDULE_REDUCE_SCATTER >= collective
                  && COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK <= collective;
    mca_coll_pschedule_problem_t problem = {.collective = collective,
                                            .size = MOST_RANKS,
                                            .element = ELEMENT,
                                            .chunk = 1 << 14,
                                            .common_bytes = bytes,
                                            .common_partitions = blocks ? 64 : 4,
                                            .uniform = true,
                                            .ordered = ordered,
                                            .hosts = &hosts};
    const char *why, *name;

    assert_true(mca_coll_pschedule_hosts_make(&hosts, placement->host, MOST_RANKS));
    name = mca_coll_pschedule_select(&problem, 0, &rates, &why)->name;
    mca_coll_pschedule_hosts_free(&hosts);
    return name;
}

/* A host with one rank is as busy around a ring of all ranks as around one of hosts. */
static const struct choice_t {
    mca_coll_pschedule_collective_t collective;
    uint64_t bytes;
    const char *row;
    const char *uneven; /* where a host has one rank */
} choices[] = {{COLL_PSCHEDULE_ALLREDUCE, 64, "hosts", "hosts"},
               {COLL_PSCHEDULE_ALLREDUCE, 1 << 10, "hosts", "hosts"},
               {COLL_PSCHEDULE_ALLREDUCE, 8 << 20, "lanes", "lanes"},
               {COLL_PSCHEDULE_REDUCE, 1 << 10, "hosts", "hosts"},
               {COLL_PSCHEDULE_REDUCE, 8 << 20, "lanes", "lanes"},
               {COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK, 8 << 20, "lanes", "ring"},
               {COLL_PSCHEDULE_REDUCE_SCATTER, 8 << 20, "lanes", "ring"}};

static void chooses_by_hosts(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); ++i) {
        const struct choice_t *one = &choices[i];

        for (uint32_t k = 0; k < PLACEMENTS; ++k) {
            const char *name = choice(one->collective, one->bytes, false, &placements[k]);
            const char *wanted = 3 == k ? one->uneven : one->row;

            UNIT_CHECK(0 == strcmp(name, wanted), "%s of %llu bytes, %s: %s instead of %s",
                       sim_collective(one->collective), (unsigned long long) one->bytes,
                       placements[k].name, name, wanted);
        }
    }
}

/* Round-robin costs what blocks cost, and is served the same, at every size. */
static void placement_does_not_matter(void **state)
{
    (void) state;
    for (uint64_t bytes = 512; bytes <= UINT64_C(1) << 28; bytes *= 2) {
        for (int i = COLL_PSCHEDULE_REDUCE; i <= COLL_PSCHEDULE_REDUCE_SCATTER; ++i) {
            mca_coll_pschedule_collective_t of = (mca_coll_pschedule_collective_t) i;

            assert_string_equal(choice(of, bytes, false, &placements[0]),
                                choice(of, bytes, false, &placements[1]));
        }
    }
}

/* An operator that does not commute: by hosts where their ranks follow each other. */
static void order_needs_blocks(void **state)
{
    (void) state;
    assert_string_equal(choice(COLL_PSCHEDULE_ALLREDUCE, 64, true, &placements[0]), "hosts");
    assert_string_equal(choice(COLL_PSCHEDULE_ALLREDUCE, 64, true, &placements[2]), "hosts");
    assert_string_not_equal(choice(COLL_PSCHEDULE_ALLREDUCE, 64, true, &placements[1]), "hosts");
    assert_string_equal(choice(COLL_PSCHEDULE_REDUCE, 64, true, &placements[0]), "hosts");
    assert_string_not_equal(choice(COLL_PSCHEDULE_REDUCE, 64, true, &placements[3]), "hosts");
    assert_string_equal(choice(COLL_PSCHEDULE_SCAN, 64, true, &placements[0]), "hosts");
    assert_string_equal(choice(COLL_PSCHEDULE_EXSCAN, 64, false, &placements[2]), "hosts");
    assert_string_not_equal(choice(COLL_PSCHEDULE_SCAN, 64, false, &placements[1]), "hosts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_no_more),
        cmocka_unit_test(chooses_by_hosts),
        cmocka_unit_test(placement_does_not_matter),
        cmocka_unit_test(order_needs_blocks),
    };

    return UNIT_RUN(tests);
}
