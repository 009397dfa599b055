/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce up a binomial tree of ranks (coll_pschedule_binomial.h).
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_binomial.h"
#include "patterns/coll_pschedule_tree.h"

static void build_chunk(const mca_coll_pschedule_rooted_t *at, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *bit)
{
    (void) mca_coll_pschedule_binomial_chunk(at, slots, bit, bit->own);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_rooted_t at = mca_coll_pschedule_rooted(plan, problem);

    mca_coll_pschedule_rooted_build(&at, problem->chunk, mca_coll_pschedule_binomial_slotted(&at),
                                    build_chunk);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t rounds = mca_coll_pschedule_doublings(problem->size);
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);

    *cost = (mca_coll_pschedule_cost_t) {
        .rounds = rounds,
        .bytes = rounds * problem->common_bytes,
        .reduced = rounds * problem->common_bytes,
        .scratch = problem->common_partitions
                   * mca_coll_pschedule_slots_scratch(rounds * chunks.count, chunks.largest),
        .crowded = 1 < rounds ? rounds * problem->common_bytes : 0};
    mca_coll_pschedule_rooted_cost(problem, cost);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_binomial = {
    .collective = COLL_PSCHEDULE_REDUCE,
    .last = COLL_PSCHEDULE_REDUCE,
    .name = "binomial",
    .description = "up a binomial tree; for small partitions",
    .memory = "four chunks per partition",
    .limits = 0,
    .build = build,
    .cost = cost};
