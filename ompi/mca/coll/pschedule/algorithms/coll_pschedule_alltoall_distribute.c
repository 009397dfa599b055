/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall in which every block goes to the rank of its receiver's host that is on the lane of its
 * sender, and from there to its receiver (receive-side distribution): every rank has one neighbour
 * per host to which blocks leave.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_exchange.h"

static const mca_coll_pschedule_gates_t gates
    = {.out = COLL_PSCHEDULE_GATE_SELF, .in = COLL_PSCHEDULE_GATE_LANE};

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_exchange_build(plan, problem, gates);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_exchange_cost(problem, gates);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_alltoall_distribute = {
    .collective = COLL_PSCHEDULE_ALLTOALL,
    .last = COLL_PSCHEDULE_ALLTOALLW,
    .name = "distribute",
    .description = "to one rank of each host, which hands them on there; for small blocks",
    .memory = "up to four chunks for each partition of the blocks that pass through a rank",
    .limits = COLL_PSCHEDULE_NESTED | COLL_PSCHEDULE_RELAY_CUTS,
    .build = build,
    .cost = cost};
