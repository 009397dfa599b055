/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast from many endpoints (see coll_pschedule_endpoints.h).
 */
#include "patterns/coll_pschedule_endpoints.h"

#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_tree.h"

#include <stdlib.h>

typedef mca_coll_pschedule_hosts_t hosts_t;

/* A host of the tree, or a rank of it. */
typedef struct node_t {
    const hosts_t *hosts;
    int32_t root;
    uint32_t base;     /* children per level, and one */
    uint32_t distance; /* of the host from the root's */
} node_t;

static node_t node_of(const mca_coll_pschedule_problem_t *problem, uint32_t children,
                      uint32_t distance)
{
    return (node_t) {.hosts = problem->hosts,
                     .root = problem->root,
                     .base = children + 1,
                     .distance = distance};
}

static uint32_t host_of(const node_t *node, uint32_t distance)
{
    return mca_coll_pschedule_host_after(node->hosts, node->hosts->host[node->root], distance);
}

static uint32_t ranks_of(const node_t *node)
{
    return mca_coll_pschedule_hosts_on(node->hosts, host_of(node, node->distance));
}

/* Endpoints count from the leader, which is number 0: the root, or the first rank of its host. */
static uint32_t leader_index(const node_t *node, uint32_t distance)
{
    return 0 == distance ? node->hosts->index[node->root] : 0;
}

static int32_t endpoint(const node_t *node, uint32_t number)
{
    uint32_t index = leader_index(node, node->distance) + number;

    return mca_coll_pschedule_hosts_rank(node->hosts, host_of(node, node->distance),
                                         index % ranks_of(node));
}

static uint32_t number_of(const node_t *node, int32_t rank)
{
    uint32_t on = ranks_of(node);

    return (node->hosts->index[rank] + on - leader_index(node, node->distance)) % on;
}

/* ---- the tree ---- */

/* The value of the lowest digit that is not 0: children have only lower ones. Of distance 0, one
 * that is higher than all hosts. */
static uint64_t span_of(const node_t *node)
{
    uint64_t span = 1;

    if (0 == node->distance) {
        while (span < node->hosts->count) {
            span *= node->base;
        }
        return span;
    }
    while (0 == node->distance / span % node->base) {
        span *= node->base;
    }
    return span;
}

/* How many children have a digit of this value. */
static uint32_t children_at(const node_t *node, uint64_t span)
{
    uint64_t room = (node->hosts->count - 1 - node->distance) / span;

    return room < node->base - 1 ? (uint32_t) room : node->base - 1;
}

static uint32_t children_of(const node_t *node)
{
    uint32_t children = 0;

    for (uint64_t span = span_of(node) / node->base; 0 < span; span /= node->base) {
        children += children_at(node, span);
    }
    return children;
}

/* Child `number` of a host: those with the largest subtrees come first. */
static node_t child_of(const node_t *node, uint32_t number)
{
    uint64_t span = span_of(node) / node->base;
    node_t child = *node;

    while (number >= children_at(node, span)) {
        number -= children_at(node, span);
        span /= node->base;
    }
    child.distance += (number + 1) * (uint32_t) span;
    return child;
}

/* The parent of a host other than the root's, and as which child that has it. */
static node_t parent_of(const node_t *node, uint32_t *number)
{
    uint64_t own = span_of(node);
    uint32_t digit = (uint32_t) (node->distance / own % node->base);
    node_t parent = *node;

    parent.distance -= digit * (uint32_t) own;
    *number = digit - 1;
    for (uint64_t span = span_of(&parent) / node->base; span > own; span /= node->base) {
        *number += children_at(&parent, span);
    }
    return parent;
}

/* ---- what a rank does ---- */

static uint32_t append(mca_coll_pschedule_hop_t *hop, uint32_t count, int32_t rank)
{
    hop[count] = (mca_coll_pschedule_hop_t) {.rank = rank};
    return count + 1;
}

/* The leaders that an endpoint tells. */
static uint32_t list_hosts(const node_t *node, uint32_t number, mca_coll_pschedule_hop_t *hop,
                           uint32_t count)
{
    uint32_t children = children_of(node);

    for (uint32_t i = number; i < children; i += ranks_of(node)) {
        node_t child = child_of(node, i);

        count = append(hop, count, endpoint(&child, 0));
    }
    return count;
}

/* Whom a leader tells: first the endpoints that have others to tell, last those that have none. */
static uint32_t list_all(const node_t *node, mca_coll_pschedule_hop_t *hop)
{
    uint32_t on = ranks_of(node), children = children_of(node);
    uint32_t count = 0;

    for (uint32_t i = 1; i < on && i < children; ++i) {
        count = append(hop, count, endpoint(node, i));
    }
    count = list_hosts(node, 0, hop, count);
    for (uint32_t i = 1; i < on; ++i) {
        count = i < children ? count : append(hop, count, endpoint(node, i));
    }
    return count;
}

/* Who tells an endpoint other than the root. */
static int32_t teller(const node_t *node, uint32_t number)
{
    uint32_t as;
    node_t parent;

    if (0 < number) {
        return endpoint(node, 0);
    }
    parent = parent_of(node, &as);
    return endpoint(&parent, as % ranks_of(&parent));
}

static void build_rank(mca_coll_pschedule_plan_t *plan,
                       const mca_coll_pschedule_problem_t *problem, const node_t *node,
                       mca_coll_pschedule_hop_t *hop)
{
    bool root = problem->rank == problem->root;
    uint32_t number = number_of(node, problem->rank);
    uint32_t count = 0 == number ? list_all(node, hop) : list_hosts(node, number, hop, 0);
    mca_coll_pschedule_flow_t flow
        = mca_coll_pschedule_flow(plan, problem, problem->contribution[0],
                                  root ? &problem->send[0] : NULL, root ? NULL : &problem->recv[0]);

    if (root) {
        mca_coll_pschedule_flow_leave(&flow, hop, count);
    } else {
        mca_coll_pschedule_hop_t from = {.rank = teller(node, number)};

        mca_coll_pschedule_flow_pass(&flow, from, hop, count);
    }
}

void mca_coll_pschedule_endpoints_build(mca_coll_pschedule_plan_t *plan,
                                        const mca_coll_pschedule_problem_t *problem,
                                        uint32_t children)
{
    const hosts_t *hosts = problem->hosts;
    node_t node = node_of(problem, children,
                          mca_coll_pschedule_host_distance(hosts, hosts->host[problem->root],
                                                           hosts->host[problem->rank]));
    mca_coll_pschedule_hop_t *hop = calloc((size_t) hosts->most + hosts->count, sizeof(*hop));

    if (NULL == hop) {
        plan->fault = mca_coll_pschedule_no_memory;
        return;
    }
    build_rank(plan, problem, &node, hop);
    free(hop);
}

/* ---- costs ---- */

/* Rounds until all ranks of a host have the message, and which of them are within hosts. */
static uint32_t rounds_to(node_t node, uint32_t *local)
{
    uint32_t rounds = *local = ranks_of(&node) > 1;

    while (0 != node.distance) {
        uint32_t as;

        node = parent_of(&node, &as);
        as = 0 != as % ranks_of(&node);
        *local += as;
        rounds += 1 + as;
    }
    return rounds;
}

mca_coll_pschedule_cost_t
mca_coll_pschedule_endpoints_cost(const mca_coll_pschedule_problem_t *problem, uint32_t children)
{
    mca_coll_pschedule_cost_t cost = {0};
    uint64_t peers = 0, hosts = 0;

    for (uint32_t i = 0; i < problem->hosts->count; ++i) {
        node_t node = node_of(problem, children, i);
        uint64_t on = ranks_of(&node), told = children_of(&node);
        uint64_t leader = on - 1 + (told + on - 1) / on;
        uint32_t local, rounds = rounds_to(node, &local);

        hosts = told > hosts ? told : hosts;
        peers = leader > peers ? leader : peers;
        if (rounds > cost.rounds) {
            cost.rounds = rounds;
            cost.local = local;
        }
    }
    cost.bytes = peers * problem->common_bytes;
    cost.hosts = hosts * problem->common_bytes;
    cost.serving = mca_coll_pschedule_star_rounds((int32_t) peers + 1);
    return cost;
}
