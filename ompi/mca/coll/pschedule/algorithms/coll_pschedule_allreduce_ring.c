/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce around a ring, one ring per partition. A partition is cut in one block per rank, a
 * block in chunks. First every block travels once around and collects all contributions (reduce
 * scatter), then its sum travels around once more (allgather).
 *
 *   step s of the first phase: send block r-1-s to rank r+1, receive block r-2-s from rank r-1
 *   step s of the second:      send block r-s,               receive block r-1-s
 *
 * With separate buffers, partial sums land in the receive buffer, where the final sum overwrites
 * them later: that one can only come after it went through the rank this partial sum was sent to.
 * In place, that memory still holds our contribution, so partial sums land in SLOTS slots per
 * partition; a slot is granted again when its content has been added to the contribution.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "algorithms/coll_pschedule_tree.h"

#define SLOTS 2u

/* Phases in keys: grants have keys of their own, as of two ranks the left is the right one, too. */
enum { REDUCE_SCATTER, ALLGATHER, GRANT };

typedef struct ring_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    uint32_t partition;
    mca_coll_pschedule_range_t range;          /* of the partition */
    mca_coll_pschedule_node_t ready;           /* of the partition */
    mca_coll_pschedule_place_t contribution;   /* where the partition is */
    mca_coll_pschedule_place_t result;         /* where it shall be */
    mca_coll_pschedule_place_t slot[SLOTS];    /* in place only */
    mca_coll_pschedule_node_t emptied[SLOTS];  /* what came into a slot last has been used */
    uint32_t arrivals;                         /* chunks that came in the first phase */
    uint32_t departures;                       /* and those that left */
} ring_t;

static uint32_t ranks(const ring_t *ring)
{
    return (uint32_t) ring->problem->size;
}

static int32_t right(const ring_t *ring)
{
    return mca_coll_pschedule_after(ring->problem, ring->problem->rank, 1);
}

static int32_t left(const ring_t *ring)
{
    return mca_coll_pschedule_before(ring->problem, ring->problem->rank, 1);
}

/* The block that is `back` before this rank's own, within the partition; back < 2 * ranks. */
static mca_coll_pschedule_range_t block(const ring_t *ring, uint32_t back)
{
    uint32_t index = ((uint32_t) ring->problem->rank + 2 * ranks(ring) - back) % ranks(ring);
    mca_coll_pschedule_range_t whole = {.offset = 0, .bytes = ring->range.bytes};

    return mca_coll_pschedule_part(whole, index, ranks(ring), ring->problem->element);
}

static uint32_t chunks(const ring_t *ring, mca_coll_pschedule_range_t of)
{
    return mca_coll_pschedule_chunks(of.bytes, ring->problem->chunk, ring->problem->element);
}

static uint64_t grant_key(const ring_t *ring, uint32_t number)
{
    return mca_coll_pschedule_key(GRANT, number >> 20, ring->partition, number);
}

/* ---- first phase ---- */

static void send_partial(ring_t *ring, uint32_t step, uint32_t index,
                         mca_coll_pschedule_range_t chunk, mca_coll_pschedule_node_t after)
{
    uint64_t key = mca_coll_pschedule_key(REDUCE_SCATTER, step, ring->partition, index);
    mca_coll_pschedule_place_t from = 0 == step ? ring->contribution : ring->result;
    mca_coll_pschedule_node_t send
        = mca_coll_pschedule_plan_send(ring->plan, right(ring), key,
                                       mca_coll_pschedule_at(from, chunk.offset), chunk.bytes,
                                       after);

    if (ring->problem->in_place && ring->departures >= SLOTS) {
        mca_coll_pschedule_plan_depend(
            ring->plan, send,
            mca_coll_pschedule_plan_granted(ring->plan, right(ring),
                                            grant_key(ring, ring->departures)));
    }
    ++ring->departures;
}

/* A partial sum comes and is added up; returns the node after which it is in the result. */
static mca_coll_pschedule_node_t add_in_place(ring_t *ring, uint64_t key,
                                              mca_coll_pschedule_range_t chunk)
{
    uint32_t slot = ring->arrivals % SLOTS;
    mca_coll_pschedule_node_t arrive, sum;

    arrive = mca_coll_pschedule_plan_receive(ring->plan, left(ring), key, ring->slot[slot],
                                             chunk.bytes);
    if (ring->arrivals >= SLOTS) {
        (void) mca_coll_pschedule_plan_grant(ring->plan, left(ring),
                                             grant_key(ring, ring->arrivals),
                                             ring->emptied[slot]);
    }
    sum = mca_coll_pschedule_plan_reduce(ring->plan, ring->slot[slot],
                                         mca_coll_pschedule_at(ring->result, chunk.offset),
                                         chunk.bytes, arrive);
    ring->emptied[slot] = sum;
    return sum;
}

static mca_coll_pschedule_node_t receive_partial(ring_t *ring, uint32_t step, uint32_t index,
                                                 mca_coll_pschedule_range_t chunk)
{
    uint64_t key = mca_coll_pschedule_key(REDUCE_SCATTER, step, ring->partition, index);
    mca_coll_pschedule_place_t result = mca_coll_pschedule_at(ring->result, chunk.offset);
    mca_coll_pschedule_node_t sum;

    if (ring->problem->in_place) {
        sum = add_in_place(ring, key, chunk);
    } else {
        sum = mca_coll_pschedule_plan_reduce(
            ring->plan, mca_coll_pschedule_at(ring->contribution, chunk.offset), result,
            chunk.bytes,
            mca_coll_pschedule_plan_receive(ring->plan, left(ring), key, result, chunk.bytes));
    }
    mca_coll_pschedule_plan_depend(ring->plan, sum, ring->ready);
    ++ring->arrivals;
    return sum;
}

/* ---- both ---- */

/* The last step's sums are final: they leave again in the second phase, and are a result here. */
static void send_final(ring_t *ring, uint32_t step, uint32_t index,
                       mca_coll_pschedule_range_t chunk, mca_coll_pschedule_node_t after)
{
    uint64_t key = mca_coll_pschedule_key(ALLGATHER, step, ring->partition, index);

    (void) mca_coll_pschedule_plan_send(ring->plan, right(ring), key,
                                        mca_coll_pschedule_at(ring->result, chunk.offset),
                                        chunk.bytes, after);
}

/* Follow one block from its arrival in the first phase, if it arrives in it, to the next step. */
static void reduce_scatter(ring_t *ring)
{
    mca_coll_pschedule_range_t first = block(ring, 1);

    for (uint32_t i = 0; i < chunks(ring, first); ++i) {
        mca_coll_pschedule_range_t chunk
            = mca_coll_pschedule_part(first, i, chunks(ring, first), ring->problem->element);

        send_partial(ring, 0, i, chunk, ring->ready);
    }
    for (uint32_t step = 0; step + 1 < ranks(ring); ++step) {
        mca_coll_pschedule_range_t whole = block(ring, step + 2);
        uint32_t count = chunks(ring, whole);

        for (uint32_t i = 0; i < count; ++i) {
            mca_coll_pschedule_range_t chunk
                = mca_coll_pschedule_part(whole, i, count, ring->problem->element);
            mca_coll_pschedule_node_t sum = receive_partial(ring, step, i, chunk);

            if (step + 2 < ranks(ring)) {
                send_partial(ring, step + 1, i, chunk, sum);
            } else {
                send_final(ring, 0, i, chunk, sum);
                mca_coll_pschedule_plan_depend(
                    ring->plan, mca_coll_pschedule_plan_result(ring->plan, ring->partition), sum);
            }
        }
    }
}

static void allgather(ring_t *ring)
{
    for (uint32_t step = 0; step + 1 < ranks(ring); ++step) {
        mca_coll_pschedule_range_t whole = block(ring, step + 1);
        uint32_t count = chunks(ring, whole);

        for (uint32_t i = 0; i < count; ++i) {
            uint64_t key = mca_coll_pschedule_key(ALLGATHER, step, ring->partition, i);
            mca_coll_pschedule_range_t chunk
                = mca_coll_pschedule_part(whole, i, count, ring->problem->element);
            mca_coll_pschedule_node_t arrive = mca_coll_pschedule_plan_receive(
                ring->plan, left(ring), key, mca_coll_pschedule_at(ring->result, chunk.offset),
                chunk.bytes);

            mca_coll_pschedule_plan_depend(
                ring->plan, mca_coll_pschedule_plan_result(ring->plan, ring->partition), arrive);
            if (step + 2 < ranks(ring)) {
                send_final(ring, step + 1, i, chunk, arrive);
            }
        }
    }
}

static uint64_t slot_bytes(uint64_t bytes, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_range_t whole = {.offset = 0, .bytes = bytes};
    uint64_t most = 0;

    /* The largest block is the first or the last; a chunk of it is no larger than a chunk. */
    for (uint32_t i = 0; i < 2; ++i) {
        mca_coll_pschedule_range_t of = mca_coll_pschedule_part(
            whole, 0 == i ? 0 : (uint32_t) problem->size - 1, (uint32_t) problem->size,
            problem->element);

        most = of.bytes > most ? of.bytes : most;
    }
    if (most > problem->chunk) {
        most = problem->chunk < problem->element ? problem->element : problem->chunk;
    }
    return most;
}

static void build_partition(mca_coll_pschedule_plan_t *plan,
                            const mca_coll_pschedule_problem_t *problem, uint32_t partition)
{
    const mca_coll_pschedule_block_t *send = &problem->send[0];
    ring_t ring = {.plan = plan,
                   .problem = problem,
                   .partition = partition,
                   .range = mca_coll_pschedule_partition(&send->cut, partition),
                   .ready = mca_coll_pschedule_plan_ready(plan, partition)};

    ring.contribution = (mca_coll_pschedule_place_t) {
        .space = problem->in_place ? COLL_PSCHEDULE_SPACE_RECV : COLL_PSCHEDULE_SPACE_SEND,
        .offset = send->offset + ring.range.offset};
    ring.result = (mca_coll_pschedule_place_t) {
        .space = COLL_PSCHEDULE_SPACE_RECV,
        .offset = problem->recv[0].offset + ring.range.offset};
    for (uint32_t i = 0; i < SLOTS && problem->in_place; ++i) {
        ring.slot[i] = mca_coll_pschedule_plan_scratch(plan, slot_bytes(ring.range.bytes, problem));
    }
    reduce_scatter(&ring);
    allgather(&ring);
}

/* One rank: the contribution is the result. */
static void build_alone(mca_coll_pschedule_plan_t *plan,
                        const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_block_t *send = &problem->send[0];
    const mca_coll_pschedule_block_t *recv = &problem->recv[0];

    for (uint32_t i = 0; i < send->cut.partitions; ++i) {
        mca_coll_pschedule_range_t range = mca_coll_pschedule_partition(&send->cut, i);
        mca_coll_pschedule_node_t done = mca_coll_pschedule_plan_ready(plan, i);

        if (!problem->in_place) {
            done = mca_coll_pschedule_plan_copy(
                plan,
                (mca_coll_pschedule_place_t) {COLL_PSCHEDULE_SPACE_SEND,
                                              send->offset + range.offset},
                (mca_coll_pschedule_place_t) {COLL_PSCHEDULE_SPACE_RECV,
                                              recv->offset + range.offset},
                range.bytes, done);
        }
        mca_coll_pschedule_plan_depend(plan, mca_coll_pschedule_plan_result(plan, i), done);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    if (1 == problem->size) {
        build_alone(plan, problem);
        return;
    }
    for (uint32_t i = 0; i < problem->send[0].cut.partitions; ++i) {
        build_partition(plan, problem, i);
    }
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t steps = (uint64_t) problem->size - 1;
    uint64_t partition = problem->common_bytes / problem->common_partitions;
    uint64_t block = partition / (uint64_t) problem->size + problem->element;

    cost->rounds = 2 * steps;
    cost->bytes = 2 * steps * block * problem->common_partitions;
    cost->reduced = steps * block * problem->common_partitions;
    cost->scratch = problem->common_in_place && problem->size > 1
                        ? SLOTS * problem->common_partitions
                              * ((slot_bytes(partition, problem) + 63) & ~UINT64_C(63))
                        : 0;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_ring = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "ring",
    .description = "reduce-scatter and allgather around a ring, in chunks; for large partitions",
    .memory = "none; in place two chunks per partition",
    .limits = COLL_PSCHEDULE_COMMUTATIVE,
    .build = build,
    .cost = cost};
