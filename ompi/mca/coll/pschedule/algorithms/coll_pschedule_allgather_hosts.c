/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allgather by hosts, for contributions so small that messages count and not bytes: each goes to
 * the first rank of its host, from there along a binomial tree of hosts from first rank to first
 * rank, and at every stop to the other ranks of the host. One rank of a host looks after its
 * network, whatever ranks there are, and what comes to it from several sides at the same time goes
 * on in the same message.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_lanes.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_lanes_allgather(plan, problem, COLL_PSCHEDULE_ROUTE_LEADERS);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_lanes_allgather_cost(problem, COLL_PSCHEDULE_ROUTE_LEADERS);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allgather_hosts = {
    .collective = COLL_PSCHEDULE_ALLGATHER,
    .last = COLL_PSCHEDULE_ALLGATHERV,
    .name = "hosts",
    .description = "to one rank of each host, along a tree of these, and on; for small blocks",
    .memory = "none",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
