/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce by recursive doubling: in level k, ranks whose numbers differ in bit k exchange what
 * they have, and both have the result of twice as many ranks. Numbers are for powers of two of
 * ranks; others are folded, by neighbours (coll_pschedule_folded.h): "stage 0" of a rank that takes
 * part for two is that it gets the contribution of the other.
 *
 * Every partial result covers ranks that follow each other, and of two partners one covers those
 * before the other's. So rank order is kept, and both calculate the same: lower op upper, with the
 * same operands, bit by bit. The partner with the upper half puts what comes in into its own from
 * the left; for the other, the result is where the upper half came in, and its own place is free.
 *
 * The contribution cannot be put into, unless it is in place: the first time that would be needed
 * it is copied to the receive buffer. Where the first thing that a rank does is to take an upper
 * half, that comes right into the receive buffer (direct), unless the operation is in place.
 *
 * Each stage has slots of its own, as a partial result may stay in one until the end. What is sent
 * changes only when it has left. The result that a folded rank gets depends on its contribution: it
 * may overwrite it, in place.
 *
 * No deadlock: stage k of chunk n waits for stages below k of chunk n, and for the slot of chunk
 * n-4, that is, for any stage of lower chunks.
 */
#include "algorithms/coll_pschedule_folded.h"
#include "algorithms/coll_pschedule_reduction.h"

enum { STAGES = 32 };

/* Phases of keys. */
enum { FOLD, EXCHANGE, UNFOLD };

typedef struct doubling_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_folded_t folded;
    uint32_t rank;
    mca_coll_pschedule_slots_t slots[STAGES]; /* of the partition that is built */
} doubling_t;

/* A chunk on its way through the stages. */
typedef struct bit_t {
    uint32_t partition;
    uint32_t index;
    mca_coll_pschedule_range_t range; /* within the partition */
    mca_coll_pschedule_partial_t sum; /* what this rank has */
    uint32_t stage;                   /* whose slot that is in, or STAGES */
    bool fixed;                       /* that is the contribution, which must not change */
    mca_coll_pschedule_node_t sent;   /* what left the receive buffer last, before the sum moved */
    mca_coll_pschedule_place_t target;
} bit_t;

static uint64_t key_of(const bit_t *bit, uint32_t phase, uint32_t level)
{
    return mca_coll_pschedule_key(phase, level, bit->partition, bit->index);
}

/* The rank that a rank exchanges with in a level. */
static uint32_t partner(const doubling_t *at, uint32_t rank, uint32_t level)
{
    uint32_t number = mca_coll_pschedule_folded_number(&at->folded, rank);

    return mca_coll_pschedule_folded_rank(&at->folded, number ^ UINT32_C(1) << level);
}

/* Does what a rank gets in a level come right into its receive buffer? */
static bool is_direct(const doubling_t *at, uint32_t rank, uint32_t level)
{
    return 0 == level && !at->problem->common_in_place
           && !mca_coll_pschedule_folded_takes(&at->folded, rank) && rank < partner(at, rank, 0);
}

static mca_coll_pschedule_partial_t take(doubling_t *at, const bit_t *bit, uint32_t stage,
                                         uint32_t peer, uint64_t key, bool direct)
{
    return direct ? mca_coll_pschedule_receive_at(at->plan, (int32_t) peer, key, bit->target,
                                                  bit->range.bytes)
                  : mca_coll_pschedule_slots_receive(&at->slots[stage], bit->index, (int32_t) peer,
                                                     key, bit->range.bytes);
}

/* The sum is not in its slot any more (when `first` and `second` are done). */
static void release(doubling_t *at, const bit_t *bit, mca_coll_pschedule_node_t first,
                    mca_coll_pschedule_node_t second)
{
    if (STAGES != bit->stage) {
        mca_coll_pschedule_slots_used(&at->slots[bit->stage], bit->index, first, second);
    }
}

/* What came in covers the ranks behind: it becomes the sum. */
static void join_upper(doubling_t *at, bit_t *bit, uint32_t stage, bool direct,
                       mca_coll_pschedule_partial_t its, mca_coll_pschedule_node_t sent)
{
    its = mca_coll_pschedule_join(at->plan, bit->sum, its, bit->range.bytes);
    release(at, bit, its.node, sent);
    bit->sent = STAGES == bit->stage ? sent : bit->sent;
    bit->sum = its;
    bit->stage = direct ? STAGES : stage;
    bit->fixed = false;
}

/* It covers the ranks before: it is put into the sum. */
static void join_lower(doubling_t *at, bit_t *bit, uint32_t stage,
                       mca_coll_pschedule_partial_t its, mca_coll_pschedule_node_t sent)
{
    if (bit->fixed) {
        bit->sum.node = mca_coll_pschedule_plan_copy(at->plan, bit->sum.place, bit->target,
                                                     bit->range.bytes, bit->sum.node);
        bit->sum.place = bit->target;
        bit->fixed = false;
        sent = COLL_PSCHEDULE_NONE; /* that was the contribution */
    }
    bit->sum = mca_coll_pschedule_join(at->plan, its, bit->sum, bit->range.bytes);
    mca_coll_pschedule_plan_depend(at->plan, bit->sum.node, sent);
    mca_coll_pschedule_slots_used(&at->slots[stage], bit->index, bit->sum.node,
                                  COLL_PSCHEDULE_NONE);
}

static void exchange(doubling_t *at, bit_t *bit, uint32_t level)
{
    uint32_t peer = partner(at, at->rank, level);
    uint64_t key = key_of(bit, EXCHANGE, level);
    bool direct = is_direct(at, at->rank, level);
    mca_coll_pschedule_node_t sent = mca_coll_pschedule_slots_send(
        at->plan, is_direct(at, peer, level) ? 0 : bit->index, (int32_t) peer, key, bit->sum,
        bit->range.bytes);
    mca_coll_pschedule_partial_t its = take(at, bit, level + 1, peer, key, direct);

    if (at->rank < peer) {
        join_upper(at, bit, level + 1, direct, its, sent);
    } else {
        join_lower(at, bit, level + 1, its, sent);
    }
}

/* ---- a folded rank, and the one that takes part for it ---- */

static void give(doubling_t *at, const bit_t *bit)
{
    uint32_t number = at->problem->common_in_place ? bit->index : 0;
    int32_t peer = at->problem->rank - 1;
    mca_coll_pschedule_partial_t result;

    (void) mca_coll_pschedule_slots_send(at->plan, number, peer, key_of(bit, FOLD, 0), bit->sum,
                                         bit->range.bytes);
    result = mca_coll_pschedule_receive_at(at->plan, peer, key_of(bit, UNFOLD, 0), bit->target,
                                           bit->range.bytes);
    (void) mca_coll_pschedule_settle(at->plan, result, bit->target, bit->range.bytes,
                                     bit->partition);
}

static void take_part(doubling_t *at, bit_t *bit)
{
    bool two = mca_coll_pschedule_folded_takes(&at->folded, at->rank);
    bool direct = !at->problem->common_in_place;
    mca_coll_pschedule_node_t settled;

    if (two) {
        mca_coll_pschedule_partial_t its
            = take(at, bit, 0, at->rank + 1, key_of(bit, FOLD, 0), direct);

        join_upper(at, bit, 0, direct, its, COLL_PSCHEDULE_NONE);
    }
    for (uint32_t level = 0; level < at->folded.levels; ++level) {
        exchange(at, bit, level);
    }
    settled = mca_coll_pschedule_settle(at->plan, bit->sum, bit->target, bit->range.bytes,
                                        bit->partition);
    mca_coll_pschedule_plan_depend(at->plan, settled, bit->sent);
    release(at, bit, settled, COLL_PSCHEDULE_NONE);
    if (two) {
        (void) mca_coll_pschedule_plan_send(at->plan, at->problem->rank + 1,
                                            key_of(bit, UNFOLD, 0), bit->target, bit->range.bytes,
                                            settled);
    }
}

/* ---- all ---- */

static void make_slots(doubling_t *at)
{
    const mca_coll_pschedule_problem_t *problem = at->problem;
    uint64_t partition = mca_coll_pschedule_common(problem);
    uint32_t chunks = mca_coll_pschedule_chunks(partition, problem->chunk, problem->element);
    uint64_t largest = mca_coll_pschedule_largest(partition, problem->chunk, problem->element);

    if (mca_coll_pschedule_folded_takes(&at->folded, at->rank) && problem->common_in_place) {
        at->slots[0] = mca_coll_pschedule_slots(at->plan, chunks, largest);
    }
    for (uint32_t i = 0; i < at->folded.levels; ++i) {
        at->slots[i + 1] = mca_coll_pschedule_slots(
            at->plan, is_direct(at, at->rank, i) ? 0 : chunks, largest);
    }
}

static void build_chunk(void *of, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *chunk)
{
    doubling_t *at = of;
    bool gives = mca_coll_pschedule_folded_gives(&at->folded, at->rank);
    bit_t bit = {.partition = chunk->partition,
                 .index = chunk->index,
                 .range = chunk->range,
                 .sum = chunk->own,
                 .stage = STAGES,
                 .fixed = !at->problem->in_place,
                 .sent = COLL_PSCHEDULE_NONE,
                 .target = chunk->target};

    (void) slots; /* there are none: every stage has its own */
    if (gives) {
        give(at, &bit);
        return;
    }
    if (0 == bit.index) {
        make_slots(at);
    }
    take_part(at, &bit);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    doubling_t at = {.plan = plan,
                     .problem = problem,
                     .folded = mca_coll_pschedule_folded(problem->size),
                     .rank = (uint32_t) problem->rank};

    mca_coll_pschedule_build_bits(plan, problem, problem->chunk, 0, build_chunk, &at);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    mca_coll_pschedule_folded_t folded = mca_coll_pschedule_folded(problem->size);
    uint64_t partition = mca_coll_pschedule_common(problem);
    uint64_t chunks = mca_coll_pschedule_chunks(partition, problem->chunk, problem->element);
    uint64_t chunk = mca_coll_pschedule_largest(partition, problem->chunk, problem->element);
    uint64_t stages = folded.levels + (0 < folded.extra);

    *cost = (mca_coll_pschedule_cost_t) {
        .rounds = folded.levels + (0 < folded.extra ? 2 : 0),
        .bytes = stages * problem->common_bytes,
        .reduced = stages * problem->common_bytes,
        .scratch = problem->common_partitions * stages
                   * mca_coll_pschedule_slots_scratch(chunks, chunk)};
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_recursive_doubling = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "recursive_doubling",
    .description = "exchange with ranks at doubling distances; for small partitions; keeps order",
    .memory = "four chunks per partition and level",
    .limits = 0,
    .build = build,
    .cost = cost};
