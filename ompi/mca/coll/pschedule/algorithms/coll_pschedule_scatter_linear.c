/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scatter: the root sends every rank its block as its partitions become ready.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_tree.h"

static void build_root(mca_coll_pschedule_plan_t *plan,
                       const mca_coll_pschedule_problem_t *problem)
{
    for (int32_t k = 0; k < problem->size; ++k) {
        mca_coll_pschedule_hop_t to = {.rank = k};
        mca_coll_pschedule_flow_t flow
            = mca_coll_pschedule_flow(plan, problem, problem->send[k].cut, &problem->send[k],
                                      &problem->recv[0]);

        if (k != problem->rank) {
            mca_coll_pschedule_flow_leave(&flow, &to, 1);
        } else if (problem->recv_blocks > 0) {
            mca_coll_pschedule_flow_keep(&flow);
        }
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_hop_t root = {.rank = problem->root};
    mca_coll_pschedule_flow_t flow;

    if (problem->rank == problem->root) {
        build_root(plan, problem);
        return;
    }
    flow = mca_coll_pschedule_flow(plan, problem, problem->contribution[problem->rank], NULL,
                                   &problem->recv[0]);
    mca_coll_pschedule_flow_pass(&flow, root, NULL, 0);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = (mca_coll_pschedule_cost_t) {
        .rounds = problem->size > 1,
        .bytes = (uint64_t) (problem->size - 1) * problem->common_bytes,
        .hosts = mca_coll_pschedule_hosts_elsewhere(problem->hosts, problem->root)
                 * problem->common_bytes,
        .messages = COLL_PSCHEDULE_SCATTER_MESSAGE * mca_coll_pschedule_root_messages(problem),
        .serving = mca_coll_pschedule_star_rounds(problem->size)};
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_scatter_linear = {
    .collective = COLL_PSCHEDULE_SCATTER,
    .last = COLL_PSCHEDULE_SCATTERV,
    .name = "linear",
    .description = "the root sends to every rank",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
