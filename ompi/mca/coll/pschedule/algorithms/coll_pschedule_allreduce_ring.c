/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce around a ring that goes host by host, one ring per partition. A partition is cut in one
 * block per rank, a block in chunks. First every block travels once around and collects all
 * contributions (reduce scatter), then its sum travels around once more (allgather). Here ranks
 * stand for their places around the ring.
 *
 *   step s of the first phase: send block r-1-s to rank r+1, receive block r-2-s from rank r-1
 *   step s of the second:      send block r-s,               receive block r-1-s
 *
 * With separate buffers, partial sums land in the receive buffer, where the final sum overwrites
 * them later: that one can only come after it went through the rank this partial sum was sent to.
 * In place, that memory still holds our contribution, so partial sums land in SLOTS slots per
 * partition (coll_pschedule_reduction.h); what came in is used when it has been added to the
 * contribution.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_reduction.h"
#include "patterns/coll_pschedule_order.h"

#define SLOTS 2u

/* Phases of keys. */
enum { REDUCE_SCATTER, ALLGATHER };

typedef struct ring_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    uint32_t size;
    int32_t left, right; /* neighbours */
    /* Of the partition that is built: */
    uint32_t partition;
    mca_coll_pschedule_partial_t own;
    mca_coll_pschedule_place_t target;
    mca_coll_pschedule_slots_t slots; /* in place only */
    uint32_t arrivals;                /* chunks that came in the first phase */
    uint32_t departures;              /* and those that left */
} ring_t;

/* The block that is `back` before this rank's own, within the partition; back < 2 * ranks. */
static mca_coll_pschedule_range_t block(const ring_t *ring, uint32_t back)
{
    uint32_t place = mca_coll_pschedule_ring_index(ring->problem, ring->problem->rank);
    uint32_t index = (place + 2 * ring->size - back) % ring->size;
    mca_coll_pschedule_range_t whole = {.bytes = mca_coll_pschedule_common(ring->problem)};

    return mca_coll_pschedule_part(whole, index, ring->size, ring->problem->element);
}

static uint32_t chunks(const ring_t *ring, mca_coll_pschedule_range_t of)
{
    return mca_coll_pschedule_chunks(of.bytes, ring->problem->chunk, ring->problem->element);
}

static mca_coll_pschedule_range_t chunk_of(const ring_t *ring, mca_coll_pschedule_range_t of,
                                           uint32_t index)
{
    return mca_coll_pschedule_part(of, index, chunks(ring, of), ring->problem->element);
}

static uint64_t key_of(const ring_t *ring, uint32_t phase, uint32_t step, uint32_t index)
{
    return mca_coll_pschedule_key(phase, step, ring->partition, index);
}

/* ---- first phase ---- */

static void send_partial(ring_t *ring, uint32_t step, uint32_t index, uint64_t bytes,
                         mca_coll_pschedule_partial_t partial)
{
    uint32_t number = ring->problem->in_place ? ring->departures++ : 0;

    (void) mca_coll_pschedule_slots_send_many(ring->plan, SLOTS, number, ring->right,
                                              key_of(ring, REDUCE_SCATTER, step, index), partial,
                                              bytes);
}

/* A partial sum comes and is added up in the receive buffer. */
static mca_coll_pschedule_partial_t receive_partial(ring_t *ring, uint32_t step, uint32_t index,
                                                    mca_coll_pschedule_range_t chunk)
{
    uint64_t key = key_of(ring, REDUCE_SCATTER, step, index);
    mca_coll_pschedule_partial_t own = mca_coll_pschedule_within(ring->own, chunk);
    uint32_t number = ring->arrivals++;
    mca_coll_pschedule_partial_t sum;

    if (!ring->problem->in_place) {
        sum = mca_coll_pschedule_receive_at(ring->plan, ring->left, key,
                                            mca_coll_pschedule_at(ring->target, chunk.offset),
                                            chunk.bytes);
        return mca_coll_pschedule_join(ring->plan, own, sum, chunk.bytes);
    }
    sum = mca_coll_pschedule_slots_receive(&ring->slots, number, ring->left, key, chunk.bytes);
    sum = mca_coll_pschedule_join(ring->plan, sum, own, chunk.bytes);
    mca_coll_pschedule_slots_used(&ring->slots, number, sum.node, COLL_PSCHEDULE_NONE);
    return sum;
}

/* ---- both ---- */

/* The last step's sums are final: they leave again in the second phase, and are a result here. */
static void send_final(const ring_t *ring, uint32_t step, uint32_t index, uint64_t bytes,
                       mca_coll_pschedule_partial_t sum)
{
    (void) mca_coll_pschedule_plan_send(ring->plan, ring->right,
                                        key_of(ring, ALLGATHER, step, index), sum.place, bytes,
                                        sum.node);
}

static void settle(const ring_t *ring, mca_coll_pschedule_partial_t sum)
{
    mca_coll_pschedule_plan_depend(
        ring->plan, mca_coll_pschedule_plan_result(ring->plan, ring->partition), sum.node);
}

/* Follow one block from its arrival in the first phase, if it arrives in it, to the next step. */
static void reduce_scatter(ring_t *ring)
{
    mca_coll_pschedule_range_t whole = block(ring, 1);

    for (uint32_t i = 0; i < chunks(ring, whole); ++i) {
        mca_coll_pschedule_range_t chunk = chunk_of(ring, whole, i);

        send_partial(ring, 0, i, chunk.bytes, mca_coll_pschedule_within(ring->own, chunk));
    }
    for (uint32_t step = 0; step + 1 < ring->size; ++step) {
        whole = block(ring, step + 2);
        for (uint32_t i = 0; i < chunks(ring, whole); ++i) {
            mca_coll_pschedule_range_t chunk = chunk_of(ring, whole, i);
            mca_coll_pschedule_partial_t sum = receive_partial(ring, step, i, chunk);

            if (step + 2 < ring->size) {
                send_partial(ring, step + 1, i, chunk.bytes, sum);
            } else {
                send_final(ring, 0, i, chunk.bytes, sum);
                settle(ring, sum);
            }
        }
    }
}

static void allgather(const ring_t *ring)
{
    for (uint32_t step = 0; step + 1 < ring->size; ++step) {
        mca_coll_pschedule_range_t whole = block(ring, step + 1);

        for (uint32_t i = 0; i < chunks(ring, whole); ++i) {
            mca_coll_pschedule_range_t chunk = chunk_of(ring, whole, i);
            mca_coll_pschedule_partial_t sum = mca_coll_pschedule_receive_at(
                ring->plan, ring->left, key_of(ring, ALLGATHER, step, i),
                mca_coll_pschedule_at(ring->target, chunk.offset), chunk.bytes);

            settle(ring, sum);
            if (step + 2 < ring->size) {
                send_final(ring, step + 1, i, chunk.bytes, sum);
            }
        }
    }
}

static uint64_t slot_bytes(const mca_coll_pschedule_problem_t *problem)
{
    return mca_coll_pschedule_chunk_bound(
        problem, mca_coll_pschedule_largest_part(mca_coll_pschedule_common(problem),
                                                 (uint64_t) problem->size, problem->element));
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    if (1 == problem->size) {
        mca_coll_pschedule_build_alone(plan, problem);
        return;
    }
    for (uint32_t i = 0; i < problem->common_partitions; ++i) {
        ring_t ring = {.plan = plan,
                       .problem = problem,
                       .size = (uint32_t) problem->size,
                       .left = mca_coll_pschedule_ahead(problem, problem->rank, 1),
                       .right = mca_coll_pschedule_behind(problem, problem->rank, 1),
                       .partition = i,
                       .own = mca_coll_pschedule_own(plan, problem, 0, i),
                       .target = mca_coll_pschedule_target(problem, i)};

        ring.slots = mca_coll_pschedule_slots_many(plan, SLOTS, problem->in_place ? SLOTS : 0,
                                                   slot_bytes(problem));
        reduce_scatter(&ring);
        allgather(&ring);
    }
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t steps = (uint64_t) problem->size - 1;
    uint64_t partitions = problem->common_partitions;
    uint64_t block
        = mca_coll_pschedule_common(problem) / (uint64_t) problem->size + problem->element;

    *cost = (mca_coll_pschedule_cost_t) {.rounds = 2 * steps,
                                         .bytes = 2 * steps * block * partitions,
                                         .reduced = steps * block * partitions};
    cost->hosts = mca_coll_pschedule_around(problem, cost->bytes);
    if (problem->common_in_place && 0 < steps) {
        cost->scratch = SLOTS * partitions * mca_coll_pschedule_padded(slot_bytes(problem));
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_ring = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "ring",
    .description = "reduce-scatter and allgather around a ring, in chunks; for large partitions",
    .memory = "none; in place two chunks per partition",
    .limits = COLL_PSCHEDULE_COMMUTATIVE | COLL_PSCHEDULE_STEPS,
    .build = build,
    .cost = cost};
