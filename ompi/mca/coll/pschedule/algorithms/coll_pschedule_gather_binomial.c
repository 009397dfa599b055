/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather up a binomial tree: the root has log2(N) neighbours instead of N-1. Contributions are not
 * put together on the way, as then one would wait for another; so the root receives as many
 * transfers as in the linear algorithm, and others relay them. For so many ranks that connections
 * to all of them are what costs.
 *
 *   0 <-+- 4 <-+- 6 <-- 7       positions count from the root; contribution of position 7: 6, 4, 0
 *       |      `- 5
 *       +- 2 <--- 3
 *       `- 1
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_leaders.h"
#include "patterns/coll_pschedule_messages.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_build_flat(plan, problem, COLL_PSCHEDULE_ORDER_RANKS,
                                  mca_coll_pschedule_leaders_gather);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_flow_tree_cost(problem);
    cost->messages = COLL_PSCHEDULE_GATHER_MESSAGE * mca_coll_pschedule_root_messages(problem);
    cost->crowded = problem->size > 2 ? cost->bytes : 0;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_gather_binomial = {
    .collective = COLL_PSCHEDULE_GATHER,
    .last = COLL_PSCHEDULE_GATHERV,
    .name = "binomial",
    .description = "up a binomial tree, each contribution by itself; the root has few neighbours",
    .memory = "inside of the tree: for each rank behind and each of its partitions up to four "
              "chunks",
    .limits = 0,
    .build = build,
    .cost = cost};
