/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce along lanes (plan/coll_pschedule_hosts.h), in any placement. A partition is cut in one
 * part per lane. The rank of a lane on a host, its owner there,
 *
 *   LOCAL    adds up what all ranks of the host contribute to the part (coll_pschedule_host_sum.h),
 *   REDUCE   puts it into the partial sum that comes along a chain of hosts towards the root's,
 *   DELIVER  and on the root's host gives the sum to the root.
 *
 * So every host sends the vector once, from all its ranks, and the root's host receives it once.
 * Chunks do not wait for phases: one that has been added up leaves at once.
 *
 * Memory: partial sums come into slots of the lane and partition. Where the owner on the root's
 * host is the root, they come into the receive buffer, unless the root works in place. What is
 * delivered comes right there: it has the root's contribution in, which may have been there.
 *
 * No deadlock: a chunk waits for contributions to it, and for the same chunk on the host before,
 * and these for slots of earlier chunks of the same part, here or on the next host.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_host_sum.h"
#include "patterns/coll_pschedule_tree.h"

/* Phases of keys. */
enum { LOCAL, REDUCE, DELIVER };

typedef struct lane_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    const mca_coll_pschedule_hosts_t *hosts;
    uint32_t host;   /* of this rank */
    uint32_t to_go;  /* hosts from there to the root's, along the chain */
    uint32_t chunks; /* of the largest part */
    /* Of the lane and partition that is built: */
    uint32_t partition;
    uint32_t number;
    int32_t from, to; /* owners on the hosts before and behind on the chain */
    mca_coll_pschedule_partial_t own;
    mca_coll_pschedule_place_t target; /* on the root */
    mca_coll_pschedule_host_sum_t sum;
    mca_coll_pschedule_slots_t slots;
} lane_t;

/* A chunk of it. */
typedef struct bit_t {
    uint32_t index;
    mca_coll_pschedule_range_t range; /* within the partition */
} bit_t;

/* ---- arithmetic ---- */

/* The largest part of a partition. */
static uint64_t largest_part(const mca_coll_pschedule_problem_t *problem)
{
    return mca_coll_pschedule_largest_part(mca_coll_pschedule_common(problem),
                                           problem->hosts->most, problem->element);
}

static uint64_t slot_bytes(const mca_coll_pschedule_problem_t *problem)
{
    return mca_coll_pschedule_chunk_bound(problem, largest_part(problem));
}

static uint64_t key_of(const lane_t *lane, uint32_t phase, const bit_t *bit)
{
    uint32_t step = REDUCE == phase ? lane->hosts->count - lane->to_go : 0;

    return mca_coll_pschedule_key(phase, step, lane->partition,
                                  lane->number * lane->chunks + bit->index);
}

static bool is_root(const lane_t *lane)
{
    return lane->problem->rank == lane->problem->root;
}

/* Do partial sums come right into the receive buffer of a rank? */
static bool is_direct(const lane_t *lane, int32_t receiver)
{
    return receiver == lane->problem->root && !lane->problem->common_in_place;
}

static mca_coll_pschedule_place_t target(const lane_t *lane, const bit_t *bit)
{
    return mca_coll_pschedule_at(lane->target, bit->range.offset);
}

/* ---- the owner of a lane ---- */

/* The partial sum of the hosts before comes, and this host's is put in. */
static mca_coll_pschedule_partial_t join_before(lane_t *lane, const bit_t *bit,
                                                mca_coll_pschedule_partial_t here)
{
    uint64_t bytes = bit->range.bytes;
    uint64_t key = key_of(lane, REDUCE, bit) - mca_coll_pschedule_key(0, 1, 0, 0);
    mca_coll_pschedule_partial_t before = mca_coll_pschedule_slots_take(
        &lane->slots, bit->index, is_direct(lane, lane->problem->rank), target(lane, bit),
        lane->from, key, bytes);

    return mca_coll_pschedule_join(lane->plan, here, before, bytes);
}

/* It goes on to the next host, or is the result. */
static mca_coll_pschedule_node_t pass(const lane_t *lane, const bit_t *bit,
                                      mca_coll_pschedule_partial_t sum)
{
    const mca_coll_pschedule_problem_t *problem = lane->problem;
    uint64_t bytes = bit->range.bytes;

    if (0 < lane->to_go) {
        return mca_coll_pschedule_slots_send(lane->plan,
                                             is_direct(lane, lane->to) ? 0 : bit->index, lane->to,
                                             key_of(lane, REDUCE, bit), sum, bytes);
    }
    if (!is_root(lane)) {
        return mca_coll_pschedule_plan_send(lane->plan, problem->root, key_of(lane, DELIVER, bit),
                                            sum.place, bytes, sum.node);
    }
    return mca_coll_pschedule_settle(lane->plan, sum, target(lane, bit), bytes, lane->partition);
}

static void own_chunk(lane_t *lane, const bit_t *bit)
{
    mca_coll_pschedule_partial_t here = mca_coll_pschedule_host_sum_take(
        &lane->sum, mca_coll_pschedule_within(lane->own, bit->range), key_of(lane, LOCAL, bit),
        bit->range.bytes);

    if (lane->to_go + 1 == lane->hosts->count) { /* the chain begins here */
        mca_coll_pschedule_host_sum_used(&lane->sum, pass(lane, bit, here));
    } else {
        mca_coll_pschedule_partial_t sum = join_before(lane, bit, here);

        mca_coll_pschedule_host_sum_used(&lane->sum, sum.node);
        mca_coll_pschedule_slots_used(&lane->slots, bit->index, pass(lane, bit, sum),
                                      COLL_PSCHEDULE_NONE);
    }
}

/* ---- all ---- */

static void build_chunk(lane_t *lane, const bit_t *bit)
{
    if (lane->sum.owner == lane->problem->rank) {
        own_chunk(lane, bit);
        return;
    }
    (void) mca_coll_pschedule_host_sum_give(&lane->sum,
                                            mca_coll_pschedule_within(lane->own, bit->range),
                                            key_of(lane, LOCAL, bit), bit->range.bytes);
    if (is_root(lane)) {
        (void) mca_coll_pschedule_deliver(lane->plan, lane->sum.owner, key_of(lane, DELIVER, bit),
                                          target(lane, bit), bit->range.bytes, lane->partition);
    }
}

/* Who is where on a lane, and the slots of an owner. */
static void enter(lane_t *lane, uint32_t number)
{
    const mca_coll_pschedule_hosts_t *hosts = lane->hosts;
    uint32_t before = mca_coll_pschedule_host_after(hosts, lane->host, 1);
    uint32_t behind = mca_coll_pschedule_host_after(hosts, lane->host, hosts->count - 1);
    int32_t owner = mca_coll_pschedule_lane(hosts, lane->host, number);
    bool receives = owner == lane->problem->rank && lane->to_go + 1 < hosts->count;

    lane->number = number;
    lane->from = mca_coll_pschedule_lane(hosts, before, number);
    lane->to = mca_coll_pschedule_lane(hosts, behind, number);
    lane->sum = mca_coll_pschedule_host_sum(lane->plan, lane->problem, owner, lane->chunks,
                                            slot_bytes(lane->problem));
    lane->slots
        = mca_coll_pschedule_slots(lane->plan,
                                   receives && !is_direct(lane, owner) ? lane->chunks : 0,
                                   slot_bytes(lane->problem));
}

static void build_lane(lane_t *lane, uint32_t number)
{
    const mca_coll_pschedule_problem_t *problem = lane->problem;
    mca_coll_pschedule_range_t whole = {.bytes = mca_coll_pschedule_common(problem)};
    mca_coll_pschedule_range_t part
        = mca_coll_pschedule_part(whole, number, lane->hosts->most, problem->element);
    uint32_t chunks = mca_coll_pschedule_chunks(part.bytes, problem->chunk, problem->element);

    enter(lane, number);
    for (uint32_t i = 0; i < chunks; ++i) {
        bit_t bit = {.index = i,
                     .range = mca_coll_pschedule_part(part, i, chunks, problem->element)};

        build_chunk(lane, &bit);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    lane_t lane = {.plan = plan,
                   .problem = problem,
                   .hosts = hosts,
                   .host = hosts->host[problem->rank],
                   .chunks = mca_coll_pschedule_chunks(largest_part(problem), problem->chunk,
                                                       problem->element)};

    lane.to_go
        = mca_coll_pschedule_host_distance(hosts, hosts->host[problem->root], lane.host);
    for (lane.partition = 0; lane.partition < problem->common_partitions; ++lane.partition) {
        lane.own = mca_coll_pschedule_own(plan, problem, 0, lane.partition);
        if (is_root(&lane)) {
            lane.target = mca_coll_pschedule_target(problem, lane.partition);
        }
        for (uint32_t i = 0; i < hosts->most; ++i) {
            build_lane(&lane, i);
        }
    }
}

/* ---- costs ---- */

/* What a rank of a host does that owns most lanes there: `owned` of `lanes`. */
static void cost_on(const mca_coll_pschedule_problem_t *problem, uint32_t host,
                    mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t on = mca_coll_pschedule_hosts_on(hosts, host);
    uint32_t way = mca_coll_pschedule_host_distance(hosts, hosts->host[problem->root], host);
    uint64_t lanes = hosts->most;
    uint64_t owned = (lanes + on - 1) / on;
    uint64_t begins = way + 1 == hosts->count; /* with the chain */
    uint64_t joined = owned * (on - begins) * problem->common_bytes / lanes;
    uint64_t chunks
        = mca_coll_pschedule_chunks(largest_part(problem), problem->chunk, problem->element);
    uint64_t scratch = problem->common_partitions * owned
                       * (mca_coll_pschedule_host_sum_scratch(on, chunks, slot_bytes(problem))
                          + mca_coll_pschedule_slots_scratch(chunks, slot_bytes(problem)));

    cost->bytes = joined > cost->bytes ? joined : cost->bytes;
    cost->reduced = joined > cost->reduced ? joined : cost->reduced;
    cost->scratch = scratch > cost->scratch ? scratch : cost->scratch;
}

/* What comes to the root: on its lanes contributions and partial sums, on all others sums. */
static uint64_t root_bytes(const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint64_t on = mca_coll_pschedule_hosts_on(hosts, hosts->host[problem->root]);
    uint64_t lanes = hosts->most, index = hosts->index[problem->root];
    uint64_t owned = (lanes - index + on - 1) / on;

    return (owned * on + lanes - owned) * problem->common_bytes / lanes;
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint64_t fill = (hosts->count - 2) * slot_bytes(problem); /* hops until the first chunk comes */

    *cost = (mca_coll_pschedule_cost_t) {
        .local = 2 * mca_coll_pschedule_star_rounds((int32_t) hosts->most),
        .bytes = root_bytes(problem),
        .hosts = problem->common_bytes + fill};
    cost->rounds = cost->local + hosts->count - 1;
    for (uint32_t i = 0; i < hosts->count; ++i) {
        cost_on(problem, i, cost);
    }
    cost->bytes += fill;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_lanes = {
    .collective = COLL_PSCHEDULE_REDUCE,
    .last = COLL_PSCHEDULE_REDUCE,
    .name = "lanes",
    .description = "each host adds up, chains of hosts on all ranks to the root's; for much data",
    .memory = "two chunks per partition and neighbour, and four more, on its lanes",
    .limits = COLL_PSCHEDULE_COMMUTATIVE | COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
