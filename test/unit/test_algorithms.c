/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every row of the table of algorithms, simulated (see simulator.h): 1 to 17 ranks, 1 to 8
 * partitions, uneven and zero counts, all roots, in place, operators that do not commute. And the
 * forecasts of costs, which the choice of an algorithm is made by.
 *
 * MPIX_SIM_TIMES: how often to repeat. See simulator.h for MPIX_SIM and MPIX_SIM_ONLY.
 */
#include "simulator.h"

#include "algorithms/coll_pschedule_select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 17, MOST_PARTITIONS = 8, MOST_ROWS = 64 };

static bool chosen(const sim_params_t *params)
{
    const char *only = getenv("MPIX_SIM_ONLY");
    char name[100];

    (void) snprintf(name, sizeof(name), "%s/%s", sim_collective(params->collective),
                    params->row->name);
    return NULL == only || NULL != strstr(name, only);
}

/* How often each row has been simulated for each collective. */
static uint32_t runs[MOST_ROWS][COLL_PSCHEDULE_COLLECTIVES];

static void run(const sim_params_t *params)
{
    const char *fault = sim_run(params);
    int row = 0;

    while (params->row != mca_coll_pschedule_algorithms[row]) {
        ++row;
    }
    assert_true(row < MOST_ROWS);
    ++runs[row][params->collective];

    if (NULL != fault) {
        print_error("%s\nrun it alone: MPIX_SIM='%s'\n", fault, sim_line(params));
        fail();
    }
}

/* Only make the plans, and look at what they cost. */
static void plans(const sim_params_t *params)
{
    sim_world_t *world = sim_new(params);
    bool good = true;

    for (uint32_t i = 0; i < params->ranks && good; ++i) {
        good = sim_build(world, i);
    }
    good = good && sim_match(world) && sim_costs(world);
    if (!good) {
        print_error("%s\n%s\n", world->fault, sim_line(params));
    }
    sim_free(world);
    assert_true(good);
}

/* May the row be used for it? */
static bool allowed(const sim_params_t *params)
{
    return sim_allows(params)
           && (0 == params->exact || (sim_reduces(params->collective) && 0 == params->ordered))
           && (0 == params->root || sim_rooted(params->collective));
}

/* Draw what is left open: sizes, and how to run. */
static void draw(sim_params_t *params, unit_random_t *random)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 7, 18, 40};
    bool many = params->ranks > 8;

    params->partitions = 1 + unit_below(random, many ? 4 : MOST_PARTITIONS);
    if (0 == unit_below(random, 8)) {
        params->partitions = MOST_PARTITIONS;
    }
    params->count = counts[unit_below(random, many ? 6 : 7)];
    params->element = 0 == unit_below(random, 3) ? 24 : 8;
    params->chunk = params->element * (1 + unit_below(random, 6)) + unit_below(random, 8);
    if (0 == unit_below(random, 3)) {
        params->chunk = 1 << 20;
    }
    params->epochs = 1 + unit_below(random, 3);
    params->threads = 1;
    params->staging = 0 == unit_below(random, 4);
    params->strict = 0 == unit_below(random, 2);
    params->whole = 0 == params->strict && 0 == unit_below(random, 3);
    params->exact = 0 == params->ordered && sim_reduces(params->collective)
                    && 0 == unit_below(random, 3);
    params->mixed = 0 != params->in_place && sim_mixed(params->collective)
                    && 0 == unit_below(random, 2);
    params->seed = unit_random(random);
    sim_draw_hosts(params, random);
}

/* All that the flags allow, for a row, a collective and a number of ranks. */
static void vary(sim_params_t *params, unit_random_t *random, uint32_t times)
{
    for (uint32_t i = 0; i < times * 8; ++i) {
        params->in_place = i & 1;
        params->ordered = i >> 1 & 1;
        params->uneven = i >> 2 & 1;
        params->root = sim_rooted(params->collective) ? (i / 8 + i) % params->ranks : 0;
        draw(params, random);
        if (allowed(params)) {
            run(params);
        }
    }
}

/* Do something with all rows and what they serve, for a number of ranks. */
static void rows(uint32_t ranks, uint32_t times,
                 void (*body)(sim_params_t *params, unit_random_t *random, uint32_t times))
{
    const char *more = getenv("MPIX_SIM_TIMES");
    unit_random_t random = unit_stream(ranks);
    uint32_t ran = 0;

    times = NULL == more ? unit_repeat(times) : (uint32_t) atoi(more);
    for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
        sim_params_t params = {.row = mca_coll_pschedule_algorithms[i], .ranks = ranks};

        for (int k = params.row->collective; k <= (int) params.row->last; ++k) {
            params.collective = (mca_coll_pschedule_collective_t) k;
            if (chosen(&params)) {
                body(&params, &random, times);
                ++ran;
            }
        }
    }
    assert_true(ran > 0); /* MPIX_SIM_ONLY names something that exists */
}

static void few_ranks(void **state)
{
    (void) state;
    for (uint32_t ranks = 1; ranks <= 8; ++ranks) {
        rows(ranks, 5, vary);
    }
}

static void many_ranks(void **state)
{
    (void) state;
    for (uint32_t ranks = 9; ranks <= MOST_RANKS; ranks += unit_is_slow() ? 3 : 1) {
        rows(ranks, 2, vary);
    }
}

/* Many more chunks than there are slots for: whoever waits for a slot must not be waited for by the
 * chunk that frees it. */
static void lengthen(sim_params_t *params, unit_random_t *random, uint32_t times)
{
    (void) times;
    params->element = params->chunk = 8;
    params->count = 150;
    params->partitions = 2;
    params->epochs = 2;
    params->threads = 1;
    params->uneven = 0 == (params->row->limits & COLL_PSCHEDULE_UNIFORM);
    for (uint32_t i = 0; i < 8; ++i) {
        params->in_place = i & 1;
        params->ordered = i >> 1 & 1;
        params->root = sim_rooted(params->collective) ? unit_below(random, params->ranks) : 0;
        params->seed = unit_random(random);
        sim_draw_hosts(params, random);
        if (allowed(params)) {
            run(params);
        }
    }
}

static void many_chunks(void **state)
{
    static const uint32_t ranks[] = {4, 6, 9};
    size_t lengths = unit_is_slow() ? 1 : sizeof(ranks) / sizeof(ranks[0]);

    (void) state;
    for (size_t i = 0; i < lengths; ++i) {
        rows(ranks[i], 1, lengthen);
    }
}

/* Large sizes, where a forecast must be right: only the plans are made. */
static void price(sim_params_t *params, unit_random_t *random, uint32_t times)
{
    (void) times;
    params->element = 8;
    params->count = sim_reduces(params->collective) ? 1 << 17 : 1 << 20;
    params->chunk = 1 << 16;
    params->partitions = 2;
    params->epochs = params->threads = 1;
    for (uint32_t i = 0; i < 4; ++i) {
        params->in_place = i & 1;
        params->ordered = i >> 1;
        params->root = sim_rooted(params->collective) ? unit_below(random, params->ranks) : 0;
        params->seed = unit_random(random);
        sim_draw_hosts(params, random);
        if (allowed(params)) {
            plans(params);
        }
    }
}

static void costs(void **state)
{
    static const uint32_t ranks[] = {1, 2, 3, 5, 8, 12, 16};

    (void) state;
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i += unit_is_slow() ? 2 : 1) {
        rows(ranks[i], 1, price);
    }
}

/* Blocks of an alltoallv are cut finer for the network, but so that all pieces have keys: also a
 * large one in one partition, where another one has very many. */
static void fine_blocks(void **state)
{
    const mca_coll_pschedule_cut_t none = {.partitions = 1};
    const mca_coll_pschedule_cut_t large = {.bytes = UINT64_C(32) << 30, .partitions = 1};
    const mca_coll_pschedule_block_t send[] = {{.cut = none}, {.cut = large, .first = 1}};
    const mca_coll_pschedule_block_t recv[] = {{.cut = none}, {.cut = none, .first = 1}};
    const mca_coll_pschedule_cut_t contribution[] = {none, none};
    mca_coll_pschedule_problem_t problem = {.collective = COLL_PSCHEDULE_ALLTOALLV,
                                            .size = 2,
                                            .element = 1,
                                            .chunk = 65536,
                                            .send_blocks = 2,
                                            .recv_blocks = 2,
                                            .send = send,
                                            .recv = recv,
                                            .contribution = contribution,
                                            .common_bytes = large.bytes,
                                            .common_partitions = 1 << 20};
    mca_coll_pschedule_plan_t *plan;

    (void) state;
    mca_coll_pschedule_fit_chunk(&problem);
    plan = mca_coll_pschedule_plan_new(&problem);
    mca_coll_pschedule_alltoall_pairwise.build(plan, &problem);
    assert_true(mca_coll_pschedule_plan_freeze(plan));
    mca_coll_pschedule_plan_free(plan);
}

/* A ring tells its steps apart by keys: it serves as many ranks as there are steps, and no more. */
static void many_steps(void **state)
{
    const mca_coll_pschedule_algorithm_t *row = &mca_coll_pschedule_allreduce_ring;
    const mca_coll_pschedule_cut_t cut = {.bytes = (UINT64_C(1) << 16) + 1, .partitions = 1};
    const mca_coll_pschedule_block_t block = {.cut = cut};
    mca_coll_pschedule_problem_t problem = {.collective = COLL_PSCHEDULE_ALLREDUCE,
                                            .size = (1 << 16) + 1,
                                            .element = 1,
                                            .chunk = 65536,
                                            .send_blocks = 1,
                                            .recv_blocks = 1,
                                            .send = &block,
                                            .recv = &block,
                                            .common_bytes = cut.bytes,
                                            .common_partitions = 1,
                                            .uniform = true};
    mca_coll_pschedule_plan_t *plan = mca_coll_pschedule_plan_new(&problem);

    (void) state;
    assert_true(mca_coll_pschedule_allows(row, &problem));
    row->build(plan, &problem);
    assert_true(mca_coll_pschedule_plan_freeze(plan));
    mca_coll_pschedule_plan_free(plan);
    ++problem.size;
    assert_false(mca_coll_pschedule_allows(row, &problem));
}

static const mca_coll_pschedule_rates_t usual
    = {.latency = 40, .local_latency = 10, .bandwidth = 1000};

/* Whatever is asked for, there is a row that can do it: a forced one gives way when it cannot. */
static void always_one(void **state)
{
    (void) state;
    for (uint32_t i = 0; i < 32u * COLL_PSCHEDULE_COLLECTIVES * MOST_RANKS; ++i) {
        mca_coll_pschedule_problem_t problem = {
            .collective = (mca_coll_pschedule_collective_t) (i / 32 % COLL_PSCHEDULE_COLLECTIVES),
            .size = (int32_t) (1 + i / 32 / COLL_PSCHEDULE_COLLECTIVES),
            .element = 1,
            .chunk = 1 << 16,
            .common_bytes = UINT64_C(1) << i % 31,
            .common_partitions = MOST_RANKS, /* one for each block of a reduce_scatter */
            .uniform = 0 != (i & 1),
            .ordered = 0 != (i & 2),
            .common_in_place = 0 != (i & 4),
            .one_host = 0 != (i & 8),
            .shares = 24 == (i & 24)};

        problem.ordered = problem.ordered && sim_reduces(problem.collective);
        problem.common_in_place = problem.common_in_place && sim_in_place(problem.collective);
        for (int forced = 0; 0 == forced || NULL != mca_coll_pschedule_algorithms[forced - 1];
             ++forced) {
            const char *why = NULL;
            const mca_coll_pschedule_algorithm_t *row
                = mca_coll_pschedule_select(&problem, forced, &usual, &why);

            assert_non_null(row);
            assert_non_null(why);
            assert_true(mca_coll_pschedule_allows(row, &problem));
        }
    }
}

/* Without a network nothing is lost where several ranks send to one; but caches have an end, and
 * what goes through memory costs least when it goes there once. */
static void one_host(void **state)
{
    const struct {
        uint64_t bytes;
        bool one_host, shares;
        const char *row;
    } expected[] = {{1 << 20, false, false, "ring"},
                    {1 << 20, true, true, "rabenseifner"},
                    {8 << 20, true, true, "rabenseifner"},
                    {16 << 20, false, false, "ring"},
                    {16 << 20, true, false, "ring"},
                    {16 << 20, true, true, "shared_ring"}};

    (void) state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        mca_coll_pschedule_problem_t problem = {.collective = COLL_PSCHEDULE_ALLREDUCE,
                                                .size = 4,
                                                .element = 4,
                                                .chunk = 1 << 16,
                                                .common_bytes = expected[i].bytes,
                                                .common_partitions = 4,
                                                .uniform = true,
                                                .one_host = expected[i].one_host,
                                                .shares = expected[i].shares};
        const char *why;

        assert_string_equal(mca_coll_pschedule_select(&problem, 0, &usual, &why)->name,
                            expected[i].row);
    }
}

/* Where the ranks of the only host outnumber its processors, what all of them do counts. */
static void crowded_host(void **state)
{
    const struct {
        uint32_t ranks, processors;
        uint64_t bytes;
        const char *row;
    } expected[] = {{8, 8, 1024, "recursive_doubling"},
                    {8, 0, 1024, "recursive_doubling"},
                    {8, 8, 16384, "recursive_doubling"},
                    {8, 0, 16384, "recursive_doubling"},
                    {8, 2, 1024, "hosts"},
                    {8, 2, 16384, "hosts"},
                    {8, 2, 1 << 20, "rabenseifner"},
                    {8, 8, 1 << 20, "rabenseifner"},
                    {4, 2, 1024, "recursive_doubling"},
                    {4, 2, 16384, "hosts"},
                    {4, 2, 1 << 17, "rabenseifner"},
                    {16, 2, 65536, "hosts"}};
    static const uint64_t number[16] = {0};

    (void) state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        mca_coll_pschedule_hosts_t hosts;
        mca_coll_pschedule_problem_t problem = {.collective = COLL_PSCHEDULE_ALLREDUCE,
                                                .size = (int32_t) expected[i].ranks,
                                                .element = 4,
                                                .chunk = 1 << 18,
                                                .common_bytes = expected[i].bytes,
                                                .common_partitions = 1,
                                                .uniform = true,
                                                .one_host = true,
                                                .shares = true,
                                                .hosts = &hosts};
        const char *why;

        assert_true(mca_coll_pschedule_hosts_make(&hosts, number, expected[i].ranks));
        hosts.processors = expected[i].processors;
        assert_string_equal(mca_coll_pschedule_select(&problem, 0, &usual, &why)->name,
                            expected[i].row);
        mca_coll_pschedule_hosts_free(&hosts);
    }
}

/* Tell about one run that a line describes. */
static int alone(const char *line)
{
    sim_params_t params;
    const char *fault;

    if (!sim_parse(line, &params)) {
        print_error("no such run: %s\n", line);
        return EXIT_FAILURE;
    }
    fault = sim_run(&params);
    print_message("%s: %s\n", sim_line(&params), NULL == fault ? "good" : fault);
    return NULL == fault ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Where contributions may wait for each other, small ones do: a result that is due does not come
 * before all is marked. */
static void together(void **state)
{
    static const char *const waits[] = {
        "allgather/bruck ranks=8 partitions=2 count=9 chunk=1024 epochs=1 threads=1",
        "allgather/hosts ranks=9 hosts=3 partitions=2 count=9 chunk=1024 epochs=1 threads=1",
        "alltoall/bruck ranks=8 partitions=2 count=9 chunk=1024 epochs=1 threads=1",
    };

    const struct {
        mca_coll_pschedule_collective_t collective;
        uint64_t bytes;
        bool whole;
        const char *row;
    } chosen[] = {{COLL_PSCHEDULE_ALLGATHER, 64, true, "bruck"},
                  {COLL_PSCHEDULE_ALLGATHER, 64, false, "linear"},
                  {COLL_PSCHEDULE_ALLTOALL, 1024, true, "bruck"},
                  {COLL_PSCHEDULE_ALLTOALL, 4096, true, "pairwise"},
                  {COLL_PSCHEDULE_ALLTOALL, 1024, false, "pairwise"},
                  {COLL_PSCHEDULE_REDUCE_SCATTER, 4096, false, "binomial"},
                  {COLL_PSCHEDULE_REDUCE_SCATTER, 65536, false, "pairwise"}};

    (void) state;
    for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); ++i) {
        mca_coll_pschedule_problem_t problem = {.collective = chosen[i].collective,
                                                .size = 8,
                                                .element = 1,
                                                .chunk = 1 << 16,
                                                .common_bytes = chosen[i].bytes,
                                                .common_partitions = 1,
                                                .uniform = true,
                                                .whole = chosen[i].whole};
        const char *why;

        assert_string_equal(mca_coll_pschedule_select(&problem, 0, &usual, &why)->name,
                            chosen[i].row);
    }
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); ++i) {
        const char *fault = NULL;
        sim_params_t params;

        assert_true(sim_parse(waits[i], &params));
        for (params.strict = 1, params.seed = 0; params.seed < 20 && NULL == fault; ++params.seed) {
            params.whole = 0;
            assert_null(sim_run(&params));
            params.whole = 1;
            fault = sim_run(&params);
        }
        UNIT_CHECK(NULL != fault && NULL != strstr(fault, "does not come, although"),
                   "nothing waits: %s", waits[i]);
        params.strict = 0;
        assert_null(sim_run(&params));
        params.count = 100; /* more pieces than slots: it must not hang */
        for (params.chunk = 8, params.seed = 0; params.seed < 5; ++params.seed) {
            assert_null(sim_run(&params));
        }
    }
}

/* None has limits that keep it from everything. */
static void all_have_run(void **state)
{
    (void) state;
    for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
        sim_params_t params = {.row = mca_coll_pschedule_algorithms[i]};

        for (int k = params.row->collective; k <= (int) params.row->last; ++k) {
            params.collective = (mca_coll_pschedule_collective_t) k;
            if (chosen(&params) && 0 == runs[i][k]) {
                fail_msg("%s/%s has served nothing", sim_collective(params.collective),
                         params.row->name);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_ranks),  cmocka_unit_test(many_ranks), cmocka_unit_test(many_chunks),
        cmocka_unit_test(costs),      cmocka_unit_test(fine_blocks), cmocka_unit_test(many_steps),
        cmocka_unit_test(always_one), cmocka_unit_test(one_host),   cmocka_unit_test(crowded_host),
        cmocka_unit_test(together),   cmocka_unit_test(all_have_run),
    };
    const char *line = getenv("MPIX_SIM");

    return NULL == line ? UNIT_RUN(tests) : alone(line);
}
