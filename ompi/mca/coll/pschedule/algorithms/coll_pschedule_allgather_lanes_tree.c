/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allgather in log2(hosts) rounds and one more: every contribution enters every host once, along a
 * binomial tree of hosts, by the rank there that is on its lane, which passes it on to its
 * neighbours. The trees are those of allgather_bruck, of hosts instead of ranks.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_lanes.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_lanes_allgather(plan, problem, COLL_PSCHEDULE_ROUTE_TREE);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_lanes_allgather_cost(problem, COLL_PSCHEDULE_ROUTE_TREE);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allgather_lanes_tree = {
    .collective = COLL_PSCHEDULE_ALLGATHER,
    .last = COLL_PSCHEDULE_ALLGATHERV,
    .name = "lanes_tree",
    .description = "along a tree of hosts per contribution; log2(hosts) rounds and one",
    .memory = "none",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
