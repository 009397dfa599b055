/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast down a binomial tree: few rounds, but the root sends everything log2(N) times.
 *
 *   0 -+- 4 -+- 6 --- 7        positions count from the root; every rank sends each piece to
 *      |     `- 5              the child with the largest subtree first
 *      +- 2 --- 3
 *      `- 1
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_endpoints.h"
#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_tree.h"

/* A tree of ranks with one child per level. */
static void tell_one(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_endpoints_build(plan, problem, 1);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_build_flat(plan, problem, COLL_PSCHEDULE_ORDER_RANKS, tell_one);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint32_t rounds = mca_coll_pschedule_doublings(problem->size);

    *cost = (mca_coll_pschedule_cost_t) {.rounds = rounds,
                                         .bytes = rounds * problem->common_bytes};
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_bcast_binomial = {
    .collective = COLL_PSCHEDULE_BCAST,
    .last = COLL_PSCHEDULE_BCAST,
    .name = "binomial",
    .description = "binomial tree from the root; for little data",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
