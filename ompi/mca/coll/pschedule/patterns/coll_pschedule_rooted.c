/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What reductions to a root have in common (see coll_pschedule_rooted.h).
 */
#include "patterns/coll_pschedule_rooted.h"

#include "patterns/coll_pschedule_order.h"

/* The root is not the last to reduce. */
static bool delivers(const mca_coll_pschedule_problem_t *problem)
{
    return problem->ordered && 0 != problem->root;
}

mca_coll_pschedule_rooted_t
mca_coll_pschedule_rooted(mca_coll_pschedule_plan_t *plan,
                          const mca_coll_pschedule_problem_t *problem)
{
    /* Of a reduction to a root, only the root can work in place. */
    return (mca_coll_pschedule_rooted_t) {
        .plan = plan,
        .problem = problem,
        .positions = (uint32_t) problem->size,
        .position = problem->ordered ? (uint32_t) problem->rank
                                     : mca_coll_pschedule_chain_position(problem),
        .direct = !delivers(problem) && !problem->common_in_place};
}

mca_coll_pschedule_rooted_t
mca_coll_pschedule_rooted_hosts(mca_coll_pschedule_plan_t *plan,
                                const mca_coll_pschedule_problem_t *problem, uint32_t lane)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t first = problem->ordered ? 0 : hosts->host[problem->root];

    return (mca_coll_pschedule_rooted_t) {
        .plan = plan,
        .problem = problem,
        .positions = hosts->count,
        .position
        = mca_coll_pschedule_host_distance(hosts, first, hosts->host[problem->rank]),
        .by_host = true,
        .lane = problem->ordered ? 0 : lane,
        .direct = !delivers(problem) && !problem->common_in_place};
}

static int32_t leader(const mca_coll_pschedule_rooted_t *at, uint32_t position)
{
    const mca_coll_pschedule_problem_t *problem = at->problem;
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t first = problem->ordered ? 0 : hosts->host[problem->root];

    if (0 == position && !problem->ordered) {
        return problem->root;
    }
    return mca_coll_pschedule_lane(hosts, mca_coll_pschedule_host_after(hosts, first, position),
                                   at->lane);
}

int32_t mca_coll_pschedule_rooted_rank(const mca_coll_pschedule_rooted_t *at, uint32_t position)
{
    if (at->by_host) {
        return leader(at, position);
    }
    return at->problem->ordered ? (int32_t) position
                                : mca_coll_pschedule_chain_rank(at->problem, position);
}

mca_coll_pschedule_partial_t mca_coll_pschedule_rooted_join(const mca_coll_pschedule_rooted_t *at,
                                                            mca_coll_pschedule_partial_t mine,
                                                            mca_coll_pschedule_partial_t its,
                                                            uint64_t bytes)
{
    bool into_mine = at->problem->in_place && 0 == at->position && !at->problem->ordered;

    return mca_coll_pschedule_join(at->plan, into_mine ? its : mine, into_mine ? mine : its,
                                   bytes);
}

mca_coll_pschedule_node_t mca_coll_pschedule_rooted_end(const mca_coll_pschedule_rooted_t *at,
                                                        mca_coll_pschedule_partial_t sum,
                                                        const mca_coll_pschedule_bit_t *bit)
{
    uint64_t key = mca_coll_pschedule_bit_key(bit, COLL_PSCHEDULE_ROOTED_DELIVER);

    if (delivers(at->problem)) {
        return mca_coll_pschedule_plan_send(at->plan, at->problem->root, key, sum.place,
                                            bit->range.bytes, sum.node);
    }
    return mca_coll_pschedule_settle(at->plan, sum, bit->target, bit->range.bytes,
                                     bit->partition);
}

/* The result comes from rank 0. */
static void receive_delivery(const mca_coll_pschedule_rooted_t *at,
                             const mca_coll_pschedule_bit_t *bit)
{
    uint64_t key = mca_coll_pschedule_bit_key(bit, COLL_PSCHEDULE_ROOTED_DELIVER);

    (void) mca_coll_pschedule_deliver(at->plan, 0, key, bit->target, bit->range.bytes,
                                      bit->partition);
}

static void build_bit(void *of, mca_coll_pschedule_slots_t *slots,
                      const mca_coll_pschedule_bit_t *bit)
{
    const mca_coll_pschedule_rooted_t *at = of;

    at->build(at, slots, bit);
    if (delivers(at->problem) && at->problem->rank == at->problem->root) {
        receive_delivery(at, bit);
    }
}

void mca_coll_pschedule_rooted_build(mca_coll_pschedule_rooted_t *at, uint64_t limit,
                                     uint32_t transfers, mca_coll_pschedule_rooted_build_t *build)
{
    at->build = build;
    mca_coll_pschedule_build_bits(at->plan, at->problem, limit, transfers, build_bit, at);
}

/* ---- along a chain ---- */

mca_coll_pschedule_node_t mca_coll_pschedule_rooted_chain(const mca_coll_pschedule_rooted_t *at,
                                                          mca_coll_pschedule_slots_t *slots,
                                                          const mca_coll_pschedule_bit_t *bit)
{
    uint64_t key = mca_coll_pschedule_bit_key(bit, COLL_PSCHEDULE_ROOTED_REDUCE);
    mca_coll_pschedule_partial_t sum = bit->own;
    mca_coll_pschedule_node_t gone;
    uint64_t bytes = bit->range.bytes;

    if (at->position + 1 < (uint32_t) at->problem->size) {
        int32_t peer = mca_coll_pschedule_rooted_rank(at, at->position + 1);
        bool direct = at->direct && 0 == at->position;
        mca_coll_pschedule_partial_t its =
            mca_coll_pschedule_slots_take(slots, bit->index, direct, bit->target, peer, key, bytes);

        sum = mca_coll_pschedule_rooted_join(at, sum, its, bytes);
    }
    if (0 == at->position) {
        gone = mca_coll_pschedule_rooted_end(at, sum, bit);
    } else {
        uint32_t number = at->direct && 1 == at->position ? 0 : bit->index;
        int32_t peer = mca_coll_pschedule_rooted_rank(at, at->position - 1);

        gone = mca_coll_pschedule_slots_send(at->plan, number, peer, key, sum, bytes);
    }
    mca_coll_pschedule_slots_used(slots, bit->index, gone, COLL_PSCHEDULE_NONE);
    return gone;
}

void mca_coll_pschedule_rooted_build_chain(mca_coll_pschedule_plan_t *plan,
                                           const mca_coll_pschedule_problem_t *problem,
                                           mca_coll_pschedule_rooted_build_t *build)
{
    mca_coll_pschedule_rooted_t at = mca_coll_pschedule_rooted(plan, problem);
    bool takes_slots = at.position + 1 < at.positions && !(at.direct && 0 == at.position);

    mca_coll_pschedule_rooted_build(&at, mca_coll_pschedule_pipeline_chunk(problem),
                                    takes_slots ? 1 : 0, build);
}

/* ---- costs ---- */

void mca_coll_pschedule_rooted_cost(const mca_coll_pschedule_problem_t *problem,
                                    mca_coll_pschedule_cost_t *cost)
{
    if (delivers(problem) && 1 < problem->size) {
        ++cost->rounds;
    }
}
