/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the algorithms that reduce have in common: where a partition is, slots for partial results
 * that come from other ranks, and what happens on one rank alone.
 *
 * Slots: a rank keeps up to COLL_PSCHEDULE_REDUCTION_SLOTS chunks of a partition that came from
 * others. Both ends count the transfers that go to the slots of a partition: number n comes into
 * slot n % SLOTS. The first SLOTS may come at any time; each further one is granted to its sender
 * when the one before it in its slot has been used. A partition does not share its slots, so it
 * waits for no other.
 *
 * This cannot deadlock where the use of number n waits for numbers below n + SLOTS only, and for
 * transfers that come earlier in an order that is the same for all ranks; every builder says why.
 *
 * REDUCE is to = from op to, with the lower ranks in `from`. So what covers ranks below those of a
 * partial result is put into it from the left, in place; what covers ranks above them becomes the
 * new partial result where it came in, and the old one is free.
 */
#ifndef COLL_PSCHEDULE_REDUCTION_H
#define COLL_PSCHEDULE_REDUCTION_H

#include "patterns/coll_pschedule_cost.h"
#include "plan/coll_pschedule_plan.h"

#define COLL_PSCHEDULE_REDUCTION_SLOTS 4u

/** The most slots of a partition whose transfers are short. */
#define COLL_PSCHEDULE_REDUCTION_SLOTS_MOST 64u

/** The key of the grant for a transfer, in the opposite direction. Phases of transfers are < 8. */
static inline uint64_t mca_coll_pschedule_grant_key(uint64_t key)
{
    return key | UINT64_C(1) << 63;
}

/** A partial result: where it is, and the node after which it is there. */
typedef struct mca_coll_pschedule_partial_t {
    mca_coll_pschedule_place_t place;
    mca_coll_pschedule_node_t node;
} mca_coll_pschedule_partial_t;

/** A range of a partial result of a whole partition. */
static inline mca_coll_pschedule_partial_t
mca_coll_pschedule_within(mca_coll_pschedule_partial_t partial, mca_coll_pschedule_range_t range)
{
    partial.place = mca_coll_pschedule_at(partial.place, range.offset);
    return partial;
}

/** Slots of one partition. */
typedef struct mca_coll_pschedule_slots_t {
    mca_coll_pschedule_plan_t *plan;
    uint32_t count; /**< transfer n comes into slot n % count */
    mca_coll_pschedule_place_t place[COLL_PSCHEDULE_REDUCTION_SLOTS_MOST];
    /** The content has been used when both are done. */
    mca_coll_pschedule_node_t used[COLL_PSCHEDULE_REDUCTION_SLOTS_MOST][2];
} mca_coll_pschedule_slots_t;

/** Slots for `transfers` transfers of up to `bytes`; none when there are no transfers. */
mca_coll_pschedule_slots_t mca_coll_pschedule_slots(mca_coll_pschedule_plan_t *plan,
                                                    uint64_t transfers, uint64_t bytes);

/** Bytes of scratch memory of such slots. */
uint64_t mca_coll_pschedule_slots_scratch(uint64_t transfers, uint64_t bytes);

/** How many slots of up to `bytes` take no more memory than SLOTS of a chunk: SLOTS to MOST. For
 * partitions that get many short transfers, which would wait for grants otherwise. */
uint32_t mca_coll_pschedule_slots_fitting(const mca_coll_pschedule_problem_t *problem,
                                          uint64_t bytes);

/** `count` slots instead of SLOTS, or `transfers` if that is less. */
mca_coll_pschedule_slots_t mca_coll_pschedule_slots_many(mca_coll_pschedule_plan_t *plan,
                                                         uint32_t count, uint64_t transfers,
                                                         uint64_t bytes);

/** Transfer `number` comes into its slot. It is granted when the slot can be used again. */
mca_coll_pschedule_partial_t mca_coll_pschedule_slots_receive(mca_coll_pschedule_slots_t *slots,
                                                              uint32_t number, int32_t peer,
                                                              uint64_t key, uint64_t bytes);

/** The same for something of this rank that is copied to a slot. */
mca_coll_pschedule_partial_t mca_coll_pschedule_slots_copy(mca_coll_pschedule_slots_t *slots,
                                                           uint32_t number,
                                                           mca_coll_pschedule_partial_t from,
                                                           uint64_t bytes);

/** What transfer `number` brought is not needed any more when these are done. */
void mca_coll_pschedule_slots_used(mca_coll_pschedule_slots_t *slots, uint32_t number,
                                   mca_coll_pschedule_node_t first,
                                   mca_coll_pschedule_node_t second);

/** The other end: send to slot `number` of a rank, when it is granted and the partial is there. */
mca_coll_pschedule_node_t mca_coll_pschedule_slots_send(mca_coll_pschedule_plan_t *plan,
                                                        uint32_t number, int32_t peer,
                                                        uint64_t key,
                                                        mca_coll_pschedule_partial_t partial,
                                                        uint64_t bytes);

/** What comes right to its place, without a slot. */
mca_coll_pschedule_partial_t mca_coll_pschedule_receive_at(mca_coll_pschedule_plan_t *plan,
                                                           int32_t peer, uint64_t key,
                                                           mca_coll_pschedule_place_t place,
                                                           uint64_t bytes);

/** Either of both: to its place if it is `direct`, else into its slot. */
mca_coll_pschedule_partial_t mca_coll_pschedule_slots_take(mca_coll_pschedule_slots_t *slots,
                                                           uint32_t number, bool direct,
                                                           mca_coll_pschedule_place_t place,
                                                           int32_t peer, uint64_t key,
                                                           uint64_t bytes);

/** right = left op right, when both are there. */
mca_coll_pschedule_partial_t mca_coll_pschedule_join(mca_coll_pschedule_plan_t *plan,
                                                     mca_coll_pschedule_partial_t left,
                                                     mca_coll_pschedule_partial_t right,
                                                     uint64_t bytes);

/** mca_coll_pschedule_slots_send() to a rank with `count` slots. */
mca_coll_pschedule_node_t mca_coll_pschedule_slots_send_many(mca_coll_pschedule_plan_t *plan,
                                                             uint32_t count, uint32_t number,
                                                             int32_t peer, uint64_t key,
                                                             mca_coll_pschedule_partial_t partial,
                                                             uint64_t bytes);

/** A chunk for pipelines of ranks: while the first one runs, the ranks behind it are idle. So
 * chunks are short unless there is very much to send, but not so short that what a transfer costs
 * by itself would count. */
uint64_t mca_coll_pschedule_pipeline_chunk(const mca_coll_pschedule_problem_t *problem);

/** Cost of a pipeline of `hops` hops, where chunks come into slots: the last rank has all when the
 * first chunk has come through, and the others behind it. */
mca_coll_pschedule_cost_t
mca_coll_pschedule_pipeline_cost(const mca_coll_pschedule_problem_t *problem, uint64_t hops);

/** A chunk of a partition of a reduction. */
typedef struct mca_coll_pschedule_bit_t {
    int32_t block; /**< of a reduce_scatter: the rank that gets it; else 0, there is one */
    uint32_t partition;
    uint32_t number; /**< of the partition, over all blocks */
    uint32_t index;
    mca_coll_pschedule_range_t range;  /**< within the partition */
    mca_coll_pschedule_partial_t own;  /**< the contribution of this rank */
    mca_coll_pschedule_place_t target; /**< where the result shall be, on ranks that get one */
} mca_coll_pschedule_bit_t;

/** A key of its transfers. */
static inline uint64_t mca_coll_pschedule_bit_key(const mca_coll_pschedule_bit_t *bit,
                                                  uint32_t phase)
{
    return mca_coll_pschedule_key(phase, 0, bit->partition, bit->index);
}

/** Call `build` for every chunk (of up to `limit` bytes) of every partition, with the slots of the
 * partition, which have room for `transfers` transfers per chunk. */
void mca_coll_pschedule_build_bits(
    mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem, uint64_t limit,
    uint32_t transfers,
    void (*build)(void *at, mca_coll_pschedule_slots_t *slots, const mca_coll_pschedule_bit_t *bit),
    void *at);

/** Partition `partition` of send block `block` of this rank. */
mca_coll_pschedule_partial_t mca_coll_pschedule_own(mca_coll_pschedule_plan_t *plan,
                                                    const mca_coll_pschedule_problem_t *problem,
                                                    uint32_t block, uint32_t partition);

/** Where partition `partition` of the result of this rank shall be. */
mca_coll_pschedule_place_t
mca_coll_pschedule_target(const mca_coll_pschedule_problem_t *problem, uint32_t partition);

/** Bytes of a partition of the result of an allreduce, reduce, scan or exscan, or of a
 * reduce_scatter whose blocks are equal, on any rank. */
static inline uint64_t mca_coll_pschedule_common(const mca_coll_pschedule_problem_t *problem)
{
    return problem->common_bytes / problem->common_partitions;
}

/** Of a scan or exscan: does the contribution of a rank not go into its own result? */
static inline bool mca_coll_pschedule_excludes(const mca_coll_pschedule_problem_t *problem)
{
    return COLL_PSCHEDULE_EXSCAN == problem->collective;
}

/** The chunks that it is cut in. */
typedef struct mca_coll_pschedule_chunking_t {
    uint32_t count;
    uint64_t largest; /**< bytes of the largest */
} mca_coll_pschedule_chunking_t;

static inline mca_coll_pschedule_chunking_t
mca_coll_pschedule_common_chunks(const mca_coll_pschedule_problem_t *problem)
{
    uint64_t bytes = mca_coll_pschedule_common(problem);

    return (mca_coll_pschedule_chunking_t) {
        .count = mca_coll_pschedule_chunks(bytes, problem->chunk, problem->element),
        .largest = mca_coll_pschedule_largest(bytes, problem->chunk, problem->element)};
}

/** Upper bound of slots_fitting() slots for each partition of a block of a reduce_scatter, on any
 * rank, when every other rank sends to them. */
uint64_t mca_coll_pschedule_block_scratch(const mca_coll_pschedule_problem_t *problem);

/** Upper bound of SLOTS slots for each partition of all blocks of a reduce_scatter, whose contents
 * are at most `times` the contribution. */
uint64_t mca_coll_pschedule_blocks_scratch(const mca_coll_pschedule_problem_t *problem,
                                           uint64_t times);

/** One rank: its contribution is the result. */
void mca_coll_pschedule_build_alone(mca_coll_pschedule_plan_t *plan,
                                    const mca_coll_pschedule_problem_t *problem);

/** Bring a partial result to the result of this rank, unless it is there; partition `partition`
 * has it then. Returns the node after which it does. */
mca_coll_pschedule_node_t mca_coll_pschedule_settle(mca_coll_pschedule_plan_t *plan,
                                                    mca_coll_pschedule_partial_t partial,
                                                    mca_coll_pschedule_place_t target,
                                                    uint64_t bytes, uint32_t partition);

/** The same for a result of another rank that comes right to its place, which is free from the
 * start, or holds a contribution that went into what comes. */
mca_coll_pschedule_node_t mca_coll_pschedule_deliver(mca_coll_pschedule_plan_t *plan, int32_t peer,
                                                     uint64_t key,
                                                     mca_coll_pschedule_place_t target,
                                                     uint64_t bytes, uint32_t partition);

#endif /* COLL_PSCHEDULE_REDUCTION_H */
