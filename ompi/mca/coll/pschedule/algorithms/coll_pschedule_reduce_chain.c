/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce along a chain of ranks, from the last position to position 0 (coll_pschedule_rooted.h), in
 * a pipeline of short chunks: all ranks receive, reduce and send at the same time.
 *
 * A partial result covers all positions behind on the chain; a rank puts its own contribution in
 * from the left, in the slot where the partial result came in, and sends it on from there.
 * Contributions are only read.
 *
 * No deadlock: the use of chunk n of a partition waits for chunk n one position behind, and its
 * leaving for the slot of chunk n-4 one position ahead.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_order.h"
#include "patterns/coll_pschedule_rooted.h"

static void build_chunk(const mca_coll_pschedule_rooted_t *at, mca_coll_pschedule_slots_t *slots,
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
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_rooted_t at = mca_coll_pschedule_rooted(plan, problem);
    bool takes_slots = at.position + 1 < (uint32_t) problem->size
                       && !(at.direct && 0 == at.position);

    mca_coll_pschedule_rooted_build(&at, mca_coll_pschedule_pipeline_chunk(problem),
                                    takes_slots ? 1 : 0, build_chunk);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_pipeline_cost(problem, (uint64_t) problem->size - 1);
    mca_coll_pschedule_rooted_cost(problem, cost);
    cost->hosts = problem->ordered ? 0 : mca_coll_pschedule_around(problem, cost->bytes);
    if (problem->ordered && 0 < problem->root && problem->root + 1 < problem->size) {
        cost->bytes += problem->common_bytes; /* the root receives twice */
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_chain = {
    .collective = COLL_PSCHEDULE_REDUCE,
    .last = COLL_PSCHEDULE_REDUCE,
    .name = "chain",
    .description = "pipeline of chunks from rank to rank, ending at the root; for much data",
    .memory = "four chunks per partition; none at the root unless it works in place",
    .limits = 0,
    .build = build,
    .cost = cost};
