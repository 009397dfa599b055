/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast from all ranks of every host that has the message: a tree of hosts in which each host
 * tells as many others per level as it has ranks (coll_pschedule_endpoints.h, k-nomial). So no rank
 * sends more than one message per level. Where hosts differ, all take the mean number of ranks.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_endpoints.h"

static uint32_t mean_ranks(const mca_coll_pschedule_problem_t *problem)
{
    return (uint32_t) problem->size / problem->hosts->count;
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_endpoints_build(plan, problem, mean_ranks(problem));
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_endpoints_cost(problem, mean_ranks(problem));
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_bcast_endpoints_knomial = {
    .collective = COLL_PSCHEDULE_BCAST,
    .last = COLL_PSCHEDULE_BCAST,
    .name = "endpoints_knomial",
    .description = "from all ranks of each host that has it, down a tree of hosts; for little data",
    .memory = "none",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
