/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A tree of leaders (see coll_pschedule_leaders.h).
 */
#include "patterns/coll_pschedule_leaders.h"

#include "patterns/coll_pschedule_lanes.h"
#include "patterns/coll_pschedule_tree.h"

typedef mca_coll_pschedule_hosts_t hosts_t;

/* The position of a rank's host. */
static uint32_t position_of(const mca_coll_pschedule_problem_t *problem, int32_t rank)
{
    const hosts_t *hosts = problem->hosts;

    return mca_coll_pschedule_host_distance(hosts, hosts->host[problem->root], hosts->host[rank]);
}

static int32_t leader(const mca_coll_pschedule_problem_t *problem, uint32_t position)
{
    const hosts_t *hosts = problem->hosts;
    uint32_t root_host = hosts->host[problem->root];

    return 0 == position
               ? problem->root
               : mca_coll_pschedule_hosts_rank(
                     hosts, mca_coll_pschedule_host_after(hosts, root_host, position), 0);
}

int32_t mca_coll_pschedule_leaders_up(const mca_coll_pschedule_problem_t *problem, int32_t rank)
{
    uint32_t position = position_of(problem, rank);
    int32_t first = leader(problem, position);

    return rank == first ? leader(problem, mca_coll_pschedule_parent(position)) : first;
}

int32_t mca_coll_pschedule_leaders_down(const mca_coll_pschedule_problem_t *problem, int32_t rank,
                                        int32_t to)
{
    uint32_t here = position_of(problem, rank);
    uint32_t there = position_of(problem, to);

    return here == there ? to : leader(problem, mca_coll_pschedule_child_towards(here, there));
}

void mca_coll_pschedule_leaders_below(mca_coll_pschedule_plan_t *plan,
                                      const mca_coll_pschedule_problem_t *problem,
                                      void (*visit)(mca_coll_pschedule_plan_t *plan,
                                                    const mca_coll_pschedule_problem_t *problem,
                                                    int32_t rank))
{
    const hosts_t *hosts = problem->hosts;
    uint32_t position = position_of(problem, problem->rank);
    uint32_t end = mca_coll_pschedule_subtree_end(position, (int32_t) hosts->count);

    if (problem->rank != leader(problem, position)) {
        return;
    }
    for (uint32_t at = position; at < end; ++at) {
        uint32_t host
            = mca_coll_pschedule_host_after(hosts, hosts->host[problem->root], at);

        for (uint32_t i = hosts->first[host]; i < hosts->first[host + 1]; ++i) {
            if (hosts->rank[i] != problem->rank) {
                visit(plan, problem, hosts->rank[i]);
            }
        }
    }
}

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
