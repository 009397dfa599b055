/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather up a tree of leaders (coll_pschedule_leaders.h): the network carries a contribution along
 * log2(hosts) hops at most, between one rank of each host, where many small ones are under way
 * together. They are not put together, as then one would wait for another.
 *
 * Hazards: every byte of the result is written once; the root's own block in place is not written.
 * What is relayed is in slots that are granted (coll_pschedule_flow.h).
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_leaders.h"
#include "patterns/coll_pschedule_messages.h"

/* From this rank upwards, for the contribution of a rank. */
static mca_coll_pschedule_hop_t hop_up(const mca_coll_pschedule_problem_t *problem, int32_t of)
{
    int32_t next = mca_coll_pschedule_leaders_up(problem, problem->rank);

    return (mca_coll_pschedule_hop_t) {
        .rank = next, .step = problem->hosts->ring[of], .relays = next != problem->root};
}

/* The contribution of a rank below this one. */
static void collect(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
                    int32_t of)
{
    bool root = problem->rank == problem->root;
    mca_coll_pschedule_hop_t from = {
        .rank = mca_coll_pschedule_leaders_down(problem, problem->rank, of),
        .step = problem->hosts->ring[of]};
    mca_coll_pschedule_flow_t flow = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[of], NULL, root ? &problem->recv[of] : NULL);

    if (root) {
        mca_coll_pschedule_flow_pass(&flow, from, NULL, 0);
    } else {
        mca_coll_pschedule_flow_relay(&flow, from, hop_up(problem, of));
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    bool root = problem->rank == problem->root;
    mca_coll_pschedule_flow_t own = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[problem->rank], &problem->send[0],
        root ? &problem->recv[problem->rank] : NULL);

    if (root) {
        mca_coll_pschedule_flow_keep(&own);
    } else {
        mca_coll_pschedule_hop_t to = hop_up(problem, problem->rank);

        mca_coll_pschedule_flow_leave(&own, &to, 1);
    }
    mca_coll_pschedule_leaders_below(plan, problem, collect);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_leaders_cost(problem);
    cost->messages *= COLL_PSCHEDULE_GATHER_MESSAGE;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_gather_hosts = {
    .collective = COLL_PSCHEDULE_GATHER,
    .last = COLL_PSCHEDULE_GATHERV,
    .name = "hosts",
    .description = "to one rank of each host, and up a tree of these; for small contributions",
    .memory = "inside of the tree: for each rank behind and each of its partitions up to four "
              "chunks",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
