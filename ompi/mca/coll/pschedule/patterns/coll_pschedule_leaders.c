/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather and scatter along a tree of leaders (see coll_pschedule_leaders.h).
 */
#include "patterns/coll_pschedule_leaders.h"

#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_tree.h"

typedef mca_coll_pschedule_hosts_t hosts_t;

typedef struct tree_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    const hosts_t *hosts;
} tree_t;

/* ---- the tree ---- */

/* The position of a rank's host. */
static uint32_t position_of(const tree_t *tree, int32_t rank)
{
    return mca_coll_pschedule_host_distance(tree->hosts, tree->hosts->host[tree->problem->root],
                                            tree->hosts->host[rank]);
}

static uint32_t host_at(const tree_t *tree, uint32_t position)
{
    return mca_coll_pschedule_host_after(tree->hosts, tree->hosts->host[tree->problem->root],
                                         position);
}

static int32_t leader(const tree_t *tree, uint32_t position)
{
    return 0 == position ? tree->problem->root
                         : mca_coll_pschedule_hosts_rank(tree->hosts, host_at(tree, position), 0);
}

static bool is_root(const tree_t *tree)
{
    return tree->problem->rank == tree->problem->root;
}

/* From this rank, not the root, to the next above, or back; `of`: whose flow it is. Flows are in
 * the order of hosts. */
static mca_coll_pschedule_hop_t up(const tree_t *tree, int32_t of)
{
    uint32_t position = position_of(tree, tree->problem->rank);
    int32_t first = leader(tree, position);

    return (mca_coll_pschedule_hop_t) {
        .rank = tree->problem->rank == first ? leader(tree, mca_coll_pschedule_parent(position))
                                             : first,
        .step = tree->hosts->ring[of]};
}

/* From this rank, a leader, to the next below on the way to `of`, or back. */
static mca_coll_pschedule_hop_t down(const tree_t *tree, int32_t of)
{
    uint32_t here = position_of(tree, tree->problem->rank);
    uint32_t there = position_of(tree, of);

    return (mca_coll_pschedule_hop_t) {
        .rank = here == there ? of : leader(tree, mca_coll_pschedule_child_towards(here, there)),
        .step = tree->hosts->ring[of]};
}

/* Call `visit` for every rank below this one: none, unless it is a leader. */
static void below(const tree_t *tree, void (*visit)(const tree_t *tree, int32_t rank))
{
    uint32_t position = position_of(tree, tree->problem->rank);
    uint32_t end = mca_coll_pschedule_subtree_end(position, (int32_t) tree->hosts->count);

    if (tree->problem->rank != leader(tree, position)) {
        return;
    }
    for (uint32_t at = position; at < end; ++at) {
        uint32_t host = host_at(tree, at);

        for (uint32_t i = 0; i < mca_coll_pschedule_hosts_on(tree->hosts, host); ++i) {
            int32_t rank = mca_coll_pschedule_hosts_rank(tree->hosts, host, i);

            if (rank != tree->problem->rank) {
                visit(tree, rank);
            }
        }
    }
}

/* ---- gather ---- */

static mca_coll_pschedule_hop_t to_root(const tree_t *tree, int32_t of)
{
    mca_coll_pschedule_hop_t hop = up(tree, of);

    hop.relays = hop.rank != tree->problem->root;
    return hop;
}

/* The contribution of a rank below this one. */
static void collect(const tree_t *tree, int32_t of)
{
    const mca_coll_pschedule_problem_t *problem = tree->problem;
    mca_coll_pschedule_flow_t flow =
        mca_coll_pschedule_flow(tree->plan, problem, problem->contribution[of], NULL,
                                is_root(tree) ? &problem->recv[of] : NULL);

    if (is_root(tree)) {
        mca_coll_pschedule_flow_pass(&flow, down(tree, of), NULL, 0);
    } else {
        mca_coll_pschedule_flow_relay(&flow, down(tree, of), to_root(tree, of));
    }
}

void mca_coll_pschedule_leaders_gather(mca_coll_pschedule_plan_t *plan,
                                       const mca_coll_pschedule_problem_t *problem)
{
    tree_t tree = {.plan = plan, .problem = problem, .hosts = problem->hosts};
    mca_coll_pschedule_flow_t own = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[problem->rank], &problem->send[0],
        is_root(&tree) ? &problem->recv[problem->rank] : NULL);

    if (is_root(&tree)) {
        mca_coll_pschedule_flow_keep(&own);
    } else {
        mca_coll_pschedule_hop_t to = to_root(&tree, problem->rank);

        mca_coll_pschedule_flow_leave(&own, &to, 1);
    }
    below(&tree, collect);
}

/* ---- scatter ---- */

/* The block for a rank below this one. */
static void hand_on(const tree_t *tree, int32_t to)
{
    const mca_coll_pschedule_problem_t *problem = tree->problem;
    mca_coll_pschedule_hop_t hop = down(tree, to);
    mca_coll_pschedule_flow_t flow =
        mca_coll_pschedule_flow(tree->plan, problem, problem->contribution[to],
                                is_root(tree) ? &problem->send[to] : NULL, NULL);

    hop.relays = hop.rank != to;
    if (is_root(tree)) {
        mca_coll_pschedule_flow_leave(&flow, &hop, 1);
    } else {
        mca_coll_pschedule_flow_relay(&flow, up(tree, to), hop);
    }
}

void mca_coll_pschedule_leaders_scatter(mca_coll_pschedule_plan_t *plan,
                                        const mca_coll_pschedule_problem_t *problem)
{
    tree_t tree = {.plan = plan, .problem = problem, .hosts = problem->hosts};
    mca_coll_pschedule_flow_t own = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[problem->rank],
        is_root(&tree) ? &problem->send[problem->rank] : NULL, &problem->recv[0]);

    below(&tree, hand_on);
    if (!is_root(&tree)) {
        mca_coll_pschedule_flow_pass(&own, up(&tree, problem->rank), NULL, 0);
    } else if (problem->recv_blocks > 0) {
        mca_coll_pschedule_flow_keep(&own);
    }
}

/* ---- costs ---- */

/* What is relayed goes through the networks of several hosts, one after the other, so bytes count
 * so often once more. Measured, 4 x 4 and 8 x 4 ranks: from 1 to 2 KiB on linear is faster. */
#define WAY 3u

/* Ranks in the largest subtree of a child of the root's host. */
static uint64_t largest_subtree(const mca_coll_pschedule_problem_t *problem)
{
    const hosts_t *hosts = problem->hosts;
    uint64_t most = 0;

    for (uint32_t child = 1; child < hosts->count; child *= 2) {
        uint32_t end = mca_coll_pschedule_subtree_end(child, (int32_t) hosts->count);
        uint64_t ranks = 0;

        for (uint32_t at = child; at < end; ++at) {
            ranks += mca_coll_pschedule_hosts_on(
                hosts,
                mca_coll_pschedule_host_after(hosts, hosts->host[problem->root], at));
        }
        most = ranks > most ? ranks : most;
    }
    return most;
}

mca_coll_pschedule_cost_t
mca_coll_pschedule_leaders_cost(const mca_coll_pschedule_problem_t *problem)
{
    const hosts_t *hosts = problem->hosts;
    uint32_t levels = mca_coll_pschedule_doublings((int32_t) hosts->count);
    uint64_t relayed = largest_subtree(problem) - 1;
    uint64_t away = mca_coll_pschedule_hosts_elsewhere(hosts, problem->root);

    return (mca_coll_pschedule_cost_t) {
        .rounds = levels + 1,
        .local = 1,
        .bytes = ((uint64_t) problem->size - 1) * problem->common_bytes,
        .hosts = away * problem->common_bytes,
        .relayed = relayed * problem->common_bytes,
        .crowded = WAY * ((uint64_t) problem->size - 1) * problem->common_bytes,
        .messages = levels,
        .scratch = relayed * mca_coll_pschedule_flow_scratch(problem),
        .serving = mca_coll_pschedule_star_rounds((int32_t) (hosts->most + levels))};
}
