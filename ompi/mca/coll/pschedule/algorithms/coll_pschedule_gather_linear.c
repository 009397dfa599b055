/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather: every rank sends its contribution to the root, which has all blocks open at once.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_direct.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_tree.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_hop_t root = {.rank = problem->root};
    mca_coll_pschedule_flow_t flow;

    if (problem->rank != problem->root) {
        flow = mca_coll_pschedule_flow(plan, problem, problem->send[0].cut, &problem->send[0],
                                       NULL);
        mca_coll_pschedule_flow_leave(&flow, &root, 1);
        return;
    }
    for (int32_t k = 0; k < problem->size; ++k) {
        mca_coll_pschedule_hop_t from = {.rank = k};

        flow = mca_coll_pschedule_flow(plan, problem, problem->contribution[k], &problem->send[0],
                                       &problem->recv[k]);
        if (k == problem->rank) {
            mca_coll_pschedule_flow_keep(&flow);
        } else {
            mca_coll_pschedule_flow_pass(&flow, from, NULL, 0);
        }
    }
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    mca_coll_pschedule_direct_cost(problem, cost);
    cost->hosts = mca_coll_pschedule_hosts_elsewhere(problem->hosts, problem->root)
                  * problem->common_bytes;
    cost->messages = COLL_PSCHEDULE_GATHER_MESSAGE * mca_coll_pschedule_root_messages(problem);
    cost->serving = mca_coll_pschedule_star_rounds(problem->size);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_gather_linear = {
    .collective = COLL_PSCHEDULE_GATHER,
    .last = COLL_PSCHEDULE_GATHERV,
    .name = "linear",
    .description = "every rank sends to the root",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
