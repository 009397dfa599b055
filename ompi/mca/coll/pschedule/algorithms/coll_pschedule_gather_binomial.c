/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather up a binomial tree: the root has log2(N) neighbours instead of N-1. Contributions are not
 * put together on the way, as then one would wait for another; so the root receives as many
 * transfers as in the linear algorithm, and others relay them. For so many ranks that connections
 * to all of them are what costs.
 *
 *   0 <-+- 4 <-+- 6 <-- 7       positions count from the root; contribution of position 7: 6, 4, 0
 *       |      `- 5
 *       +- 2 <--- 3
 *       `- 1
 *
 * Hazards: every byte of the result is written once; the root's own block in place is not written.
 * What is relayed is in slots that are granted (coll_pschedule_flow.h).
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_tree.h"

/* Towards or from a position, for the contribution of position `step`. */
static mca_coll_pschedule_hop_t hop_to(const mca_coll_pschedule_problem_t *problem,
                                       uint32_t position, uint32_t step)
{
    return (mca_coll_pschedule_hop_t) {
        .rank = mca_coll_pschedule_after(problem, problem->root, position),
        .step = step,
        .relays = 0 != position};
}

/* The contribution of a position in the subtree of this rank's. */
static void collect(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
                    uint32_t position, uint32_t of)
{
    int32_t contributor = mca_coll_pschedule_after(problem, problem->root, of);
    mca_coll_pschedule_hop_t from
        = hop_to(problem, mca_coll_pschedule_child_towards(position, of), of);
    mca_coll_pschedule_flow_t flow
        = mca_coll_pschedule_flow(plan, problem, problem->contribution[contributor], NULL,
                                  0 == position ? &problem->recv[contributor] : NULL);

    if (0 == position) {
        mca_coll_pschedule_flow_pass(&flow, from, NULL, 0);
    } else {
        mca_coll_pschedule_flow_relay(&flow, from,
                                      hop_to(problem, mca_coll_pschedule_parent(position), of));
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    uint32_t position = mca_coll_pschedule_position(problem, problem->rank, problem->root);
    mca_coll_pschedule_flow_t own
        = mca_coll_pschedule_flow(plan, problem, problem->contribution[problem->rank],
                                  &problem->send[0],
                                  0 == position ? &problem->recv[problem->rank] : NULL);

    if (0 == position) {
        mca_coll_pschedule_flow_keep(&own);
    } else {
        mca_coll_pschedule_hop_t to
            = hop_to(problem, mca_coll_pschedule_parent(position), position);

        mca_coll_pschedule_flow_leave(&own, &to, 1);
    }
    for (uint32_t of = position + 1; of < mca_coll_pschedule_subtree_end(position, problem->size);
         ++of) {
        collect(plan, problem, position, of);
    }
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_flow_tree_cost(problem);
    cost->messages = COLL_PSCHEDULE_GATHER_MESSAGE * mca_coll_pschedule_root_messages(problem);
    cost->crowded = problem->size > 2 ? cost->bytes : 0;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_gather_binomial = {
    .collective = COLL_PSCHEDULE_GATHER,
    .last = COLL_PSCHEDULE_GATHERV,
    .name = "binomial",
    .description = "up a binomial tree, each contribution by itself; the root has few neighbours",
    .memory = "inside of the tree: for each rank behind and each of its partitions up to four "
              "chunks",
    .limits = 0,
    .build = build,
    .cost = cost};
