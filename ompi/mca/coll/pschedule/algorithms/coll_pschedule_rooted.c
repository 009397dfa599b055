/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What reductions to a root have in common (see coll_pschedule_rooted.h).
 */
#include "algorithms/coll_pschedule_rooted.h"

#include "algorithms/coll_pschedule_tree.h"

/* The root is not the last to reduce. */
static bool delivers(const mca_coll_pschedule_problem_t *problem)
{
    return problem->ordered && 0 != problem->root;
}

mca_coll_pschedule_rooted_t
mca_coll_pschedule_rooted(mca_coll_pschedule_plan_t *plan,
                          const mca_coll_pschedule_problem_t *problem)
{
    int32_t root = problem->ordered ? 0 : problem->root;

    /* Of a reduction to a root, only the root can work in place. */
    return (mca_coll_pschedule_rooted_t) {
        .plan = plan,
        .problem = problem,
        .position = mca_coll_pschedule_position(problem, problem->rank, root),
        .direct = !delivers(problem) && !problem->common_in_place};
}

int32_t mca_coll_pschedule_rooted_rank(const mca_coll_pschedule_rooted_t *at, uint32_t position)
{
    return mca_coll_pschedule_after(at->problem, at->problem->ordered ? 0 : at->problem->root,
                                    position);
}

mca_coll_pschedule_partial_t mca_coll_pschedule_rooted_own(const mca_coll_pschedule_rooted_t *at,
                                                           const mca_coll_pschedule_bit_t *bit)
{
    return mca_coll_pschedule_within(
        mca_coll_pschedule_own(at->plan, at->problem, 0, bit->partition), bit->range);
}

static mca_coll_pschedule_place_t target(const mca_coll_pschedule_rooted_t *at,
                                         const mca_coll_pschedule_bit_t *bit)
{
    return mca_coll_pschedule_at(mca_coll_pschedule_target(at->problem, bit->partition),
                                 bit->range.offset);
}

mca_coll_pschedule_partial_t mca_coll_pschedule_rooted_last(const mca_coll_pschedule_rooted_t *at,
                                                            const mca_coll_pschedule_bit_t *bit,
                                                            int32_t peer, uint64_t key)
{
    mca_coll_pschedule_partial_t last = {.place = target(at, bit)};

    last.node = mca_coll_pschedule_plan_receive(at->plan, peer, key, last.place, bit->range.bytes);
    return last;
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
    uint64_t key = mca_coll_pschedule_key(COLL_PSCHEDULE_ROOTED_DELIVER, 0, bit->partition,
                                          bit->index);

    if (delivers(at->problem)) {
        return mca_coll_pschedule_plan_send(at->plan, at->problem->root, key, sum.place,
                                            bit->range.bytes, sum.node);
    }
    return mca_coll_pschedule_settle(at->plan, sum, target(at, bit), bit->range.bytes,
                                     bit->partition);
}

/* The result comes from rank 0. */
static void receive_delivery(const mca_coll_pschedule_rooted_t *at,
                             const mca_coll_pschedule_bit_t *bit)
{
    uint64_t key = mca_coll_pschedule_key(COLL_PSCHEDULE_ROOTED_DELIVER, 0, bit->partition,
                                          bit->index);
    mca_coll_pschedule_node_t arrive = mca_coll_pschedule_plan_receive(
        at->plan, 0, key, target(at, bit), bit->range.bytes);

    mca_coll_pschedule_plan_depend(
        at->plan, mca_coll_pschedule_plan_result(at->plan, bit->partition), arrive);
}

void mca_coll_pschedule_rooted_build(
    const mca_coll_pschedule_rooted_t *at, uint64_t limit, uint32_t transfers,
    void (*build)(const mca_coll_pschedule_rooted_t *at, mca_coll_pschedule_slots_t *slots,
                  const mca_coll_pschedule_bit_t *bit))
{
    const mca_coll_pschedule_problem_t *problem = at->problem;
    mca_coll_pschedule_range_t whole = {.bytes = mca_coll_pschedule_common(problem)};
    uint32_t count = mca_coll_pschedule_chunks(whole.bytes, limit, problem->element);

    for (uint32_t i = 0; i < problem->common_partitions; ++i) {
        mca_coll_pschedule_slots_t slots = mca_coll_pschedule_slots(
            at->plan, (uint64_t) transfers * count,
            mca_coll_pschedule_largest(whole.bytes, limit, problem->element));

        for (uint32_t k = 0; k < count; ++k) {
            mca_coll_pschedule_bit_t bit = {
                .partition = i,
                .index = k,
                .range = mca_coll_pschedule_part(whole, k, count, problem->element)};

            build(at, &slots, &bit);
            if (delivers(problem) && problem->rank == problem->root) {
                receive_delivery(at, &bit);
            }
        }
    }
}

void mca_coll_pschedule_rooted_cost(const mca_coll_pschedule_problem_t *problem,
                                    mca_coll_pschedule_cost_t *cost)
{
    if (delivers(problem) && 1 < problem->size) {
        ++cost->rounds;
    }
}
