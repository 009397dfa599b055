/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce along the chain of ranks and back, in a pipeline of short chunks: partial results go
 * from rank N-1 down to rank 0, results from rank 0 up to rank N-1. Links carry both at the same
 * time. Rank order is kept; of all that keep it, this moves the fewest bytes.
 *
 *   N-1 -> ... -> 2 -> 1 -> 0        x[r] op ... op x[N-1], made on rank r
 *   N-1 <- ... <- 2 <- 1 <- 0        results
 *
 * A partial result comes into a slot; the own contribution is put in from the left, and it leaves
 * from there. On rank 0, out of place, it comes right into the receive buffer (direct); in place it
 * is copied there from its slot. Contributions are only read.
 *
 * A result comes right into the receive buffer. It depends on the contribution, which has been used
 * for it: in place, it may overwrite that.
 *
 * No deadlock: going down, a chunk waits for the same chunk one rank behind, and for the slot of
 * the chunk four before, one rank ahead; going up, for the same chunk only.
 */
#include "algorithms/coll_pschedule_reduction.h"

/* Phases of keys. */
enum { DOWN, UP };

typedef struct chain_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_slots_t slots; /* of the partition that is built */
} chain_t;

typedef struct bit_t {
    uint32_t partition;
    uint32_t index;
    mca_coll_pschedule_range_t range; /* within the partition */
    mca_coll_pschedule_partial_t own;
    mca_coll_pschedule_place_t target;
} bit_t;

static bool is_last(const chain_t *chain)
{
    return chain->problem->rank + 1 == chain->problem->size;
}

/* Does what a rank gets from above come right into its receive buffer? */
static bool is_direct(const chain_t *chain, int32_t rank)
{
    return 0 == rank && !chain->problem->common_in_place;
}

static uint64_t key_of(const bit_t *bit, uint32_t phase)
{
    return mca_coll_pschedule_key(phase, 0, bit->partition, bit->index);
}

static mca_coll_pschedule_partial_t take(chain_t *chain, const bit_t *bit)
{
    int32_t peer = chain->problem->rank + 1;
    mca_coll_pschedule_partial_t its = {.place = bit->target};

    if (!is_direct(chain, chain->problem->rank)) {
        return mca_coll_pschedule_slots_receive(&chain->slots, bit->index, peer,
                                                key_of(bit, DOWN), bit->range.bytes);
    }
    its.node = mca_coll_pschedule_plan_receive(chain->plan, peer, key_of(bit, DOWN), its.place,
                                               bit->range.bytes);
    return its;
}

/* The partial result goes down, the result comes back. Returns the node after which it is there. */
static mca_coll_pschedule_node_t pass_down(chain_t *chain, const bit_t *bit,
                                           mca_coll_pschedule_partial_t sum)
{
    int32_t peer = chain->problem->rank - 1;
    mca_coll_pschedule_partial_t result = {.place = bit->target};
    mca_coll_pschedule_node_t gone = mca_coll_pschedule_slots_send(
        chain->plan, is_direct(chain, peer) ? 0 : bit->index, peer, key_of(bit, DOWN), sum,
        bit->range.bytes);

    mca_coll_pschedule_slots_used(&chain->slots, bit->index, gone, COLL_PSCHEDULE_NONE);
    result.node = mca_coll_pschedule_plan_receive(chain->plan, peer, key_of(bit, UP),
                                                  result.place, bit->range.bytes);
    return mca_coll_pschedule_settle(chain->plan, result, bit->target, bit->range.bytes,
                                     bit->partition);
}

static void build_chunk(chain_t *chain, const bit_t *bit)
{
    mca_coll_pschedule_partial_t sum = bit->own;
    mca_coll_pschedule_node_t settled;

    if (!is_last(chain)) {
        sum = mca_coll_pschedule_join(chain->plan, sum, take(chain, bit), bit->range.bytes);
    }
    if (0 < chain->problem->rank) {
        settled = pass_down(chain, bit, sum);
    } else {
        settled = mca_coll_pschedule_settle(chain->plan, sum, bit->target, bit->range.bytes,
                                            bit->partition);
        mca_coll_pschedule_slots_used(&chain->slots, bit->index, settled, COLL_PSCHEDULE_NONE);
    }
    if (!is_last(chain)) {
        (void) mca_coll_pschedule_plan_send(chain->plan, chain->problem->rank + 1,
                                            key_of(bit, UP), bit->target, bit->range.bytes,
                                            settled);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    chain_t chain = {.plan = plan, .problem = problem};
    uint64_t limit = mca_coll_pschedule_pipeline_chunk(problem);
    mca_coll_pschedule_range_t whole = {.bytes = mca_coll_pschedule_common(problem)};
    uint32_t chunks = mca_coll_pschedule_chunks(whole.bytes, limit, problem->element);
    bool slots = !is_last(&chain) && !is_direct(&chain, problem->rank);

    for (uint32_t i = 0; i < problem->common_partitions; ++i) {
        mca_coll_pschedule_partial_t own = mca_coll_pschedule_own(plan, problem, 0, i);

        chain.slots = mca_coll_pschedule_slots(
            plan, slots ? chunks : 0,
            mca_coll_pschedule_largest(whole.bytes, limit, problem->element));
        for (uint32_t k = 0; k < chunks; ++k) {
            bit_t bit = {.partition = i,
                         .index = k,
                         .range = mca_coll_pschedule_part(whole, k, chunks, problem->element),
                         .own = own,
                         .target = mca_coll_pschedule_target(problem, i)};

            bit.own.place = mca_coll_pschedule_at(own.place, bit.range.offset);
            bit.target = mca_coll_pschedule_at(bit.target, bit.range.offset);
            build_chunk(&chain, &bit);
        }
    }
}

/* Ranks inside of the chain send and receive all twice; the last one has all when the first chunk
 * has come down and up again, and the others behind it. */
static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t hops = (uint64_t) problem->size - 1;
    uint64_t chunk = mca_coll_pschedule_largest(mca_coll_pschedule_common(problem),
                                                mca_coll_pschedule_pipeline_chunk(problem),
                                                problem->element);

    *cost = (mca_coll_pschedule_cost_t) {.rounds = 2 * hops};
    if (0 < hops) {
        cost->bytes = problem->common_bytes * (1 < hops ? 2 : 1) + (2 * hops - 1) * chunk;
        cost->reduced = problem->common_bytes;
        cost->scratch = mca_coll_pschedule_pipeline_scratch(problem);
        cost->crowded = 1 < hops ? problem->common_bytes : 0; /* from both sides */
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_chain = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "chain",
    .description = "down the chain of ranks and back in short chunks; for much data; keeps order",
    .memory = "four chunks per partition",
    .limits = 0,
    .build = build,
    .cost = cost};
