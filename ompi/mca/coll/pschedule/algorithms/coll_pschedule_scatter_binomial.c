/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scatter down a binomial tree: gather_binomial with all arrows turned around. The root sends as
 * many transfers as in the linear algorithm, but to log2(N) neighbours.
 *
 * Hazards: every byte of a result is written once; the root's own block in place is not touched.
 * What is relayed is in slots that are granted (coll_pschedule_flow.h).
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_tree.h"

/* Towards or from a position, with the block of position `of`, where it ends. */
static mca_coll_pschedule_hop_t hop_to(const mca_coll_pschedule_problem_t *problem,
                                       uint32_t position, uint32_t of)
{
    return (mca_coll_pschedule_hop_t) {
        .rank = mca_coll_pschedule_after(problem, problem->root, position),
        .step = of,
        .relays = of != position};
}

/* The block of a position in the subtree of this rank's. */
static void hand_on(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
                    uint32_t position, uint32_t of)
{
    int32_t receiver = mca_coll_pschedule_after(problem, problem->root, of);
    mca_coll_pschedule_hop_t to
        = hop_to(problem, mca_coll_pschedule_child_towards(position, of), of);
    mca_coll_pschedule_flow_t flow
        = mca_coll_pschedule_flow(plan, problem, problem->contribution[receiver],
                                  0 == position ? &problem->send[receiver] : NULL, NULL);

    if (0 == position) {
        mca_coll_pschedule_flow_leave(&flow, &to, 1);
    } else {
        mca_coll_pschedule_flow_relay(&flow,
                                      hop_to(problem, mca_coll_pschedule_parent(position), of), to);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    uint32_t position = mca_coll_pschedule_position(problem, problem->rank, problem->root);
    mca_coll_pschedule_flow_t own
        = mca_coll_pschedule_flow(plan, problem, problem->contribution[problem->rank],
                                  0 == position ? &problem->send[problem->rank] : NULL,
                                  &problem->recv[0]);

    for (uint32_t of = position + 1; of < mca_coll_pschedule_subtree_end(position, problem->size);
         ++of) {
        hand_on(plan, problem, position, of);
    }
    if (0 != position) {
        mca_coll_pschedule_flow_pass(
            &own, hop_to(problem, mca_coll_pschedule_parent(position), position), NULL, 0);
    } else if (problem->recv_blocks > 0) {
        mca_coll_pschedule_flow_keep(&own);
    }
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_flow_tree_cost(problem);
    cost->messages = COLL_PSCHEDULE_SCATTER_MESSAGE * mca_coll_pschedule_root_messages(problem);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_scatter_binomial = {
    .collective = COLL_PSCHEDULE_SCATTER,
    .last = COLL_PSCHEDULE_SCATTERV,
    .name = "binomial",
    .description = "down a binomial tree, each block by itself; the root has few neighbours",
    .memory = "inside of the tree: for each rank behind and each of its partitions up to four "
              "chunks",
    .limits = 0,
    .build = build,
    .cost = cost};
