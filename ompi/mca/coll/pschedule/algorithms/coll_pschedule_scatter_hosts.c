/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scatter down a tree of leaders (coll_pschedule_leaders.h): gather_hosts with all arrows turned
 * around.
 *
 * Hazards: every byte of a result is written once; the root's own block in place is not touched.
 * What is relayed is in slots that are granted (coll_pschedule_flow.h).
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_leaders.h"
#include "patterns/coll_pschedule_messages.h"

/* From above to this rank, with the block for a rank. */
static mca_coll_pschedule_hop_t hop_from_above(const mca_coll_pschedule_problem_t *problem,
                                               int32_t to)
{
    return (mca_coll_pschedule_hop_t) {
        .rank = mca_coll_pschedule_leaders_up(problem, problem->rank),
        .step = problem->hosts->ring[to]};
}

/* The block for a rank below this one. */
static void hand_on(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
                    int32_t to)
{
    bool root = problem->rank == problem->root;
    int32_t next = mca_coll_pschedule_leaders_down(problem, problem->rank, to);
    mca_coll_pschedule_hop_t hop = {
        .rank = next, .step = problem->hosts->ring[to], .relays = next != to};
    mca_coll_pschedule_flow_t flow = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[to], root ? &problem->send[to] : NULL, NULL);

    if (root) {
        mca_coll_pschedule_flow_leave(&flow, &hop, 1);
    } else {
        mca_coll_pschedule_flow_relay(&flow, hop_from_above(problem, to), hop);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    bool root = problem->rank == problem->root;
    mca_coll_pschedule_flow_t own = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[problem->rank],
        root ? &problem->send[problem->rank] : NULL, &problem->recv[0]);

    mca_coll_pschedule_leaders_below(plan, problem, hand_on);
    if (!root) {
        mca_coll_pschedule_flow_pass(&own, hop_from_above(problem, problem->rank), NULL, 0);
    } else if (problem->recv_blocks > 0) {
        mca_coll_pschedule_flow_keep(&own);
    }
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_leaders_cost(problem);
    cost->messages *= COLL_PSCHEDULE_SCATTER_MESSAGE;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_scatter_hosts = {
    .collective = COLL_PSCHEDULE_SCATTER,
    .last = COLL_PSCHEDULE_SCATTERV,
    .name = "hosts",
    .description = "down a tree of one rank of each host, which hands them on; for small blocks",
    .memory = "inside of the tree: for each rank behind and each of its partitions up to four "
              "chunks",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
