/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allgather around a ring of hosts: every contribution enters every host once, by the rank there
 * that is on its lane, which passes it on to its neighbours and to the next host. All ranks of a
 * host carry what goes in and out, in any placement.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_lanes.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_lanes_allgather(plan, problem, COLL_PSCHEDULE_ROUTE_RING);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_lanes_allgather_cost(problem, COLL_PSCHEDULE_ROUTE_RING);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allgather_lanes_ring = {
    .collective = COLL_PSCHEDULE_ALLGATHER,
    .last = COLL_PSCHEDULE_ALLGATHERV,
    .name = "lanes_ring",
    .description = "around a ring of hosts, on all ranks of each, and to the others there",
    .memory = "none",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
