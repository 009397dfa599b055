/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce by recursive doubling of all ranks (coll_pschedule_doubling.h). Rank order is kept.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_doubling.h"
#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_messages.h"

static void build_chunk(void *of, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *chunk)
{
    (void) slots; /* there are none: every stage has its own */
    (void) mca_coll_pschedule_doubling_chunk(
        of, chunk, (mca_coll_pschedule_doubled_t) {.sum = chunk->own});
}

static void exchange(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_doubling_t at;

    mca_coll_pschedule_doubling(&at, plan, problem, 0);
    mca_coll_pschedule_build_bits(plan, problem, problem->chunk, 0, build_chunk, &at);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_build_flat(plan, problem, COLL_PSCHEDULE_ORDER_RANKS, exchange);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t vector = mca_coll_pschedule_vector_messages(problem->common_bytes);
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;

    *cost = mca_coll_pschedule_doubling_cost(problem, (uint32_t) problem->size);
    if (NULL != hosts && hosts->count > 1) {
        cost->messages = mca_coll_pschedule_allreduce_messages(
            problem, vector > 1 ? (vector - 1) * cost->rounds : 0,
            vector * mca_coll_pschedule_doublings((int32_t) hosts->count), hosts->most);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_recursive_doubling = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "recursive_doubling",
    .description = "exchange with ranks at doubling distances; for small partitions; keeps order",
    .memory = "four chunks per partition and level",
    .limits = 0,
    .build = build,
    .cost = cost};
