/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scatter down a binomial tree: gather_binomial with all arrows turned around. The root sends as
 * many transfers as in the linear algorithm, but to log2(N) neighbours.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_leaders.h"
#include "patterns/coll_pschedule_messages.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_build_flat(plan, problem, COLL_PSCHEDULE_ORDER_RANKS,
                                  mca_coll_pschedule_leaders_scatter);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_flow_tree_cost(problem);
    cost->messages = COLL_PSCHEDULE_SCATTER_MESSAGE * mca_coll_pschedule_root_messages(problem);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_scatter_binomial = {
    .collective = COLL_PSCHEDULE_SCATTER,
    .last = COLL_PSCHEDULE_SCATTERV,
    .name = "binomial",
    .description = "down a binomial tree, each block by itself; the root has few neighbours",
    .memory = "inside of the tree: for each rank behind and each of its partitions up to four "
              "chunks",
    .limits = 0,
    .build = build,
    .cost = cost};
