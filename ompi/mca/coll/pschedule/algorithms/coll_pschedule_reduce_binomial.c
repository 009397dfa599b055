/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce up a binomial tree (coll_pschedule_rooted.h): position p takes from p+1, p+2, p+4 ... as
 * long as these bits of p are 0, then sends to p without its lowest bit.
 *
 *   0 <- 1     2 <- 3     4 <- 5     6 <- 7
 *   0 <------- 2          4 <------- 6
 *   0 <--------------------4
 *
 * Child number k covers positions p+2^k to p+2^(k+1)-1, which follow those that were added up
 * before: so the partial result moves to where it came in, and the place of the last one is free.
 * Contributions are only read (but that of a root in place may take up all, if the order is free).
 *
 * All children use the same slots: child k of chunk n is transfer number n * children + k. It stays
 * in its slot until the next child has come. No deadlock: number m waits for numbers up to m+1, and
 * for the same chunk at higher positions.
 */
#include "algorithms/coll_pschedule_rooted.h"
#include "algorithms/coll_pschedule_tree.h"

static uint32_t children(uint32_t position, uint32_t size)
{
    uint32_t count = 0;

    while (count < 31 && 0 == (position & UINT32_C(1) << count)
           && (UINT32_C(1) << count) < size - position) {
        ++count;
    }
    return count;
}

/* Transfers to the slots of a position, per chunk: the last one may be direct. */
static uint32_t slotted(const mca_coll_pschedule_rooted_t *at, uint32_t position)
{
    uint32_t count = children(position, (uint32_t) at->problem->size);

    return at->direct && 0 == position && 0 < count ? count - 1 : count;
}

/* The number of a transfer at its receiver; what is direct is not granted. */
static uint32_t number_of(const mca_coll_pschedule_rooted_t *at, uint32_t position, uint32_t child,
                          uint32_t chunk)
{
    return child < slotted(at, position) ? chunk * slotted(at, position) + child : 0;
}

static mca_coll_pschedule_partial_t take_children(const mca_coll_pschedule_rooted_t *at,
                                                  mca_coll_pschedule_slots_t *slots,
                                                  const mca_coll_pschedule_bit_t *bit,
                                                  uint64_t key)
{
    mca_coll_pschedule_partial_t sum = bit->own;

    for (uint32_t k = 0; k < children(at->position, (uint32_t) at->problem->size); ++k) {
        int32_t peer = mca_coll_pschedule_rooted_rank(at, at->position + (UINT32_C(1) << k));
        uint32_t number = number_of(at, at->position, k, bit->index);
        bool slot = k < slotted(at, at->position);
        mca_coll_pschedule_partial_t its
            = slot ? mca_coll_pschedule_slots_receive(slots, number, peer, key, bit->range.bytes)
                   : mca_coll_pschedule_receive_at(at->plan, peer, key, bit->target,
                                                   bit->range.bytes);

        sum = mca_coll_pschedule_rooted_join(at, sum, its, bit->range.bytes);
        if (0 < k) {
            mca_coll_pschedule_slots_used(slots, number_of(at, at->position, k - 1, bit->index),
                                          sum.node, COLL_PSCHEDULE_NONE);
        }
    }
    return sum;
}

static void build_chunk(const mca_coll_pschedule_rooted_t *at, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *bit)
{
    uint64_t key = mca_coll_pschedule_bit_key(bit, COLL_PSCHEDULE_ROOTED_REDUCE);
    uint32_t count = slotted(at, at->position);
    mca_coll_pschedule_partial_t sum = take_children(at, slots, bit, key);
    mca_coll_pschedule_node_t gone;

    if (0 == at->position) {
        gone = mca_coll_pschedule_rooted_end(at, sum, bit);
    } else {
        uint32_t low = mca_coll_pschedule_lowest(at->position);
        uint32_t parent = at->position - low;
        uint32_t child = 0;

        while (UINT32_C(1) << child < low) {
            ++child;
        }
        gone = mca_coll_pschedule_slots_send(at->plan, number_of(at, parent, child, bit->index),
                                             mca_coll_pschedule_rooted_rank(at, parent), key, sum,
                                             bit->range.bytes);
    }
    if (0 < count) {
        mca_coll_pschedule_slots_used(slots, number_of(at, at->position, count - 1, bit->index),
                                      gone, COLL_PSCHEDULE_NONE);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_rooted_t at = mca_coll_pschedule_rooted(plan, problem);

    mca_coll_pschedule_rooted_build(&at, problem->chunk, slotted(&at, at.position), build_chunk);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t rounds = mca_coll_pschedule_doublings(problem->size);
    uint64_t partition = mca_coll_pschedule_common(problem);
    uint64_t chunks = mca_coll_pschedule_chunks(partition, problem->chunk, problem->element);
    uint64_t chunk = mca_coll_pschedule_largest(partition, problem->chunk, problem->element);

    *cost = (mca_coll_pschedule_cost_t) {
        .rounds = rounds,
        .bytes = rounds * problem->common_bytes,
        .reduced = rounds * problem->common_bytes,
        .scratch = problem->common_partitions
                   * mca_coll_pschedule_slots_scratch(rounds * chunks, chunk),
        .crowded = 1 < rounds ? rounds * problem->common_bytes : 0};
    mca_coll_pschedule_rooted_cost(problem, cost);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_binomial = {
    .collective = COLL_PSCHEDULE_REDUCE,
    .last = COLL_PSCHEDULE_REDUCE,
    .name = "binomial",
    .description = "up a binomial tree; for small partitions",
    .memory = "four chunks per partition",
    .limits = 0,
    .build = build,
    .cost = cost};
