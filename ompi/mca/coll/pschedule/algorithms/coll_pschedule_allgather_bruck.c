/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allgather in log2(N) rounds, for any number of ranks: the way of Bruck's algorithm. Seen from its
 * contributor, a contribution reaches the rank at distance d over the distances that the bits of d
 * make up from the lowest to the highest:
 *
 *   0 -> 1, 2, 4 ...    1 -> 3, 5 ...    2 -> 6 ...    3 -> 7 ...     (contributor r: rank r + d)
 *
 * The trees of all ranks are the same but for the rotation, so all ranks send and receive the same,
 * and each talks to log2(N) ranks before it and behind it. Contributions are not put together, as
 * then one would wait for another, except where that is allowed (coll_pschedule_together.h).
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_lanes.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_tree.h"

static void double_distances(mca_coll_pschedule_plan_t *plan,
                             const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_lanes_allgather(plan, problem, COLL_PSCHEDULE_ROUTE_LEADERS);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_build_flat(plan, problem, COLL_PSCHEDULE_ORDER_RANKS, double_distances);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t bytes = (uint64_t) (problem->size - 1) * problem->common_bytes;
    uint64_t rounds = mca_coll_pschedule_doublings(problem->size);
    uint64_t each = mca_coll_pschedule_goes_together(problem) ? rounds
                                                              : (uint64_t) problem->size - 1;

    *cost = (mca_coll_pschedule_cost_t) {
        .rounds = rounds,
        .bytes = bytes,
        .crowded = problem->size > 2 ? bytes : 0,
        .messages = mca_coll_pschedule_hosts_nested(problem->hosts)
                        ? problem->hosts->most * each
                        : mca_coll_pschedule_lone_messages(problem, each)};
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allgather_bruck = {
    .collective = COLL_PSCHEDULE_ALLGATHER,
    .last = COLL_PSCHEDULE_ALLGATHERV,
    .name = "bruck",
    .description = "one binomial tree per contribution, rotated; log2(N) rounds for any N",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
