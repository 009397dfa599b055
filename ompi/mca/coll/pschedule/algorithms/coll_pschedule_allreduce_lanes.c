/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce along lanes (plan/coll_pschedule_hosts.h), in any placement. A partition is cut in one
 * part per lane, a part in one block per host, a block in chunks. The rank of a lane on a host, its
 * owner there,
 *
 *   LOCAL    adds up what all ranks of the host contribute to the lane's part,
 *   REDUCE   sends partial sums of the hosts around the ring of owners (reduce scatter),
 *   GATHER   and the sums around once more (allgather),
 *   SPREAD   and gives the sums to the other ranks of its host.
 *
 *   step s of REDUCE: send block host-1-s to the next host, receive block host-2-s
 *   step s of GATHER: send block host-s,                    receive block host-1-s
 *
 * So V bytes cost a host 2(h-1)/h V in each direction, whichever ranks it has. Chunks do not wait
 * for phases: one that has been added up leaves at once.
 *
 * Memory: contributions of neighbours come into slots of the lane (coll_pschedule_host_sum.h).
 * With separate buffers, partial sums of other hosts land in the receive buffer, where the sum
 * overwrites them: that one can only come after it went through this rank. In place, that memory
 * still holds our contribution, so they land in slots, too. A contribution in place is overwritten
 * by the sum that has it in.
 *
 * Where each rank is a host (allreduce_ring), it adds what comes into such a slot to its
 * contribution, and needs no other memory.
 *
 * No deadlock: the chunks with the same number of all blocks come one after the other, in the order
 * of steps, and then those with the next number. That order is the same for all owners of a lane. A
 * chunk waits for contributions of neighbours, for slots of chunks before it, and for the chunk of
 * step s-1 on the host before, all of which come earlier in it. In place, it also waits for the
 * slot on the next host that was used eight transfers before: by a chunk of a smaller number, or of
 * a smaller step. (All chunks of one block after the other would not do: the slots of a long block
 * would be used up before the next host comes to the block that frees them. Where each rank is a
 * host, that is the order: its slots wait for nothing that comes later, and many chunks of a block
 * may be under way.)
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_host_sum.h"
#include "patterns/coll_pschedule_messages.h"

#include "plan/coll_pschedule_hosts.h"

/* Phases of keys. */
enum { LOCAL, REDUCE, GATHER, SPREAD };

typedef struct lane_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    const mca_coll_pschedule_hosts_t *hosts;
    uint32_t host;   /* of this rank */
    uint32_t pieces; /* chunks of a block, at most */
    /* Of the lane and partition that is built: */
    uint32_t partition;
    uint32_t number;
    int32_t owner, left, right; /* on this host, the one before, the one after */
    mca_coll_pschedule_range_t part;
    mca_coll_pschedule_partial_t own;
    mca_coll_pschedule_place_t target;
    mca_coll_pschedule_host_sum_t sum;
    mca_coll_pschedule_slots_t ring;
    uint32_t arrivals, departures; /* transfers to and from its slots */
} lane_t;

/* A chunk: `back` says how far before this host the one is whose block it belongs to. */
typedef struct piece_t {
    uint32_t back;
    uint32_t index;
    mca_coll_pschedule_range_t range; /* within the partition */
} piece_t;

/* ---- arithmetic ---- */

static mca_coll_pschedule_range_t block(const lane_t *lane, uint32_t back)
{
    uint32_t count = lane->hosts->count;

    return mca_coll_pschedule_part(lane->part, (lane->host + count - back % count) % count, count,
                                   lane->problem->element);
}

static uint32_t chunks(const lane_t *lane, uint32_t back)
{
    return mca_coll_pschedule_chunks(block(lane, back).bytes, lane->problem->chunk,
                                     lane->problem->element);
}

static piece_t piece(const lane_t *lane, uint32_t back, uint32_t index)
{
    return (piece_t) {.back = back,
                      .index = index,
                      .range = mca_coll_pschedule_part(block(lane, back), index, chunks(lane, back),
                                                       lane->problem->element)};
}

static uint64_t key(const lane_t *lane, uint32_t phase, uint32_t step, const piece_t *one)
{
    return mca_coll_pschedule_key(phase, step, lane->partition,
                                  lane->number * lane->pieces + one->index);
}

/* The largest block of a partition, over all lanes and hosts. */
static uint64_t largest_block(const mca_coll_pschedule_problem_t *problem)
{
    uint64_t part = mca_coll_pschedule_largest_part(mca_coll_pschedule_common(problem),
                                                    problem->hosts->most, problem->element);

    return mca_coll_pschedule_largest_part(part, problem->hosts->count, problem->element);
}

static uint64_t slot_bytes(const mca_coll_pschedule_problem_t *problem)
{
    return mca_coll_pschedule_chunk_bound(problem, largest_block(problem));
}

/* Of partial sums of other hosts, in place. Where each rank is a host, to add one to the
 * contribution frees the slot. */
static uint32_t ring_slots(const mca_coll_pschedule_hosts_t *hosts)
{
    return mca_coll_pschedule_is_flat(hosts) ? 2 : 8;
}

/* ---- the owner of a lane ---- */

/* The partial sum of the hosts before comes. */
static mca_coll_pschedule_partial_t take(lane_t *lane, const piece_t *one)
{
    uint64_t arrives = key(lane, REDUCE, one->back - 2, one);

    return mca_coll_pschedule_slots_take(&lane->ring, lane->arrivals,
                                         !lane->problem->common_in_place,
                                         mca_coll_pschedule_at(lane->target, one->range.offset),
                                         lane->left, arrives, one->range.bytes);
}

/* The sum is there, `step` hosts after it was complete: it goes on, and to the neighbours. */
static void give(const lane_t *lane, const piece_t *one, uint32_t step,
                 mca_coll_pschedule_node_t there)
{
    mca_coll_pschedule_place_t place = mca_coll_pschedule_at(lane->target, one->range.offset);

    if (step + 1 < lane->hosts->count) {
        (void) mca_coll_pschedule_plan_send(lane->plan, lane->right, key(lane, GATHER, step, one),
                                            place, one->range.bytes, there);
    }
    mca_coll_pschedule_host_sum_spread(&lane->sum, place, key(lane, SPREAD, step, one),
                                       one->range.bytes, there);
}

/* What is at a node has been put together here: it leaves, or is the sum. */
static mca_coll_pschedule_node_t pass(lane_t *lane, const piece_t *one,
                                      mca_coll_pschedule_partial_t sum)
{
    mca_coll_pschedule_place_t place = mca_coll_pschedule_at(lane->target, one->range.offset);
    mca_coll_pschedule_node_t there;

    if (one->back < lane->hosts->count) {
        uint32_t number = lane->problem->common_in_place ? lane->departures++ : 0;

        return mca_coll_pschedule_slots_send_many(lane->plan, ring_slots(lane->hosts), number,
                                                  lane->right,
                                                  key(lane, REDUCE, one->back - 1, one), sum,
                                                  one->range.bytes);
    }
    there = mca_coll_pschedule_settle(lane->plan, sum, place, one->range.bytes, lane->partition);
    give(lane, one, 0, there);
    return there;
}

static void reduce(lane_t *lane, const piece_t *one)
{
    mca_coll_pschedule_partial_t own = mca_coll_pschedule_within(lane->own, one->range);
    mca_coll_pschedule_partial_t sum = mca_coll_pschedule_host_sum_take(
        &lane->sum, own, key(lane, LOCAL, one->back, one), one->range.bytes);
    mca_coll_pschedule_node_t used;

    if (1 == one->back) {
        used = pass(lane, one, sum);
    } else {
        bool into_own = lane->problem->common_in_place && mca_coll_pschedule_is_flat(lane->hosts);
        mca_coll_pschedule_partial_t its = take(lane, one);
        mca_coll_pschedule_node_t gone;

        sum = mca_coll_pschedule_join(lane->plan, into_own ? its : sum, into_own ? sum : its,
                                      one->range.bytes);
        used = sum.node;
        gone = pass(lane, one, sum);
        if (lane->problem->common_in_place) {
            mca_coll_pschedule_slots_used(&lane->ring, lane->arrivals++, into_own ? used : gone,
                                          COLL_PSCHEDULE_NONE);
        }
    }
    mca_coll_pschedule_host_sum_used(&lane->sum, used);
}

static void gather(lane_t *lane, const piece_t *one)
{
    mca_coll_pschedule_place_t place = mca_coll_pschedule_at(lane->target, one->range.offset);
    uint64_t arrives = key(lane, GATHER, one->back - 1, one);

    give(lane, one, one->back,
         mca_coll_pschedule_deliver(lane->plan, lane->left, arrives, place, one->range.bytes,
                                    lane->partition));
}

/* ---- its neighbours ---- */

static void contribute(lane_t *lane, const piece_t *one)
{
    (void) mca_coll_pschedule_host_sum_give(&lane->sum,
                                            mca_coll_pschedule_within(lane->own, one->range),
                                            key(lane, LOCAL, one->back, one), one->range.bytes);
}

static void get(lane_t *lane, const piece_t *one)
{
    mca_coll_pschedule_place_t place = mca_coll_pschedule_at(lane->target, one->range.offset);

    (void) mca_coll_pschedule_deliver(lane->plan, lane->owner, key(lane, SPREAD, one->back, one),
                                      place, one->range.bytes, lane->partition);
}

/* ---- all ---- */

static void build_lane(lane_t *lane)
{
    bool owner = lane->owner == lane->problem->rank;
    bool flat = mca_coll_pschedule_is_flat(lane->hosts);
    uint32_t hosts = lane->hosts->count;

    for (uint64_t i = 0; i < (uint64_t) lane->pieces * hosts; ++i) {
        uint32_t index = (uint32_t) (flat ? i % lane->pieces : i / hosts);
        uint32_t back = 1 + (uint32_t) (flat ? i / lane->pieces : i % hosts);

        if (index < chunks(lane, back)) {
            piece_t one = piece(lane, back, index);

            (owner ? reduce : contribute)(lane, &one);
        }
    }
    for (uint32_t back = owner ? 1 : 0; back < hosts; ++back) {
        for (uint32_t i = 0; i < chunks(lane, back); ++i) {
            piece_t one = piece(lane, back, i);

            (owner ? gather : get)(lane, &one);
        }
    }
}

/* Slots for all transfers, none on ranks that own no lane. */
static void enter(lane_t *lane, uint32_t partition, uint32_t number)
{
    const mca_coll_pschedule_problem_t *problem = lane->problem;
    const mca_coll_pschedule_hosts_t *hosts = lane->hosts;
    mca_coll_pschedule_range_t whole = {.bytes = mca_coll_pschedule_common(problem)};
    uint32_t before = mca_coll_pschedule_host_after(hosts, lane->host, hosts->count - 1);
    uint32_t after = mca_coll_pschedule_host_after(hosts, lane->host, 1);
    bool owner;

    lane->partition = partition;
    lane->number = number;
    lane->owner = mca_coll_pschedule_lane(hosts, lane->host, number);
    lane->left = mca_coll_pschedule_lane(hosts, before, number);
    lane->right = mca_coll_pschedule_lane(hosts, after, number);
    lane->part = mca_coll_pschedule_part(whole, number, hosts->most, problem->element);
    lane->own = mca_coll_pschedule_own(lane->plan, problem, 0, partition);
    lane->target = mca_coll_pschedule_target(problem, partition);
    lane->arrivals = lane->departures = 0;
    owner = lane->owner == problem->rank;
    lane->sum = mca_coll_pschedule_host_sum(lane->plan, problem, lane->owner,
                                            (uint64_t) lane->pieces * hosts->count,
                                            slot_bytes(problem));
    lane->ring = mca_coll_pschedule_slots_many(
        lane->plan, ring_slots(hosts), owner && problem->common_in_place ? ring_slots(hosts) : 0,
        slot_bytes(problem));
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    lane_t lane = {.plan = plan, .problem = problem, .hosts = problem->hosts};

    lane.host = lane.hosts->host[problem->rank];
    lane.pieces
        = mca_coll_pschedule_chunks(largest_block(problem), problem->chunk, problem->element);
    for (uint32_t i = 0; i < problem->common_partitions; ++i) {
        for (uint32_t k = 0; k < lane.hosts->most; ++k) {
            enter(&lane, i, k);
            build_lane(&lane);
        }
    }
}

/* ---- costs ---- */

/* What a rank of a host does that owns most lanes there: `owned` of `lanes`. */
static void cost_on(const mca_coll_pschedule_problem_t *problem, uint32_t on,
                    mca_coll_pschedule_cost_t *cost)
{
    uint64_t lanes = problem->hosts->most, hosts = problem->hosts->count;
    uint64_t owned = (lanes + on - 1) / on, bytes = problem->common_bytes;
    uint64_t once = bytes - bytes / hosts; /* around the ring */
    uint64_t near = (owned * (on - 1) + lanes - owned) * bytes / lanes;
    uint64_t sent = owned * 2 * once / lanes + near;
    uint64_t reduced = owned * (once + (on - 1) * bytes) / lanes;
    uint64_t slot = slot_bytes(problem);
    uint64_t ring = problem->common_in_place
                        ? ring_slots(problem->hosts) * mca_coll_pschedule_padded(slot)
                        : 0;
    uint64_t scratch = problem->common_partitions * owned
                       * (ring + mca_coll_pschedule_host_sum_scratch(on, UINT32_MAX, slot));

    cost->near = sent > cost->bytes ? near : cost->near;
    cost->bytes = sent > cost->bytes ? sent : cost->bytes;
    cost->reduced = reduced > cost->reduced ? reduced : cost->reduced;
    cost->scratch = scratch > cost->scratch ? scratch : cost->scratch;
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint64_t bytes = problem->common_bytes;

    *cost = (mca_coll_pschedule_cost_t) {.rounds = 2 * (uint64_t) hosts->count,
                                         .local = 2,
                                         .hosts = 2 * (bytes - bytes / hosts->count)};
    cost->messages = mca_coll_pschedule_allreduce_messages(problem, 0, 2 * (hosts->count - 1),
                                                           hosts->most);
    for (uint32_t i = 0; i < hosts->count; ++i) {
        cost_on(problem, mca_coll_pschedule_hosts_on(hosts, i), cost);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_lanes = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "lanes",
    .description = "each host adds up, rings of hosts on all its ranks; for large partitions",
    .memory = "two chunks per partition and neighbour, in place eight more",
    .limits = COLL_PSCHEDULE_COMMUTATIVE | COLL_PSCHEDULE_NESTED | COLL_PSCHEDULE_STEPS,
    .build = build,
    .cost = cost};
