/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce along a chain of ranks, from the last position to position 0 (coll_pschedule_rooted.h), in
 * a pipeline of short chunks: all ranks receive, reduce and send at the same time.
 *
 * A partial result covers all positions behind on the chain; a rank puts its own contribution in
 * from the left, in the slot where the partial result came in, and sends it on from there.
 * Contributions are only read.
 *
 * No deadlock: the use of chunk n of a partition waits for chunk n one position behind, and its
 * leaving for the slot of chunk n-4 one position ahead.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_order.h"
#include "patterns/coll_pschedule_rooted.h"

static void build_chunk(const mca_coll_pschedule_rooted_t *at, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *bit)
{
    (void) mca_coll_pschedule_rooted_chain(at, slots, bit);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_rooted_build_chain(plan, problem, build_chunk);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_pipeline_cost(problem, (uint64_t) problem->size - 1);
    mca_coll_pschedule_rooted_cost(problem, cost);
    cost->hosts = problem->ordered ? 0 : mca_coll_pschedule_around(problem, cost->bytes);
    if (problem->ordered && 0 < problem->root && problem->root + 1 < problem->size) {
        cost->bytes += problem->common_bytes; /* the root receives twice */
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_chain = {
    .collective = COLL_PSCHEDULE_REDUCE,
    .last = COLL_PSCHEDULE_REDUCE,
    .name = "chain",
    .description = "pipeline of chunks from rank to rank, ending at the root; for much data",
    .memory = "four chunks per partition; none at the root unless it works in place",
    .limits = 0,
    .build = build,
    .cost = cost};
