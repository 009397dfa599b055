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
    mca_coll_pschedule_slots_t slots; /* of the partition that is built */
} ring_t;

typedef mca_coll_pschedule_bit_t bit_t;

/* Keys grow with the number of ranks that a block has gone through before `receiver`. */
static uint64_t key_of(const ring_t *ring, const bit_t *bit, int32_t receiver)
{
    uint32_t size = (uint32_t) ring->problem->size;
    uint32_t hops = (mca_coll_pschedule_way(ring->problem, bit->block, receiver) + size - 2) % size;

    return mca_coll_pschedule_key(0, hops, bit->number, bit->index);
}

/* Does a partial result of a block come right into the receive buffer of a rank? */
static bool is_direct(const ring_t *ring, int32_t block, int32_t receiver)
{
    return receiver == block && !ring->problem->common_in_place;
}

/* The partial result of the ranks before comes. */
static mca_coll_pschedule_partial_t take(ring_t *ring, const bit_t *bit)
{
    int32_t rank = ring->problem->rank;

    return mca_coll_pschedule_slots_take(&ring->slots, bit->index,
                                         is_direct(ring, bit->block, rank), bit->target, ring->left,
                                         key_of(ring, bit, rank), bit->range.bytes);
}

static mca_coll_pschedule_node_t pass(const ring_t *ring, const bit_t *bit,
                                      mca_coll_pschedule_partial_t sum)
{
    bool direct = is_direct(ring, bit->block, ring->right);

    return mca_coll_pschedule_slots_send(ring->plan, direct ? 0 : bit->index, ring->right,
                                         key_of(ring, bit, ring->right), sum, bit->range.bytes);
}

static void begin(void *at, const bit_t *bit, uint32_t chunks, uint64_t largest)
{
    ring_t *ring = at;
    bool slotted = bit->block != ring->left && !is_direct(ring, bit->block, ring->problem->rank);

    ring->slots = mca_coll_pschedule_slots(ring->plan, slotted ? chunks : 0, largest);
}

static void build_chunk(void *at, const bit_t *bit)
{
    ring_t *ring = at;
    mca_coll_pschedule_partial_t sum;
    mca_coll_pschedule_node_t gone;

    if (ring->left == bit->block) {
        mca_coll_pschedule_readers_add(&ring->readers, bit, pass(ring, bit, bit->own));
        return;
    }
    sum = mca_coll_pschedule_join(ring->plan, bit->own, take(ring, bit), bit->range.bytes);
    mca_coll_pschedule_readers_add(&ring->readers, bit, sum.node);
    gone = bit->block == ring->problem->rank
               ? mca_coll_pschedule_readers_settle(&ring->readers, sum, bit)
               : pass(ring, bit, sum);
    mca_coll_pschedule_slots_used(&ring->slots, bit->index, gone, COLL_PSCHEDULE_NONE);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_scattering_t does = {.begin = begin, .build = build_chunk};
    ring_t ring = {.plan = plan,
                   .problem = problem,
                   .left = mca_coll_pschedule_ahead(problem, problem->rank, 1),
                   .right = mca_coll_pschedule_behind(problem, problem->rank, 1)};

    mca_coll_pschedule_build_blocks(plan, problem, &ring.readers, &does, &ring);
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
