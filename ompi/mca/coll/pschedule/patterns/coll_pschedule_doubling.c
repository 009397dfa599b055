/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Recursive doubling (see coll_pschedule_doubling.h).
 */
#include "patterns/coll_pschedule_doubling.h"

typedef mca_coll_pschedule_doubling_t doubling_t;

/* Phases of keys. */
enum { FOLD, EXCHANGE, UNFOLD };

/* A chunk on its way through the stages. */
typedef struct bit_t {
    uint32_t partition;
    uint32_t index;
    mca_coll_pschedule_range_t range; /* within the partition */
    mca_coll_pschedule_partial_t sum; /* what this member has */
    mca_coll_pschedule_slots_t *in;   /* the slots that it is in, or NULL */
    uint32_t number;                  /* and the number of the transfer to the slot */
    mca_coll_pschedule_node_t sent;   /* what left the receive buffer last, before the sum moved */
    mca_coll_pschedule_place_t target;
} bit_t;

static uint64_t key_of(const bit_t *bit, uint32_t phase, uint32_t level)
{
    return mca_coll_pschedule_key(phase, level, bit->partition, bit->index);
}

static int32_t rank_of(const doubling_t *at, uint32_t member)
{
    return mca_coll_pschedule_lane(at->problem->hosts, member, at->lane);
}

/* The member that a member exchanges with in a level. */
static uint32_t partner(const doubling_t *at, uint32_t member, uint32_t level)
{
    uint32_t number = mca_coll_pschedule_folded_number(&at->folded, member);

    return mca_coll_pschedule_folded_rank(&at->folded, number ^ UINT32_C(1) << level);
}

/* Does what a member gets in a level come right into its receive buffer? */
static bool is_direct(const doubling_t *at, uint32_t member, uint32_t level)
{
    return 0 == level && !at->problem->common_in_place
           && !mca_coll_pschedule_folded_takes(&at->folded, member)
           && member < partner(at, member, 0);
}

static mca_coll_pschedule_partial_t take(doubling_t *at, const bit_t *bit, uint32_t stage,
                                         uint32_t member, uint64_t key, bool direct)
{
    return mca_coll_pschedule_slots_take(&at->slots[stage], bit->index, direct, bit->target,
                                         rank_of(at, member), key, bit->range.bytes);
}

/* The sum is not in its slot any more (when `first` and `second` are done). */
static void release(const bit_t *bit, mca_coll_pschedule_node_t first,
                    mca_coll_pschedule_node_t second)
{
    if (NULL != bit->in) {
        mca_coll_pschedule_slots_used(bit->in, bit->number, first, second);
    }
}

/* What came in covers the members behind: it becomes the sum. */
static void join_upper(doubling_t *at, bit_t *bit, uint32_t stage, bool direct,
                       mca_coll_pschedule_partial_t its, mca_coll_pschedule_node_t sent)
{
    its = mca_coll_pschedule_join(at->plan, bit->sum, its, bit->range.bytes);
    release(bit, its.node, sent);
    bit->sent = NULL == bit->in ? sent : bit->sent;
    bit->sum = its;
    bit->in = direct ? NULL : &at->slots[stage];
    bit->number = bit->index;
}

/* It covers the members before: it is put into the sum. */
static void join_lower(doubling_t *at, bit_t *bit, uint32_t stage,
                       mca_coll_pschedule_partial_t its, mca_coll_pschedule_node_t sent)
{
    if (COLL_PSCHEDULE_SPACE_SEND == bit->sum.place.space) {
        bit->sum.node = mca_coll_pschedule_plan_copy(at->plan, bit->sum.place, bit->target,
                                                     bit->range.bytes, bit->sum.node);
        bit->sum.place = bit->target;
        sent = COLL_PSCHEDULE_NONE; /* that was the contribution */
    }
    bit->sum = mca_coll_pschedule_join(at->plan, its, bit->sum, bit->range.bytes);
    mca_coll_pschedule_plan_depend(at->plan, bit->sum.node, sent);
    mca_coll_pschedule_slots_used(&at->slots[stage], bit->index, bit->sum.node,
                                  COLL_PSCHEDULE_NONE);
}

static void exchange(doubling_t *at, bit_t *bit, uint32_t level)
{
    uint32_t peer = partner(at, at->member, level);
    uint64_t key = key_of(bit, EXCHANGE, level);
    bool direct = is_direct(at, at->member, level);
    mca_coll_pschedule_node_t sent = mca_coll_pschedule_slots_send(
        at->plan, is_direct(at, peer, level) ? 0 : bit->index, rank_of(at, peer), key, bit->sum,
        bit->range.bytes);
    mca_coll_pschedule_partial_t its = take(at, bit, level + 1, peer, key, direct);

    if (at->member < peer) {
        join_upper(at, bit, level + 1, direct, its, sent);
    } else {
        join_lower(at, bit, level + 1, its, sent);
    }
}

/* ---- a folded member, and the one that takes part for it ---- */

static mca_coll_pschedule_node_t give(doubling_t *at, const bit_t *bit)
{
    uint32_t number = at->problem->common_in_place ? bit->index : 0;
    int32_t peer = rank_of(at, at->member - 1);
    mca_coll_pschedule_node_t gone
        = mca_coll_pschedule_slots_send(at->plan, number, peer, key_of(bit, FOLD, 0), bit->sum,
                                        bit->range.bytes);

    release(bit, gone, COLL_PSCHEDULE_NONE);
    return mca_coll_pschedule_deliver(at->plan, peer, key_of(bit, UNFOLD, 0), bit->target,
                                      bit->range.bytes, bit->partition);
}

static mca_coll_pschedule_node_t take_part(doubling_t *at, bit_t *bit)
{
    bool two = mca_coll_pschedule_folded_takes(&at->folded, at->member);
    bool direct = !at->problem->common_in_place;
    mca_coll_pschedule_node_t settled;

    if (two) {
        mca_coll_pschedule_partial_t its
            = take(at, bit, 0, at->member + 1, key_of(bit, FOLD, 0), direct);

        join_upper(at, bit, 0, direct, its, COLL_PSCHEDULE_NONE);
    }
    for (uint32_t level = 0; level < at->folded.levels; ++level) {
        exchange(at, bit, level);
    }
    settled = mca_coll_pschedule_settle(at->plan, bit->sum, bit->target, bit->range.bytes,
                                        bit->partition);
    mca_coll_pschedule_plan_depend(at->plan, settled, bit->sent);
    release(bit, settled, COLL_PSCHEDULE_NONE);
    if (two) {
        (void) mca_coll_pschedule_plan_send(at->plan, rank_of(at, at->member + 1),
                                            key_of(bit, UNFOLD, 0), bit->target, bit->range.bytes,
                                            settled);
    }
    return settled;
}

/* ---- all ---- */

static void make_slots(doubling_t *at)
{
    const mca_coll_pschedule_problem_t *problem = at->problem;
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);
    bool folds
        = problem->common_in_place && mca_coll_pschedule_folded_takes(&at->folded, at->member);

    at->slots[0] = mca_coll_pschedule_slots(at->plan, folds ? chunks.count : 0, chunks.largest);
    for (uint32_t i = 0; i < at->folded.levels; ++i) {
        at->slots[i + 1] = mca_coll_pschedule_slots(
            at->plan, is_direct(at, at->member, i) ? 0 : chunks.count, chunks.largest);
    }
}

mca_coll_pschedule_node_t mca_coll_pschedule_doubling_chunk(doubling_t *at,
                                                            const mca_coll_pschedule_bit_t *chunk,
                                                            mca_coll_pschedule_doubled_t begin)
{
    bit_t bit = {.partition = chunk->partition,
                 .index = chunk->index,
                 .range = chunk->range,
                 .sum = begin.sum,
                 .in = begin.slots,
                 .number = begin.number,
                 .sent = COLL_PSCHEDULE_NONE,
                 .target = chunk->target};

    if (mca_coll_pschedule_folded_gives(&at->folded, at->member)) {
        return give(at, &bit);
    }
    if (0 == bit.index) {
        make_slots(at);
    }
    return take_part(at, &bit);
}

void mca_coll_pschedule_doubling(doubling_t *at, mca_coll_pschedule_plan_t *plan,
                                 const mca_coll_pschedule_problem_t *problem, uint32_t lane)
{
    at->plan = plan;
    at->problem = problem;
    at->lane = lane;
    at->member = problem->hosts->host[problem->rank];
    at->folded = mca_coll_pschedule_folded((int32_t) problem->hosts->count);
}

/* ---- costs ---- */

uint64_t mca_coll_pschedule_doubling_stages(uint32_t members, uint32_t member)
{
    mca_coll_pschedule_folded_t folded = mca_coll_pschedule_folded((int32_t) members);

    if (member < members && mca_coll_pschedule_folded_gives(&folded, member)) {
        return 1;
    }
    return folded.levels
           + (member < members ? mca_coll_pschedule_folded_takes(&folded, member)
                               : 0 < folded.extra);
}

uint64_t mca_coll_pschedule_doubling_sums(uint32_t members, uint32_t member)
{
    mca_coll_pschedule_folded_t folded = mca_coll_pschedule_folded((int32_t) members);

    return mca_coll_pschedule_folded_gives(&folded, member)
               ? 0
               : mca_coll_pschedule_doubling_stages(members, member);
}

mca_coll_pschedule_cost_t
mca_coll_pschedule_doubling_cost(const mca_coll_pschedule_problem_t *problem, uint32_t members)
{
    mca_coll_pschedule_folded_t folded = mca_coll_pschedule_folded((int32_t) members);
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);
    uint64_t stages = mca_coll_pschedule_doubling_stages(members, members);

    return (mca_coll_pschedule_cost_t) {
        .rounds = folded.levels + (0 < folded.extra ? 2 : 0),
        .bytes = stages * problem->common_bytes,
        .reduced = stages * problem->common_bytes,
        .scratch = problem->common_partitions * stages
                   * mca_coll_pschedule_slots_scratch(chunks.count, chunks.largest)};
}
