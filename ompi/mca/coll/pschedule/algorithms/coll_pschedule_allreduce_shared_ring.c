/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce around a ring of ranks of one host, through slots. On one host the time goes into
 * copying, so each chunk stays in the cache from hop to hop: it comes into a slot, takes the
 * contribution up there, and leaves for the slot of the next rank, right from there. Slots are in
 * memory that the ranks share (part_ucx_shm.h). The buffers of the user are only touched to read
 * each contribution once and to write each result once.
 *
 * A partition is cut in rows, a row in one block (one chunk) per rank. A block of a row starts at
 * the rank behind it, goes around once to collect all contributions (hops 0 to N-2), then on to
 * bring the sum to all (hops N-1 to 2N-3):
 *
 *   hop h: send block r-1-h to rank r+1, receive block r-2-h from rank r-1
 *
 * ROWS rows of a partition are under way at a time, with SLOTS slots each; row w uses those of row
 * w - ROWS after it.
 *
 * In place: a result comes to where the contribution to it was, which has been used for it.
 *
 * No deadlock: transfers to the same slots have numbers, in the order of rows and hops; all rows
 * have as many. What came with number n is used when it was sent on with number n + 1, for which
 * the next rank must have used number n + 1 - SLOTS, that is, a lower one; and n is sent by a rank
 * that has got number n - 1 before, or by one where n is the first of its row.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_reduction.h"
#include "patterns/coll_pschedule_tree.h"

#define ROWS  2u
#define SLOTS 2u

typedef struct ring_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    uint32_t size;
    uint32_t rank;
    uint32_t hops;
    int32_t left, right; /* neighbours */
    /* Of the partition that is built: */
    uint32_t partition;
    mca_coll_pschedule_partial_t own;
    mca_coll_pschedule_place_t target;
    mca_coll_pschedule_slots_t slots[ROWS];
} ring_t;

typedef struct row_t {
    uint32_t index;
    mca_coll_pschedule_range_t range; /* within the partition */
} row_t;

static uint64_t key_of(const ring_t *ring, const row_t *row, uint32_t hop)
{
    return mca_coll_pschedule_key(0, hop, ring->partition, row->index);
}

/* Counts the transfers to the slots of a row and of those that use the same. */
static uint32_t number_of(const ring_t *ring, const row_t *row, uint32_t hop)
{
    return row->index / ROWS * ring->hops + hop;
}

/* What this rank sends in a hop; it receives what it sends in the next. */
static mca_coll_pschedule_range_t block(const ring_t *ring, const row_t *row, uint32_t hop)
{
    uint32_t index = (ring->rank + 2 * ring->size - 1 - hop % ring->size) % ring->size;

    return mca_coll_pschedule_part(row->range, index, ring->size, ring->problem->element);
}

static mca_coll_pschedule_node_t send(ring_t *ring, const row_t *row, uint32_t hop,
                                      mca_coll_pschedule_partial_t partial, uint64_t bytes)
{
    return mca_coll_pschedule_slots_send_many(ring->plan, SLOTS, number_of(ring, row, hop),
                                              ring->right, key_of(ring, row, hop), partial, bytes);
}

/* A block comes, takes the contribution up or is a result already, and goes on. */
static void pass(ring_t *ring, const row_t *row, uint32_t hop)
{
    mca_coll_pschedule_slots_t *slots = &ring->slots[row->index % ROWS];
    mca_coll_pschedule_range_t range = block(ring, row, hop + 1);
    mca_coll_pschedule_partial_t partial
        = mca_coll_pschedule_slots_receive(slots, number_of(ring, row, hop), ring->left,
                                           key_of(ring, row, hop), range.bytes);
    mca_coll_pschedule_node_t sent = COLL_PSCHEDULE_NONE, settled = COLL_PSCHEDULE_NONE;

    if (hop + 1 < ring->size) {
        partial = mca_coll_pschedule_join(
            ring->plan, mca_coll_pschedule_within(ring->own, range), partial, range.bytes);
    }
    if (hop + 1 < ring->hops) {
        sent = send(ring, row, hop + 1, partial, range.bytes);
    }
    if (hop + 2 >= ring->size) {
        settled = mca_coll_pschedule_settle(ring->plan, partial,
                                            mca_coll_pschedule_at(ring->target, range.offset),
                                            range.bytes, ring->partition);
    }
    mca_coll_pschedule_slots_used(slots, number_of(ring, row, hop), sent, settled);
}

static void build_row(ring_t *ring, const row_t *row)
{
    mca_coll_pschedule_range_t first = block(ring, row, 0);

    (void) send(ring, row, 0, mca_coll_pschedule_within(ring->own, first), first.bytes);
    for (uint32_t hop = 0; hop < ring->hops; ++hop) {
        pass(ring, row, hop);
    }
}

/* ---- sizes ---- */

/* All slots of a rank of a few partitions shall stay in its cache. */
#define CHUNK (UINT64_C(128) << 10)

static uint64_t chunk_of(const mca_coll_pschedule_problem_t *problem)
{
    uint64_t chunk = problem->chunk < CHUNK ? problem->chunk : CHUNK;
    uint64_t least = mca_coll_pschedule_least_chunk(problem); /* there are keys for so many rows */

    return chunk < least ? least : chunk;
}

/* Bytes of the largest of the parts that a partition is cut in. */
static uint64_t largest(const mca_coll_pschedule_problem_t *problem, uint64_t parts)
{
    return mca_coll_pschedule_largest_part(mca_coll_pschedule_common(problem), parts,
                                           problem->element);
}

static uint32_t rows_of(const mca_coll_pschedule_problem_t *problem)
{
    return mca_coll_pschedule_chunks(largest(problem, (uint64_t) problem->size),
                                     chunk_of(problem), problem->element);
}

static uint64_t slot_bytes(const mca_coll_pschedule_problem_t *problem)
{
    uint64_t rows = rows_of(problem);

    return 0 == rows ? 0 : largest(problem, rows * (uint64_t) problem->size);
}

/* ---- all ---- */

static void build_partition(ring_t *ring)
{
    mca_coll_pschedule_range_t whole = {.bytes = mca_coll_pschedule_common(ring->problem)};
    uint32_t rows = rows_of(ring->problem);

    for (uint32_t i = 0; i < ROWS; ++i) {
        ring->slots[i] = mca_coll_pschedule_slots_many(ring->plan, SLOTS, i < rows ? SLOTS : 0,
                                                       slot_bytes(ring->problem));
    }
    for (uint32_t i = 0; i < rows; ++i) {
        row_t row = {.index = i,
                     .range = mca_coll_pschedule_part(whole, i, rows, ring->problem->element)};

        build_row(ring, &row);
    }
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
                       .rank = (uint32_t) problem->rank,
                       .hops = 2 * ((uint32_t) problem->size - 1),
                       .left = mca_coll_pschedule_before(problem, 1),
                       .right = mca_coll_pschedule_after(problem, 1),
                       .partition = i,
                       .own = mca_coll_pschedule_own(plan, problem, 0, i),
                       .target = mca_coll_pschedule_target(problem, i)};

        build_partition(&ring);
    }
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t hops = 2 * ((uint64_t) problem->size - 1);
    uint64_t block = largest(problem, (uint64_t) problem->size) * problem->common_partitions;

    *cost = (mca_coll_pschedule_cost_t) {.rounds = hops,
                                         .bytes = hops * block,
                                         .reduced = hops / 2 * block};
    if (0 < hops) {
        cost->scratch = problem->common_partitions * (rows_of(problem) < ROWS ? 1u : ROWS) * SLOTS
                        * mca_coll_pschedule_padded(slot_bytes(problem));
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_shared_ring = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "shared_ring",
    .description = "a ring through slots in shared memory; for much data on one host",
    .memory = "four chunks of at most 128 KiB per partition",
    .limits = COLL_PSCHEDULE_COMMUTATIVE | COLL_PSCHEDULE_SHARES,
    .build = build,
    .cost = cost};
