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
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_reduction.h"

/* Phases of keys. */
enum { DOWN, UP };

typedef struct chain_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_slots_t *slots; /* of the partition that is built */
} chain_t;

typedef mca_coll_pschedule_bit_t bit_t;

static bool is_last(const chain_t *chain)
{
    return chain->problem->rank + 1 == chain->problem->size;
}

/* Does what a rank gets from above come right into its receive buffer? */
static bool is_direct(const chain_t *chain, int32_t rank)
{
    return 0 == rank && !chain->problem->common_in_place;
}

static mca_coll_pschedule_partial_t take(const chain_t *chain, const bit_t *bit)
{
    return mca_coll_pschedule_slots_take(
        chain->slots, bit->index, is_direct(chain, chain->problem->rank), bit->target,
        chain->problem->rank + 1, mca_coll_pschedule_bit_key(bit, DOWN), bit->range.bytes);
}

/* The partial result goes down, the result comes back. Returns the node after which it is there. */
static mca_coll_pschedule_node_t pass_down(const chain_t *chain, const bit_t *bit,
                                           mca_coll_pschedule_partial_t sum)
{
    int32_t peer = chain->problem->rank - 1;
    mca_coll_pschedule_partial_t result;
    mca_coll_pschedule_node_t gone = mca_coll_pschedule_slots_send(
        chain->plan, is_direct(chain, peer) ? 0 : bit->index, peer,
        mca_coll_pschedule_bit_key(bit, DOWN), sum, bit->range.bytes);

    mca_coll_pschedule_slots_used(chain->slots, bit->index, gone, COLL_PSCHEDULE_NONE);
    result = mca_coll_pschedule_receive_at(chain->plan, peer, mca_coll_pschedule_bit_key(bit, UP),
                                           bit->target, bit->range.bytes);
    return mca_coll_pschedule_settle(chain->plan, result, bit->target, bit->range.bytes,
                                     bit->partition);
}

static void build_chunk(void *at, mca_coll_pschedule_slots_t *slots, const bit_t *bit)
{
    chain_t *chain = at;
    mca_coll_pschedule_partial_t sum = bit->own;
    mca_coll_pschedule_node_t settled;

    chain->slots = slots;
    if (!is_last(chain)) {
        sum = mca_coll_pschedule_join(chain->plan, sum, take(chain, bit), bit->range.bytes);
    }
    if (0 < chain->problem->rank) {
        settled = pass_down(chain, bit, sum);
    } else {
        settled = mca_coll_pschedule_settle(chain->plan, sum, bit->target, bit->range.bytes,
                                            bit->partition);
        mca_coll_pschedule_slots_used(chain->slots, bit->index, settled, COLL_PSCHEDULE_NONE);
    }
    if (!is_last(chain)) {
        (void) mca_coll_pschedule_plan_send(chain->plan, chain->problem->rank + 1,
                                            mca_coll_pschedule_bit_key(bit, UP), bit->target,
                                            bit->range.bytes, settled);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    chain_t chain = {.plan = plan, .problem = problem};
    bool slots = !is_last(&chain) && !is_direct(&chain, problem->rank);

    mca_coll_pschedule_build_bits(plan, problem, mca_coll_pschedule_pipeline_chunk(problem), slots,
                                  build_chunk, &chain);
}

/* Ranks inside of the chain send and receive all twice, from both sides. */
static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_pipeline_cost(problem, 2 * ((uint64_t) problem->size - 1));
    if (2 < problem->size) {
        cost->bytes += problem->common_bytes;
        cost->crowded = problem->common_bytes;
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
