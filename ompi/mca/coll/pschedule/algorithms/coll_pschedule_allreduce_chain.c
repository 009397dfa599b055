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
 * Down they go as in reduce_chain.
 *
 * A result comes right into the receive buffer. It depends on the contribution, which has been used
 * for it: in place, it may overwrite that.
 *
 * No deadlock: going down, a chunk waits for the same chunk one rank behind, and for the slot of
 * the chunk four before, one rank ahead; going up, for the same chunk only.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_rooted.h"

/* A phase of keys: of results. */
enum { UP = COLL_PSCHEDULE_ROOTED_DELIVER + 1 };

static void build_chunk(const mca_coll_pschedule_rooted_t *at, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *bit)
{
    mca_coll_pschedule_node_t there = mca_coll_pschedule_rooted_chain(at, slots, bit);
    uint64_t key = mca_coll_pschedule_bit_key(bit, UP);
    int32_t rank = at->problem->rank;

    if (0 < rank) {
        there = mca_coll_pschedule_deliver(at->plan, rank - 1, key, bit->target, bit->range.bytes,
                                           bit->partition);
    }
    if (rank + 1 < at->problem->size) {
        (void) mca_coll_pschedule_plan_send(at->plan, rank + 1, key, bit->target, bit->range.bytes,
                                            there);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_problem_t to_first = *problem;

    to_first.root = 0;
    to_first.ordered = true; /* positions are ranks */
    mca_coll_pschedule_rooted_build_chain(plan, &to_first, build_chunk);
}

/* Ranks inside of the chain send and receive all twice, from both sides. */
static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_pipeline_cost(problem, 2 * ((uint64_t) problem->size - 1));
    cost->messages = mca_coll_pschedule_allreduce_messages(problem, 0, 2, 1);
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
