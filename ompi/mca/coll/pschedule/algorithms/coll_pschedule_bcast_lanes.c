/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast along lanes: the root gives its pieces to its neighbours in turns; each of them sends
 * what it got along its lane, around the ring of hosts, and to the other ranks of its host. So the
 * message enters every host once, and all ranks of a host carry it.
 *
 *   piece i of root 0; hosts 0 1 2 3 | 4 5 6 7 | 8 9 10 11:
 *     i % 3 == 0   0 -> 1 -> 5 -> 9     1 -> 2, 3    5 -> 4, 6, 7    9 -> 8, 10, 11
 *     i % 3 == 1   0 -> 2 -> 6 -> 10    ...
 *     i % 3 == 2   0 -> 3 -> 7 -> 11
 *
 * A root that is alone on its host is on all lanes of it.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_lanes.h"
#include "patterns/coll_pschedule_reduction.h"

/* Pieces take turns on as many lanes as the root has neighbours. */
static uint32_t lane_of(const mca_coll_pschedule_lanes_t *lanes, uint32_t piece)
{
    uint32_t root_host = lanes->hosts->host[lanes->problem->root];
    uint32_t on = mca_coll_pschedule_hosts_on(lanes->hosts, root_host);

    return piece % (1 == on ? lanes->hosts->most : on - 1);
}

/* The rank of a lane on a host; on the root's the root is left out. */
static int32_t carrier(const mca_coll_pschedule_lanes_t *lanes, uint32_t host, uint32_t lane)
{
    const mca_coll_pschedule_hosts_t *hosts = lanes->hosts;
    int32_t root = lanes->problem->root;

    if (host != hosts->host[root] || 1 == mca_coll_pschedule_hosts_on(hosts, host)) {
        return mca_coll_pschedule_lane(hosts, host, lane);
    }
    return mca_coll_pschedule_hosts_rank(hosts, host, lane + (lane >= hosts->index[root]));
}

static void leave(mca_coll_pschedule_lanes_t *lanes, const mca_coll_pschedule_flow_t *flow,
                  uint32_t piece)
{
    uint32_t lane = lane_of(lanes, piece);
    mca_coll_pschedule_hop_t first = {.rank = carrier(lanes, lanes->host, lane)};
    uint32_t count;

    if (first.rank != lanes->problem->root) {
        mca_coll_pschedule_flow_leave_piece(flow, piece, &first, 1);
        return;
    }
    count = mca_coll_pschedule_lanes_list(lanes, 0, lane, COLL_PSCHEDULE_NOBODY, 0);
    mca_coll_pschedule_flow_leave_piece(flow, piece, lanes->hop, count);
}

static void pass(mca_coll_pschedule_lanes_t *lanes, const mca_coll_pschedule_flow_t *flow,
                 uint32_t piece)
{
    const mca_coll_pschedule_hosts_t *hosts = lanes->hosts;
    int32_t root = lanes->problem->root, rank = lanes->problem->rank;
    uint32_t lane = lane_of(lanes, piece), count = 0;
    uint32_t distance = mca_coll_pschedule_host_distance(hosts, hosts->host[root], lanes->host);
    int32_t entrance = carrier(lanes, lanes->host, lane);
    mca_coll_pschedule_hop_t from = {.rank = entrance};

    if (rank == entrance) {
        from.rank = 0 == distance ? root
                                  : carrier(lanes, mca_coll_pschedule_lanes_before(lanes, distance),
                                            lane);
        count = mca_coll_pschedule_lanes_list(lanes, distance, lane, root, 0);
    }
    mca_coll_pschedule_flow_pass_piece(flow, piece, from, lanes->hop, count);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    bool root = problem->rank == problem->root;
    mca_coll_pschedule_flow_t flow
        = mca_coll_pschedule_flow(plan, problem, problem->contribution[0],
                                  root ? &problem->send[0] : NULL, root ? NULL : &problem->recv[0]);
    mca_coll_pschedule_lanes_t lanes;

    if (!mca_coll_pschedule_lanes(&lanes, plan, problem, COLL_PSCHEDULE_ROUTE_RING)) {
        return;
    }
    flow.limit = mca_coll_pschedule_pipeline_chunk(problem);
    for (uint32_t i = 0; i < mca_coll_pschedule_flow_pieces(&flow); ++i) {
        (root ? leave : pass)(&lanes, &flow, i);
    }
    mca_coll_pschedule_lanes_free(&lanes);
}

/* To how many ranks the carrier of a piece sends it, on a host at a distance from the root's. */
static uint32_t copies(const mca_coll_pschedule_hosts_t *hosts, uint32_t host, uint32_t distance)
{
    uint32_t on = mca_coll_pschedule_hosts_on(hosts, host);
    uint32_t neighbors = 0 == distance && 1 < on ? on - 2 : on - 1;

    return neighbors + (distance + 1 < hosts->count);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint64_t partition = problem->common_bytes / problem->common_partitions;
    uint64_t limit = mca_coll_pschedule_pipeline_chunk(problem);
    uint64_t piece = mca_coll_pschedule_largest(partition, limit, 1);
    uint32_t on = mca_coll_pschedule_hosts_on(hosts, hosts->host[problem->root]);
    uint32_t lanes = 1 == on ? hosts->most : on - 1;
    uint64_t pieces = (uint64_t) problem->common_partitions
                      * mca_coll_pschedule_chunks(partition, limit, 1);
    uint64_t most = pieces;

    for (uint32_t i = 0; i < hosts->count; ++i) {
        uint32_t here = mca_coll_pschedule_hosts_on(hosts, i);
        uint32_t distance
            = mca_coll_pschedule_host_distance(hosts, hosts->host[problem->root], i);
        uint64_t carried = (pieces + lanes - 1) / lanes * ((lanes + here - 1) / here);
        uint64_t sent = (carried < pieces ? carried : pieces) * copies(hosts, i, distance);

        most = sent > most ? sent : most;
    }
    *cost = (mca_coll_pschedule_cost_t) {.rounds = hosts->count - 1 + (1 == on ? 0 : 1) + 1,
                                         .local = 1 == on ? 1 : 2,
                                         .bytes = most * piece,
                                         .hosts = problem->common_bytes
                                                  + (hosts->count - 2) * piece};
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_bcast_lanes = {
    .collective = COLL_PSCHEDULE_BCAST,
    .last = COLL_PSCHEDULE_BCAST,
    .name = "lanes",
    .description = "pieces along all ranks of a host to the next host, and to the others there",
    .memory = "none",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
