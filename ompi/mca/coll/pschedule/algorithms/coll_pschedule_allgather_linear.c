/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allgather: every rank sends its contribution to every other one. One round, but connections
 * between all ranks. Rank r begins with rank r+1, so that not all begin with the same one.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_direct.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_tree.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_flow_t own
        = mca_coll_pschedule_flow(plan, problem, problem->contribution[problem->rank],
                                  &problem->send[0], &problem->recv[problem->rank]);

    for (uint32_t distance = 1; distance < (uint32_t) problem->size; ++distance) {
        int32_t contributor = mca_coll_pschedule_before(problem, distance);
        mca_coll_pschedule_hop_t from = {.rank = contributor, .step = distance};
        mca_coll_pschedule_hop_t to
            = {.rank = mca_coll_pschedule_after(problem, distance),
               .step = distance};
        mca_coll_pschedule_flow_t flow
            = mca_coll_pschedule_flow(plan, problem, problem->contribution[contributor], NULL,
                                      &problem->recv[contributor]);

        mca_coll_pschedule_flow_leave(&own, &to, 1);
        mca_coll_pschedule_flow_pass(&flow, from, NULL, 0);
    }
    mca_coll_pschedule_flow_keep(&own);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    mca_coll_pschedule_direct_cost(problem, cost);
    if (mca_coll_pschedule_hosts_nested(problem->hosts)) {
        cost->local = 1; /* neighbours have their turns, too */
        ++cost->rounds;
        cost->messages = mca_coll_pschedule_hosts_exchanged(problem->hosts);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allgather_linear = {
    .collective = COLL_PSCHEDULE_ALLGATHER,
    .last = COLL_PSCHEDULE_ALLGATHERV,
    .name = "linear",
    .description = "every rank sends to every other one, in one round",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
