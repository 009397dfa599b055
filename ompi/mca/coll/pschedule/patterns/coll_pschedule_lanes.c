/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Data along lanes (see coll_pschedule_lanes.h).
 */
#include "patterns/coll_pschedule_lanes.h"

#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_tree.h"

#include <stdlib.h>

typedef mca_coll_pschedule_lanes_t lanes_t;

/* The most hosts that a flow goes on to from one: doublings of 2^31 ranks. */
enum { MOST_NEXT = 31 };

/* What neighbours give a rank at the same time, by copying, crowds it so much less than what comes
 * from other hosts. */
enum { COPIES_PER_TRANSFER = 8 };

bool mca_coll_pschedule_lanes(lanes_t *lanes, mca_coll_pschedule_plan_t *plan,
                              const mca_coll_pschedule_problem_t *problem,
                              mca_coll_pschedule_route_t route)
{
    *lanes = (lanes_t) {.plan = plan,
                        .problem = problem,
                        .hosts = problem->hosts,
                        .route = route,
                        .host = problem->hosts->host[problem->rank]};
    lanes->hop = calloc((size_t) lanes->hosts->most + MOST_NEXT, sizeof(*lanes->hop));
    if (NULL == lanes->hop) {
        plan->fault = mca_coll_pschedule_no_memory;
    }
    return NULL != lanes->hop;
}

void mca_coll_pschedule_lanes_free(lanes_t *lanes)
{
    free(lanes->hop);
}

/* ---- ways ---- */

/* How far a flow comes to a distance of at least 1 from the beginning. */
static uint32_t last_hop(const lanes_t *lanes, uint32_t distance)
{
    return COLL_PSCHEDULE_ROUTE_RING == lanes->route ? 1 : mca_coll_pschedule_highest(distance);
}

uint32_t mca_coll_pschedule_lanes_before(const lanes_t *lanes, uint32_t distance)
{
    return mca_coll_pschedule_host_after(lanes->hosts, lanes->host,
                                         lanes->hosts->count - last_hop(lanes, distance));
}

static uint32_t append(lanes_t *lanes, uint32_t count, int32_t rank, uint32_t step,
                       const mca_coll_pschedule_node_t *together)
{
    lanes->hop[count]
        = (mca_coll_pschedule_hop_t) {.rank = rank, .step = step, .together = together};
    return count + 1;
}

/* Along the lane. */
static uint32_t list_hosts(lanes_t *lanes, uint32_t distance, uint32_t lane, uint32_t step)
{
    uint32_t hosts = lanes->hosts->count, count = 0;
    bool ring = COLL_PSCHEDULE_ROUTE_RING == lanes->route;
    uint32_t first = ring ? 1 : mca_coll_pschedule_onward(distance);

    for (uint32_t on = first; distance + on < hosts; on *= 2) {
        uint32_t to = mca_coll_pschedule_host_after(lanes->hosts, lanes->host, on);

        count = append(lanes, count, mca_coll_pschedule_lane(lanes->hosts, to, lane), step,
                       mca_coll_pschedule_together_next(&lanes->together, on));
        if (ring) {
            break;
        }
    }
    return count;
}

uint32_t mca_coll_pschedule_lanes_list(lanes_t *lanes, uint32_t distance, uint32_t lane,
                                       int32_t besides, uint32_t step)
{
    /* What other hosts wait for comes first. */
    uint32_t count = list_hosts(lanes, distance, lane, step);

    for (uint32_t i = lanes->hosts->first[lanes->host]; i < lanes->hosts->first[lanes->host + 1];
         ++i) {
        int32_t rank = lanes->hosts->rank[i];

        if (rank != lanes->problem->rank && rank != besides) {
            count = append(lanes, count, rank, step,
                           mca_coll_pschedule_together_all(&lanes->together));
        }
    }
    return count;
}

/* ---- allgather ---- */

/* The lane of a contribution. */
static uint32_t lane_of(const lanes_t *lanes, int32_t contributor)
{
    return COLL_PSCHEDULE_ROUTE_LEADERS == lanes->route ? 0 : lanes->hosts->index[contributor];
}

/* The rank by which a contribution enters this host, or leaves it if it is one of the host's. */
static int32_t gate(const lanes_t *lanes, int32_t contributor)
{
    return mca_coll_pschedule_lane(lanes->hosts, lanes->host, lane_of(lanes, contributor));
}

/* Of a flow that leaves a host at a distance: flows are in the order of contributors. Where each
 * rank is a host, those come first that have not come far. */
static uint32_t step_of(const lanes_t *lanes, int32_t contributor, uint32_t distance)
{
    return mca_coll_pschedule_is_flat(lanes->hosts) ? distance : lanes->hosts->ring[contributor];
}

static void keep_own(lanes_t *lanes)
{
    const mca_coll_pschedule_problem_t *problem = lanes->problem;
    int32_t rank = problem->rank;
    uint32_t step = step_of(lanes, rank, 0), count;
    int32_t leads = gate(lanes, rank);
    mca_coll_pschedule_flow_t flow = mca_coll_pschedule_flow(
        lanes->plan, problem, problem->contribution[rank], &problem->send[0], &problem->recv[rank]);

    count = leads == rank ? mca_coll_pschedule_lanes_list(lanes, 0, lane_of(lanes, rank),
                                                          COLL_PSCHEDULE_NOBODY, step)
                          : append(lanes, 0, leads, step, NULL);
    mca_coll_pschedule_flow_leave(&flow, lanes->hop, count);
    mca_coll_pschedule_flow_keep(&flow);
}

/* The contribution of another rank: from its contributor, from the rank before on its lane, or from
 * the one of this host that is on its lane. */
static void pass_on(lanes_t *lanes, int32_t contributor)
{
    const mca_coll_pschedule_problem_t *problem = lanes->problem;
    const mca_coll_pschedule_hosts_t *hosts = lanes->hosts;
    uint32_t lane = lane_of(lanes, contributor);
    uint32_t distance
        = mca_coll_pschedule_host_distance(hosts, hosts->host[contributor], lanes->host);
    uint32_t hop = 0 == distance ? 0 : last_hop(lanes, distance);
    mca_coll_pschedule_hop_t from = {.rank = gate(lanes, contributor),
                                     .step = step_of(lanes, contributor, distance - hop)};
    mca_coll_pschedule_flow_t flow
        = mca_coll_pschedule_flow(lanes->plan, problem, problem->contribution[contributor], NULL,
                                  &problem->recv[contributor]);
    uint32_t count = 0;

    if (from.rank == problem->rank) {
        from.rank = 0 == distance
                        ? contributor
                        : mca_coll_pschedule_lane(
                              hosts, mca_coll_pschedule_lanes_before(lanes, distance), lane);
        count = mca_coll_pschedule_lanes_list(lanes, distance, lane, from.rank,
                                              step_of(lanes, contributor, distance));
        flow.came = mca_coll_pschedule_together_came(&lanes->together, distance);
    }
    mca_coll_pschedule_flow_pass(&flow, from, lanes->hop, count);
}

void mca_coll_pschedule_lanes_allgather(mca_coll_pschedule_plan_t *plan,
                                        const mca_coll_pschedule_problem_t *problem,
                                        mca_coll_pschedule_route_t route)
{
    lanes_t lanes;

    if (!mca_coll_pschedule_lanes(&lanes, plan, problem, route)) {
        return;
    }
    if (COLL_PSCHEDULE_ROUTE_LEADERS == route && gate(&lanes, problem->rank) == problem->rank) {
        mca_coll_pschedule_together(&lanes.together, plan, problem, lanes.hosts->count);
    }
    keep_own(&lanes);
    for (uint32_t back = 0; back < lanes.hosts->count; ++back) {
        uint32_t host
            = mca_coll_pschedule_host_after(lanes.hosts, lanes.host, lanes.hosts->count - back);

        for (uint32_t i = lanes.hosts->first[host]; i < lanes.hosts->first[host + 1]; ++i) {
            if (lanes.hosts->rank[i] != problem->rank) {
                pass_on(&lanes, lanes.hosts->rank[i]);
            }
        }
    }
    mca_coll_pschedule_lanes_free(&lanes);
}

/* To how many hosts a flow goes on from a distance. */
static uint32_t branches(const mca_coll_pschedule_hosts_t *hosts, uint32_t distance,
                         mca_coll_pschedule_route_t route)
{
    return COLL_PSCHEDULE_ROUTE_RING == route
               ? distance + 1 < hosts->count
               : mca_coll_pschedule_branches(distance, hosts->count);
}

/* Contributions that a host sends to others, and those that its first rank, which is in most lanes,
 * sends to others and to its neighbours, and to its neighbours alone. */
static void count_sent(const mca_coll_pschedule_hosts_t *hosts, uint32_t host,
                       mca_coll_pschedule_route_t route, uint64_t *by_host, uint64_t *by_rank,
                       uint64_t *near)
{
    uint32_t on = mca_coll_pschedule_hosts_on(hosts, host);
    bool leads = COLL_PSCHEDULE_ROUTE_LEADERS == route;

    *by_host = *by_rank = *near = 0;
    for (uint32_t distance = 0; distance < hosts->count; ++distance) {
        uint32_t from = mca_coll_pschedule_host_after(hosts, host, hosts->count - distance);
        uint64_t flows = mca_coll_pschedule_hosts_on(hosts, from);
        uint64_t own = leads ? flows : (flows + on - 1) / on;
        uint32_t next = branches(hosts, distance, route);

        *by_host += flows * next;
        *by_rank += own * (next + on - 1);
        *near += own * (on - 1);
    }
    if (leads) { /* not back to those from whom they come */
        *by_rank -= on - 1;
        *near -= on - 1;
    }
}

mca_coll_pschedule_cost_t
mca_coll_pschedule_lanes_allgather_cost(const mca_coll_pschedule_problem_t *problem,
                                        mca_coll_pschedule_route_t route)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint64_t rank = (uint64_t) problem->size - 1; /* at least this comes to each */
    uint64_t host = (uint64_t) problem->size - hosts->fewest, near = 0, crowd;
    bool ring = COLL_PSCHEDULE_ROUTE_RING == route;
    bool leads = COLL_PSCHEDULE_ROUTE_LEADERS == route;
    uint64_t stages = ring ? hosts->count - 1
                           : mca_coll_pschedule_doublings((int32_t) hosts->count);

    for (uint32_t i = 0; i < hosts->count; ++i) {
        uint64_t by_host, by_rank, of_them;

        count_sent(hosts, i, route, &by_host, &by_rank, &of_them);
        host = by_host > host ? by_host : host;
        near = by_rank > rank ? of_them : near;
        rank = by_rank > rank ? by_rank : rank;
        if (hosts->fewest == hosts->most) {
            break; /* all alike */
        }
    }
    crowd = ring || hosts->count < 3 ? 0 : leads ? rank - near + near / COPIES_PER_TRANSFER : rank;
    return (mca_coll_pschedule_cost_t) {.rounds = stages + (leads ? 2 : 1),
                                       .local = leads ? 2 : 1,
                                       .bytes = rank * problem->common_bytes,
                                       .near = near * problem->common_bytes,
                                       .hosts = host * problem->common_bytes,
                                       .crowded = crowd * problem->common_bytes,
                                       .messages = leads ? stages : host,
                                       .serving = mca_coll_pschedule_copy_rounds(near)};
}
