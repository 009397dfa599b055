/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce-scatter around a ring: the partial result of block b begins with the contribution of rank
 * b+1, goes to b+2, b+3 ... and collects all others on its way to rank b. Only neighbours talk to
 * each other.
 *
 * A partial result comes into a slot, the own contribution is put in from the left, and it leaves
 * from there. On its last rank it comes into the receive buffer, or, in place, into a slot, from
 * where it is copied to the beginning of the buffer when all contributions that it covers were used
 * (coll_pschedule_readers.h). It covers blocks up to the own one only, and these are built first.
 *
 * Slots cannot be shared by blocks: a partition of one block that nobody has marked must not hold
 * up another. So the slots of all blocks together may be as large as the contribution.
 *
 * No deadlock: a chunk waits for the same chunk on the rank before, and for the slot of the chunk
 * four before on the rank behind; in place, the slot on the last rank is free when the result has
 * been copied, which waits for contributions below its own end only, while the chunk that waits for
 * the slot lies above it: positions decrease, so there is no circle.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_blocks.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_order.h"
#include "patterns/coll_pschedule_readers.h"

typedef struct ring_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_readers_t readers;
    int32_t left;
    int32_t right;
} ring_t;

/* A chunk of a block, and what this rank has of it. */
typedef struct bit_t {
    int32_t block;
    uint32_t partition; /* of the block */
    uint32_t index;
    mca_coll_pschedule_range_t range; /* within the partition */
    uint64_t sent; /* keys */
    uint64_t received;
} bit_t;

/* Keys grow with the number of ranks that a block has gone through before `receiver`. */
static uint64_t key_of(const ring_t *ring, int32_t block, int32_t receiver, uint32_t partition,
                       uint32_t index)
{
    uint32_t size = (uint32_t) ring->problem->size;
    uint32_t hops = (mca_coll_pschedule_way(ring->problem, block, receiver) + size - 2) % size;

    return mca_coll_pschedule_key(0, hops, partition, index);
}

static mca_coll_pschedule_place_t target(const ring_t *ring, const bit_t *bit)
{
    return mca_coll_pschedule_at(mca_coll_pschedule_target(ring->problem, bit->partition),
                                 bit->range.offset);
}

/* The partial result of the ranks before comes. */
static mca_coll_pschedule_partial_t take(const ring_t *ring, mca_coll_pschedule_slots_t *slots,
                                         const bit_t *bit)
{
    if (bit->block != ring->problem->rank || ring->problem->common_in_place) {
        return mca_coll_pschedule_slots_receive(slots, bit->index, ring->left, bit->received,
                                                bit->range.bytes);
    }
    return mca_coll_pschedule_receive_at(ring->plan, ring->left, bit->received, target(ring, bit),
                                         bit->range.bytes);
}

/* It goes on; what comes right into a receive buffer needs no slot there. */
static mca_coll_pschedule_node_t pass(const ring_t *ring, const bit_t *bit,
                                      mca_coll_pschedule_partial_t sum)
{
    bool slot = ring->right != bit->block || ring->problem->common_in_place;

    return mca_coll_pschedule_slots_send(ring->plan, slot ? bit->index : 0, ring->right,
                                         bit->sent, sum, bit->range.bytes);
}

static mca_coll_pschedule_node_t end(const ring_t *ring, const bit_t *bit,
                                     mca_coll_pschedule_partial_t sum)
{
    return mca_coll_pschedule_readers_settle(&ring->readers, sum, target(ring, bit),
                                             bit->range.bytes, bit->partition);
}

static void build_chunk(ring_t *ring, mca_coll_pschedule_slots_t *slots, const bit_t *bit)
{
    mca_coll_pschedule_partial_t sum = mca_coll_pschedule_own(
        ring->plan, ring->problem, (uint32_t) bit->block, bit->partition);
    bool first = ring->left == bit->block;
    mca_coll_pschedule_node_t gone;
    uint64_t behind;

    sum = mca_coll_pschedule_within(sum, bit->range);
    behind = sum.place.offset + bit->range.bytes;
    if (first) {
        mca_coll_pschedule_readers_add(&ring->readers, behind, pass(ring, bit, sum));
        return;
    }
    sum = mca_coll_pschedule_join(ring->plan, sum, take(ring, slots, bit), bit->range.bytes);
    mca_coll_pschedule_readers_add(&ring->readers, behind, sum.node);
    gone = bit->block == ring->problem->rank ? end(ring, bit, sum) : pass(ring, bit, sum);
    mca_coll_pschedule_slots_used(slots, bit->index, gone, COLL_PSCHEDULE_NONE);
}

static void build_partition(ring_t *ring, int32_t block, uint32_t partition)
{
    const mca_coll_pschedule_problem_t *problem = ring->problem;
    const mca_coll_pschedule_block_t *of = &problem->send[block];
    mca_coll_pschedule_range_t whole = {.bytes = of->cut.bytes / of->cut.partitions};
    uint32_t chunks = mca_coll_pschedule_chunks(whole.bytes, problem->chunk, problem->element);
    bool last = block == problem->rank;
    bool slotted = block != ring->left && (!last || problem->common_in_place);
    mca_coll_pschedule_slots_t slots = mca_coll_pschedule_slots(
        ring->plan, slotted ? chunks : 0,
        mca_coll_pschedule_largest(whole.bytes, problem->chunk, problem->element));

    for (uint32_t i = 0; i < chunks; ++i) {
        bit_t bit = {.block = block,
                     .partition = partition,
                     .index = i,
                     .range = mca_coll_pschedule_part(whole, i, chunks, problem->element),
                     .sent = key_of(ring, block, ring->right, of->first + partition, i),
                     .received = key_of(ring, block, problem->rank, of->first + partition, i)};

        build_chunk(ring, &slots, &bit);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    ring_t ring = {.plan = plan,
                   .problem = problem,
                   .readers = mca_coll_pschedule_readers(plan, problem->in_place),
                   .left = mca_coll_pschedule_ahead(problem, problem->rank, 1),
                   .right = mca_coll_pschedule_behind(problem, problem->rank, 1)};

    if (1 == problem->size) {
        mca_coll_pschedule_build_alone(plan, problem);
        return;
    }
    for (int32_t i = 0; i < problem->size; ++i) {
        for (uint32_t k = 0; k < problem->send[i].cut.partitions; ++k) {
            build_partition(&ring, i, k);
        }
    }
    mca_coll_pschedule_readers_free(&ring.readers);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t size = (uint64_t) problem->size;

    *cost = (mca_coll_pschedule_cost_t) {0};
    if (1 < size) {
        cost->rounds = size - 1;
        cost->messages
            = mca_coll_pschedule_reduce_scatter_messages(problem, size - 1, size - 1);
        cost->bytes = mca_coll_pschedule_other_blocks(problem);
        cost->reduced = cost->bytes;
        cost->hosts = mca_coll_pschedule_around(problem, cost->bytes);
        cost->scratch = mca_coll_pschedule_blocks_scratch(problem, 1);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_scatter_ring = {
    .collective = COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK,
    .last = COLL_PSCHEDULE_REDUCE_SCATTER,
    .name = "ring",
    .description = "partial results collect all contributions on their way around a ring",
    .memory = "four chunks per partition of all blocks, at most the size of the contribution",
    .limits = COLL_PSCHEDULE_COMMUTATIVE,
    .build = build,
    .cost = cost};
