/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the algorithms that reduce have in common (see coll_pschedule_reduction.h).
 */
#include "patterns/coll_pschedule_reduction.h"

/* Pipelines: chunks for each rank of the chain, and the size below which a transfer costs as much
 * as a smaller one. */
#define CHUNKS_PER_RANK 32u
#define SMALLEST (UINT64_C(32) << 10)

/* ---- slots ---- */

static uint64_t slots_needed(uint32_t count, uint64_t transfers)
{
    return transfers < count ? transfers : count;
}

mca_coll_pschedule_slots_t mca_coll_pschedule_slots_many(mca_coll_pschedule_plan_t *plan,
                                                         uint32_t count, uint64_t transfers,
                                                         uint64_t bytes)
{
    mca_coll_pschedule_slots_t slots = {.plan = plan, .count = count};

    for (uint32_t i = 0; i < slots_needed(count, transfers); ++i) {
        slots.place[i] = mca_coll_pschedule_plan_scratch(plan, bytes);
        slots.used[i][0] = slots.used[i][1] = COLL_PSCHEDULE_NONE;
    }
    return slots;
}

mca_coll_pschedule_slots_t mca_coll_pschedule_slots(mca_coll_pschedule_plan_t *plan,
                                                    uint64_t transfers, uint64_t bytes)
{
    return mca_coll_pschedule_slots_many(plan, COLL_PSCHEDULE_REDUCTION_SLOTS, transfers, bytes);
}

uint64_t mca_coll_pschedule_slots_scratch(uint64_t transfers, uint64_t bytes)
{
    return slots_needed(COLL_PSCHEDULE_REDUCTION_SLOTS, transfers)
           * mca_coll_pschedule_padded(bytes);
}

uint32_t mca_coll_pschedule_slots_fitting(const mca_coll_pschedule_problem_t *problem,
                                          uint64_t bytes)
{
    uint64_t each = mca_coll_pschedule_padded(0 == bytes ? 1 : bytes);
    uint64_t fitting = COLL_PSCHEDULE_REDUCTION_SLOTS * problem->chunk / each;

    fitting = fitting < COLL_PSCHEDULE_REDUCTION_SLOTS ? COLL_PSCHEDULE_REDUCTION_SLOTS : fitting;
    return (uint32_t) slots_needed(COLL_PSCHEDULE_REDUCTION_SLOTS_MOST, fitting);
}

mca_coll_pschedule_partial_t mca_coll_pschedule_slots_receive(mca_coll_pschedule_slots_t *slots,
                                                              uint32_t number, int32_t peer,
                                                              uint64_t key, uint64_t bytes)
{
    uint32_t slot = number % slots->count;
    mca_coll_pschedule_partial_t partial = {.place = slots->place[slot]};
    mca_coll_pschedule_node_t grant;

    partial.node = mca_coll_pschedule_plan_receive(slots->plan, peer, key, partial.place, bytes);
    if (number >= slots->count) {
        grant = mca_coll_pschedule_plan_grant(slots->plan, peer, mca_coll_pschedule_grant_key(key),
                                              slots->used[slot][0]);
        mca_coll_pschedule_plan_depend(slots->plan, grant, slots->used[slot][1]);
    }
    return partial;
}

mca_coll_pschedule_partial_t mca_coll_pschedule_slots_copy(mca_coll_pschedule_slots_t *slots,
                                                           uint32_t number,
                                                           mca_coll_pschedule_partial_t from,
                                                           uint64_t bytes)
{
    uint32_t slot = number % slots->count;
    mca_coll_pschedule_partial_t partial = {.place = slots->place[slot]};

    partial.node = mca_coll_pschedule_plan_copy(slots->plan, from.place, partial.place, bytes,
                                                from.node);
    if (number >= slots->count) {
        mca_coll_pschedule_plan_depend(slots->plan, partial.node, slots->used[slot][0]);
        mca_coll_pschedule_plan_depend(slots->plan, partial.node, slots->used[slot][1]);
    }
    return partial;
}

void mca_coll_pschedule_slots_used(mca_coll_pschedule_slots_t *slots, uint32_t number,
                                   mca_coll_pschedule_node_t first,
                                   mca_coll_pschedule_node_t second)
{
    slots->used[number % slots->count][0] = first;
    slots->used[number % slots->count][1] = second;
}

mca_coll_pschedule_node_t mca_coll_pschedule_slots_send_many(mca_coll_pschedule_plan_t *plan,
                                                             uint32_t count, uint32_t number,
                                                             int32_t peer, uint64_t key,
                                                             mca_coll_pschedule_partial_t partial,
                                                             uint64_t bytes)
{
    mca_coll_pschedule_node_t send
        = mca_coll_pschedule_plan_send(plan, peer, key, partial.place, bytes, partial.node);

    if (number >= count) {
        mca_coll_pschedule_plan_depend(
            plan, send,
            mca_coll_pschedule_plan_granted(plan, peer, mca_coll_pschedule_grant_key(key)));
    }
    return send;
}

mca_coll_pschedule_node_t mca_coll_pschedule_slots_send(mca_coll_pschedule_plan_t *plan,
                                                        uint32_t number, int32_t peer,
                                                        uint64_t key,
                                                        mca_coll_pschedule_partial_t partial,
                                                        uint64_t bytes)
{
    return mca_coll_pschedule_slots_send_many(plan, COLL_PSCHEDULE_REDUCTION_SLOTS, number, peer,
                                              key, partial, bytes);
}

mca_coll_pschedule_partial_t mca_coll_pschedule_receive_at(mca_coll_pschedule_plan_t *plan,
                                                           int32_t peer, uint64_t key,
                                                           mca_coll_pschedule_place_t place,
                                                           uint64_t bytes)
{
    return (mca_coll_pschedule_partial_t) {
        .place = place,
        .node = mca_coll_pschedule_plan_receive(plan, peer, key, place, bytes)};
}

mca_coll_pschedule_partial_t mca_coll_pschedule_slots_take(mca_coll_pschedule_slots_t *slots,
                                                           uint32_t number, bool direct,
                                                           mca_coll_pschedule_place_t place,
                                                           int32_t peer, uint64_t key,
                                                           uint64_t bytes)
{
    return direct ? mca_coll_pschedule_receive_at(slots->plan, peer, key, place, bytes)
                  : mca_coll_pschedule_slots_receive(slots, number, peer, key, bytes);
}

mca_coll_pschedule_partial_t mca_coll_pschedule_join(mca_coll_pschedule_plan_t *plan,
                                                     mca_coll_pschedule_partial_t left,
                                                     mca_coll_pschedule_partial_t right,
                                                     uint64_t bytes)
{
    mca_coll_pschedule_node_t node
        = mca_coll_pschedule_plan_reduce(plan, left.place, right.place, bytes, left.node);

    mca_coll_pschedule_plan_depend(plan, node, right.node);
    return (mca_coll_pschedule_partial_t) {.place = right.place, .node = node};
}

/* ---- sizes ---- */

uint64_t mca_coll_pschedule_pipeline_chunk(const mca_coll_pschedule_problem_t *problem)
{
    return mca_coll_pschedule_short_chunk(problem, CHUNKS_PER_RANK, SMALLEST);
}

mca_coll_pschedule_cost_t
mca_coll_pschedule_pipeline_cost(const mca_coll_pschedule_problem_t *problem, uint64_t hops)
{
    uint64_t partition = mca_coll_pschedule_common(problem);
    uint64_t limit = mca_coll_pschedule_pipeline_chunk(problem);
    uint64_t chunks = mca_coll_pschedule_chunks(partition, limit, problem->element);
    uint64_t chunk = mca_coll_pschedule_largest(partition, limit, problem->element);

    if (0 == hops) {
        return (mca_coll_pschedule_cost_t) {0};
    }
    return (mca_coll_pschedule_cost_t) {
        .rounds = hops,
        .bytes = problem->common_bytes + (hops - 1) * chunk,
        .reduced = problem->common_bytes,
        .scratch = problem->common_partitions * mca_coll_pschedule_slots_scratch(chunks, chunk)};
}

uint64_t mca_coll_pschedule_block_scratch(const mca_coll_pschedule_problem_t *problem)
{
    uint64_t size = (uint64_t) problem->size;
    uint64_t most = mca_coll_pschedule_whole_chunk(problem);
    uint64_t partitions = problem->common_partitions - (size - 1);
    uint64_t bytes;

    if (problem->uniform) {
        mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);

        return problem->common_partitions / size * mca_coll_pschedule_padded(chunks.largest)
               * slots_needed(mca_coll_pschedule_slots_fitting(problem, chunks.largest),
                              (size - 1) * chunks.count);
    }
    /* One block may have nearly all bytes, or all partitions but one of each other block. Slots are
     * MOST, or fit in SLOTS chunks, or are SLOTS. */
    bytes = COLL_PSCHEDULE_REDUCTION_SLOTS_MOST * (problem->common_bytes + partitions * 64);
    most = partitions * COLL_PSCHEDULE_REDUCTION_SLOTS * mca_coll_pschedule_padded(most);
    return bytes < most ? bytes : most;
}

/* ---- partitions ---- */

mca_coll_pschedule_partial_t mca_coll_pschedule_own(mca_coll_pschedule_plan_t *plan,
                                                    const mca_coll_pschedule_problem_t *problem,
                                                    uint32_t block, uint32_t partition)
{
    const mca_coll_pschedule_block_t *send = &problem->send[block];
    mca_coll_pschedule_range_t range = mca_coll_pschedule_partition(&send->cut, partition);

    return (mca_coll_pschedule_partial_t) {
        .place = {.space = problem->in_place ? COLL_PSCHEDULE_SPACE_RECV
                                             : COLL_PSCHEDULE_SPACE_SEND,
                  .offset = send->offset + range.offset},
        .node = mca_coll_pschedule_plan_ready(plan, send->first + partition)};
}

mca_coll_pschedule_place_t
mca_coll_pschedule_target(const mca_coll_pschedule_problem_t *problem, uint32_t partition)
{
    const mca_coll_pschedule_block_t *recv = &problem->recv[0];

    return (mca_coll_pschedule_place_t) {
        .space = COLL_PSCHEDULE_SPACE_RECV,
        .offset = recv->offset + mca_coll_pschedule_partition(&recv->cut, partition).offset};
}

mca_coll_pschedule_node_t mca_coll_pschedule_settle(mca_coll_pschedule_plan_t *plan,
                                                    mca_coll_pschedule_partial_t partial,
                                                    mca_coll_pschedule_place_t target,
                                                    uint64_t bytes, uint32_t partition)
{
    if (partial.place.space != target.space || partial.place.offset != target.offset) {
        partial.node
            = mca_coll_pschedule_plan_copy(plan, partial.place, target, bytes, partial.node);
    }
    mca_coll_pschedule_plan_depend(plan, mca_coll_pschedule_plan_result(plan, partition),
                                   partial.node);
    return partial.node;
}

mca_coll_pschedule_node_t mca_coll_pschedule_deliver(mca_coll_pschedule_plan_t *plan, int32_t peer,
                                                     uint64_t key,
                                                     mca_coll_pschedule_place_t target,
                                                     uint64_t bytes, uint32_t partition)
{
    mca_coll_pschedule_partial_t result
        = mca_coll_pschedule_receive_at(plan, peer, key, target, bytes);

    return mca_coll_pschedule_settle(plan, result, target, bytes, partition);
}

/* Chunks are nearly equal: SLOTS are no more than the partition and as many elements. */
uint64_t mca_coll_pschedule_blocks_scratch(const mca_coll_pschedule_problem_t *problem,
                                           uint64_t times)
{
    uint64_t chunk = mca_coll_pschedule_whole_chunk(problem);
    uint64_t slots = (uint64_t) problem->common_partitions * COLL_PSCHEDULE_REDUCTION_SLOTS;
    uint64_t all = times * problem->common_bytes + slots * (64 + problem->element);
    uint64_t most = slots * mca_coll_pschedule_padded(chunk);

    return all < most ? all : most;
}

void mca_coll_pschedule_build_alone(mca_coll_pschedule_plan_t *plan,
                                    const mca_coll_pschedule_problem_t *problem)
{
    uint64_t bytes = problem->recv[0].cut.bytes / problem->recv[0].cut.partitions;

    /* What has no bytes has arrived from the beginning. */
    for (uint32_t i = 0; 0 != bytes && i < problem->recv[0].cut.partitions; ++i) {
        (void) mca_coll_pschedule_settle(plan, mca_coll_pschedule_own(plan, problem, 0, i),
                                         mca_coll_pschedule_target(problem, i), bytes, i);
    }
}

/* ---- chunk by chunk ---- */

void mca_coll_pschedule_build_bits(
    mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem, uint64_t limit,
    uint32_t transfers,
    void (*build)(void *at, mca_coll_pschedule_slots_t *slots, const mca_coll_pschedule_bit_t *bit),
    void *at)
{
    mca_coll_pschedule_range_t whole = {.bytes = mca_coll_pschedule_common(problem)};
    uint32_t chunks = mca_coll_pschedule_chunks(whole.bytes, limit, problem->element);
    uint64_t largest = mca_coll_pschedule_largest(whole.bytes, limit, problem->element);

    for (uint32_t i = 0; i < problem->common_partitions; ++i) {
        mca_coll_pschedule_slots_t slots
            = mca_coll_pschedule_slots(plan, (uint64_t) transfers * chunks, largest);

        for (uint32_t k = 0; k < chunks; ++k) {
            mca_coll_pschedule_bit_t bit = {
                .partition = i,
                .number = i,
                .index = k,
                .range = mca_coll_pschedule_part(whole, k, chunks, problem->element)};

            bit.own = mca_coll_pschedule_within(mca_coll_pschedule_own(plan, problem, 0, i),
                                                bit.range);
            if (0 < problem->recv_blocks) {
                bit.target = mca_coll_pschedule_at(mca_coll_pschedule_target(problem, i),
                                                   bit.range.offset);
            }
            build(at, &slots, &bit);
        }
    }
}
