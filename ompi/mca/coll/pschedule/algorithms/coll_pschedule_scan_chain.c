/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scan and exscan along the chain of ranks, in a pipeline of short chunks: rank r gets the prefix
 * x[0] op ... op x[r-1], and sends that with its own contribution to rank r+1. Rank order is kept.
 *
 *   scan, in place       the prefix comes into a slot, is put into the contribution from the left
 *   scan, out of place   the same with a copy of the contribution; when the operator commutes, the
 *                        prefix comes right into the receive buffer, and takes the contribution up
 *   exscan, out of place the prefix comes right into the receive buffer and is the result; what is
 *                        sent on is made in a slot, from a copy of the contribution
 *   exscan, in place     the prefix comes into a slot; what is sent on is made in the receive
 *                        buffer, which gets the prefix when that has left
 *
 * Where some ranks work in place, prefixes come into slots on all: a rank that does not copies its
 * contribution to the receive buffer, and goes on as if it did.
 *
 * No deadlock: chunk n of a partition waits for chunk n of the rank before, and for a slot of chunk
 * n-4, which waits for lower chunks of the ranks behind only.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_reduction.h"

typedef struct chain_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_slots_t *slots; /* of the partition that is built */
} chain_t;

typedef mca_coll_pschedule_bit_t bit_t;

/* The prefix comes into slots; the same on all ranks. */
static bool takes_slots(const mca_coll_pschedule_problem_t *problem)
{
    return problem->common_in_place || (!mca_coll_pschedule_excludes(problem) && problem->ordered);
}

static bool is_last(const chain_t *chain)
{
    return chain->problem->rank + 1 == chain->problem->size;
}

static mca_coll_pschedule_partial_t take(const chain_t *chain, const bit_t *bit)
{
    return mca_coll_pschedule_slots_take(chain->slots, bit->index, !takes_slots(chain->problem),
                                         bit->target, chain->problem->rank - 1,
                                         mca_coll_pschedule_bit_key(bit, 0), bit->range.bytes);
}

static mca_coll_pschedule_node_t pass(const chain_t *chain, const bit_t *bit,
                                      mca_coll_pschedule_partial_t sum)
{
    if (is_last(chain)) {
        return COLL_PSCHEDULE_NONE;
    }
    return mca_coll_pschedule_slots_send(chain->plan,
                                         takes_slots(chain->problem) ? bit->index : 0,
                                         chain->problem->rank + 1,
                                         mca_coll_pschedule_bit_key(bit, 0), sum,
                                         bit->range.bytes);
}

/* ---- scan ---- */

/* The contribution in the receive buffer, where it may be changed. */
static mca_coll_pschedule_partial_t own_in_target(const chain_t *chain, const bit_t *bit)
{
    if (chain->problem->in_place) {
        return bit->own;
    }
    return (mca_coll_pschedule_partial_t) {
        .place = bit->target,
        .node = mca_coll_pschedule_plan_copy(chain->plan, bit->own.place, bit->target,
                                             bit->range.bytes, bit->own.node)};
}

static void build_scan(const chain_t *chain, const bit_t *bit)
{
    mca_coll_pschedule_partial_t sum = bit->own;

    if (0 < chain->problem->rank && takes_slots(chain->problem)) {
        sum = mca_coll_pschedule_join(chain->plan, take(chain, bit), own_in_target(chain, bit),
                                      bit->range.bytes);
        mca_coll_pschedule_slots_used(chain->slots, bit->index, sum.node, COLL_PSCHEDULE_NONE);
    } else if (0 < chain->problem->rank) {
        sum = mca_coll_pschedule_join(chain->plan, sum, take(chain, bit), bit->range.bytes);
    }
    (void) pass(chain, bit, sum);
    (void) mca_coll_pschedule_settle(chain->plan, sum, bit->target, bit->range.bytes,
                                     bit->partition);
}

/* ---- exscan ---- */

static void build_exscan(const chain_t *chain, const bit_t *bit)
{
    mca_coll_pschedule_partial_t prefix = take(chain, bit);
    mca_coll_pschedule_partial_t sum;

    if (!is_last(chain)) {
        sum = mca_coll_pschedule_slots_copy(chain->slots, bit->index, bit->own, bit->range.bytes);
        sum = mca_coll_pschedule_join(chain->plan, prefix, sum, bit->range.bytes);
        mca_coll_pschedule_slots_used(chain->slots, bit->index, pass(chain, bit, sum),
                                      COLL_PSCHEDULE_NONE);
    }
    (void) mca_coll_pschedule_settle(chain->plan, prefix, bit->target, bit->range.bytes,
                                     bit->partition);
}

static void build_exscan_by_slots(const chain_t *chain, const bit_t *bit)
{
    mca_coll_pschedule_partial_t prefix = take(chain, bit);
    mca_coll_pschedule_node_t settled, left = bit->own.node;

    if (!is_last(chain)) {
        left = pass(chain, bit,
                    mca_coll_pschedule_join(chain->plan, prefix, own_in_target(chain, bit),
                                            bit->range.bytes));
    }
    settled = mca_coll_pschedule_settle(chain->plan, prefix, bit->target, bit->range.bytes,
                                        bit->partition);
    mca_coll_pschedule_plan_depend(chain->plan, settled, left);
    mca_coll_pschedule_slots_used(chain->slots, bit->index, settled, COLL_PSCHEDULE_NONE);
}

/* ---- both ---- */

static void build_chunk(void *at, mca_coll_pschedule_slots_t *slots, const bit_t *bit)
{
    chain_t *chain = at;

    chain->slots = slots;
    if (!mca_coll_pschedule_excludes(chain->problem)) {
        build_scan(chain, bit);
    } else if (0 == chain->problem->rank) { /* has no result */
        (void) pass(chain, bit, bit->own);
    } else if (takes_slots(chain->problem)) {
        build_exscan_by_slots(chain, bit);
    } else {
        build_exscan(chain, bit);
    }
}

static bool needs_slots(const chain_t *chain)
{
    const mca_coll_pschedule_problem_t *problem = chain->problem;

    return 0 < problem->rank
           && (takes_slots(problem) || (mca_coll_pschedule_excludes(problem) && !is_last(chain)));
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    chain_t chain = {.plan = plan, .problem = problem};

    mca_coll_pschedule_build_bits(plan, problem, mca_coll_pschedule_pipeline_chunk(problem),
                                  needs_slots(&chain), build_chunk, &chain);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_pipeline_cost(problem, (uint64_t) problem->size - 1);
    if (mca_coll_pschedule_excludes(problem) && 2 == problem->size) {
        cost->reduced = 0;
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_scan_chain = {
    .collective = COLL_PSCHEDULE_SCAN,
    .last = COLL_PSCHEDULE_EXSCAN,
    .name = "chain",
    .description = "pipeline of chunks from rank to rank; for much data",
    .memory = "four chunks per partition",
    .limits = 0,
    .build = build,
    .cost = cost};
