/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall in which all blocks from one host to another go through one rank of either (leaders):
 * two hosts talk over one connection. Every other host has a leader of its own here, as long as
 * there are ranks for that.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_exchange.h"

static const mca_coll_pschedule_gates_t gates
    = {.out = COLL_PSCHEDULE_GATE_PAIR, .in = COLL_PSCHEDULE_GATE_PAIR};

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_exchange_build(plan, problem, gates);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_exchange_cost(problem, gates);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_alltoall_leader = {
    .collective = COLL_PSCHEDULE_ALLTOALL,
    .last = COLL_PSCHEDULE_ALLTOALLW,
    .name = "leader",
    .description = "through one rank of either host for each pair of hosts; for small blocks",
    .memory = "up to four chunks for each partition of the blocks that pass through a rank",
    .limits = COLL_PSCHEDULE_NESTED | COLL_PSCHEDULE_RELAY_CUTS,
    .build = build,
    .cost = cost};
