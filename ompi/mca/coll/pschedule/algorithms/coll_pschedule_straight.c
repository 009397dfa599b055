/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks that go straight to their receivers (see coll_pschedule_straight.h).
 */
#include "algorithms/coll_pschedule_straight.h"

#include "algorithms/coll_pschedule_flow.h"
#include "algorithms/coll_pschedule_tree.h"

static void exchange(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
                     uint32_t distance, uint32_t step)
{
    int32_t to = mca_coll_pschedule_after(problem, problem->rank, distance);
    int32_t from = mca_coll_pschedule_before(problem, problem->rank, distance);
    mca_coll_pschedule_hop_t next = {.rank = to, .step = step};
    mca_coll_pschedule_hop_t last = {.rank = from, .step = step};
    mca_coll_pschedule_flow_t out = mca_coll_pschedule_flow(plan, problem, problem->send[to].cut,
                                                            &problem->send[to], NULL);
    mca_coll_pschedule_flow_t in = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[from], NULL, &problem->recv[from]);

    mca_coll_pschedule_flow_leave(&out, &next, 1);
    mca_coll_pschedule_flow_pass(&in, last, NULL, 0);
}

void mca_coll_pschedule_straight_build(mca_coll_pschedule_plan_t *plan,
                                       const mca_coll_pschedule_problem_t *problem,
                                       bool by_distance)
{
    int32_t rank = problem->rank;
    mca_coll_pschedule_flow_t own = mca_coll_pschedule_flow(
        plan, problem, problem->send[rank].cut, &problem->send[rank], &problem->recv[rank]);

    for (uint32_t distance = 1; distance < (uint32_t) problem->size; ++distance) {
        exchange(plan, problem, distance, by_distance ? distance : 0);
    }
    mca_coll_pschedule_flow_keep(&own);
}

void mca_coll_pschedule_straight_cost(const mca_coll_pschedule_problem_t *problem,
                                      mca_coll_pschedule_cost_t *cost)
{
    uint64_t bytes = (uint64_t) (problem->size - 1) * problem->common_bytes;

    *cost = (mca_coll_pschedule_cost_t) {
        .rounds = problem->size > 1,
        .bytes = bytes,
        .crowded = problem->size > 2 ? bytes : 0,
        .served = mca_coll_pschedule_mesh_rounds(problem->size)};
}
