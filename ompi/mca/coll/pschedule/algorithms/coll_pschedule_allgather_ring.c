/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allgather around a ring: every contribution goes from rank to rank, host by host, until it has
 * been everywhere. A rank only ever talks to the ranks beside it.
 *
 *   step s: send what rank r-s contributed to rank r+1, receive that of rank r-1-s from rank r-1
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_lanes.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_order.h"

static void go_around(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_lanes_allgather(plan, problem, COLL_PSCHEDULE_ROUTE_RING);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_build_flat(plan, problem, COLL_PSCHEDULE_ORDER_RING, go_around);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t steps = (uint64_t) problem->size - 1;

    *cost = (mca_coll_pschedule_cost_t) {.rounds = steps, .bytes = steps * problem->common_bytes};
    cost->hosts = mca_coll_pschedule_around(problem, cost->bytes);
    cost->messages = mca_coll_pschedule_hosts_nested(problem->hosts)
                         ? steps
                         : mca_coll_pschedule_lone_messages(problem, steps);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allgather_ring = {
    .collective = COLL_PSCHEDULE_ALLGATHER,
    .last = COLL_PSCHEDULE_ALLGATHERV,
    .name = "ring",
    .description = "contributions go from rank to rank around a ring; two neighbours per rank",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
