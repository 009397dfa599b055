/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast from all ranks of the root's host: each of them tells its share of the leaders of all
 * other hosts, who tell their neighbours (coll_pschedule_endpoints.h, flat).
 *
 * The tree with few children per level has a row of its own: which of them takes less time depends
 * on the rates of the machine, which the choice knows and builders do not; and users can force it.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_endpoints.h"

static uint32_t all_others(const mca_coll_pschedule_problem_t *problem)
{
    return problem->hosts->count - 1;
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_endpoints_build(plan, problem, all_others(problem));
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_endpoints_cost(problem, all_others(problem));
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_bcast_endpoints = {
    .collective = COLL_PSCHEDULE_BCAST,
    .last = COLL_PSCHEDULE_BCAST,
    .name = "endpoints",
    .description = "from all ranks of the root's host to one rank of each other; for little data",
    .memory = "none",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
