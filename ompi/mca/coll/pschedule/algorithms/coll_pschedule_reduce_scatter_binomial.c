/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce-scatter in log2(N) rounds, for any number of ranks: allgather_bruck with all arrows turned
 * around. The block for rank b comes to it along a binomial tree; seen from b, the rank at distance
 * d takes from the ranks at d + 2^k, for all 2^k above d, the farthest first, and sends to the one
 * at d without its highest bit:
 *
 *   4 -> 0    5 -> 1    6 -> 2    7 -> 3        2 -> 0    3 -> 1        1 -> 0
 *
 * The trees of all blocks are the same but for the rotation. So a rank sends to log2(N) ranks, half
 * of all blocks to the first of them, a quarter to the second. What is marked or has come at the
 * same time leaves in the same message: nothing waits for other blocks.
 *
 * A partial result comes into a slot. What this rank had is put to it there, so the place of that
 * is free. On rank b the last one comes into the receive buffer, or, in place, into a slot, from
 * where it is copied to the beginning of the buffer when all contributions that it covers were used
 * (coll_pschedule_readers.h). It covers blocks up to the own one only, and these are built first.
 *
 * No deadlock: all children of a rank in a tree use the same slots; transfer m stays in its slot
 * until transfer m+1 has come, or the sum has left, into a slot nearer to b. So its use waits for
 * numbers up to m+1, and for the same chunk farther from b. In place, as in reduce_scatter_lanes.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_blocks.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_readers.h"
#include "patterns/coll_pschedule_tree.h"

typedef struct tree_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_readers_t readers;
    /* Of the partition that is built: */
    uint32_t distance; /* from the rank of the block */
    mca_coll_pschedule_slots_t slots;
} tree_t;

typedef mca_coll_pschedule_bit_t bit_t;

/* Transfers per chunk that come to slots at a distance: the last one may come to its place. */
static uint32_t slotted(const mca_coll_pschedule_problem_t *problem, uint32_t distance)
{
    uint32_t count = mca_coll_pschedule_branches(distance, (uint32_t) problem->size);

    return 0 == distance && !problem->common_in_place ? count - 1 : count;
}

/* The number of child `child`, counted from the farthest; what comes to its place has no number. */
static uint32_t number_of(const mca_coll_pschedule_problem_t *problem, uint32_t distance,
                          uint32_t child, uint32_t chunk)
{
    uint32_t count = slotted(problem, distance);

    return child < count ? chunk * count + child : 0;
}

/* Of what is sent over a distance: the farthest leaves first. */
static uint64_t key_of(const bit_t *bit, uint32_t way)
{
    return mca_coll_pschedule_key(0, 31 - mca_coll_pschedule_level(way), bit->number, bit->index);
}

/* The partial result of child `child` comes over `way`. */
static mca_coll_pschedule_partial_t take(tree_t *tree, const bit_t *bit, uint32_t child,
                                         uint32_t way)
{
    const mca_coll_pschedule_problem_t *problem = tree->problem;

    return mca_coll_pschedule_slots_take(
        &tree->slots, number_of(problem, tree->distance, child, bit->index),
        child >= slotted(problem, tree->distance), bit->target,
        mca_coll_pschedule_after(problem, way), key_of(bit, way), bit->range.bytes);
}

/* To the rank nearer to that of the block. */
static mca_coll_pschedule_node_t pass(const tree_t *tree, const bit_t *bit,
                                      mca_coll_pschedule_partial_t sum)
{
    const mca_coll_pschedule_problem_t *problem = tree->problem;
    uint32_t way = mca_coll_pschedule_highest(tree->distance);
    uint32_t parent = tree->distance - way, child = 0;

    for (uint64_t bits = 2 * (uint64_t) way; parent + bits < (uint32_t) problem->size; bits *= 2) {
        ++child; /* one that is farther */
    }
    return mca_coll_pschedule_slots_send(tree->plan,
                                         number_of(problem, parent, child, bit->index),
                                         mca_coll_pschedule_before(problem, way),
                                         key_of(bit, way), sum, bit->range.bytes);
}

/* What has been added up goes on, or is the result. */
static mca_coll_pschedule_node_t leave(const tree_t *tree, const bit_t *bit,
                                       mca_coll_pschedule_partial_t sum)
{
    return 0 == tree->distance ? mca_coll_pschedule_readers_settle(&tree->readers, sum, bit)
                               : pass(tree, bit, sum);
}

static void begin(void *at, const bit_t *bit, uint32_t chunks, uint64_t largest)
{
    tree_t *tree = at;

    tree->distance = mca_coll_pschedule_position(tree->problem, tree->problem->rank, bit->block);
    tree->slots = mca_coll_pschedule_slots(
        tree->plan, (uint64_t) slotted(tree->problem, tree->distance) * chunks, largest);
}

static void build_chunk(void *at, const bit_t *bit)
{
    tree_t *tree = at;
    const mca_coll_pschedule_problem_t *problem = tree->problem;
    uint32_t count = mca_coll_pschedule_branches(tree->distance, (uint32_t) problem->size);
    uint32_t slots = slotted(problem, tree->distance);
    mca_coll_pschedule_partial_t sum = bit->own;
    mca_coll_pschedule_node_t gone;

    for (uint32_t child = 0; child < count; ++child) {
        uint32_t way = mca_coll_pschedule_onward(tree->distance) << (count - 1 - child);

        sum =
            mca_coll_pschedule_join(tree->plan, sum, take(tree, bit, child, way), bit->range.bytes);
        if (0 == child) {
            mca_coll_pschedule_readers_add(&tree->readers, bit, sum.node);
        } else {
            mca_coll_pschedule_slots_used(&tree->slots,
                                          number_of(problem, tree->distance, child - 1, bit->index),
                                          sum.node, COLL_PSCHEDULE_NONE);
        }
    }
    gone = leave(tree, bit, sum);
    if (0 == count) {
        mca_coll_pschedule_readers_add(&tree->readers, bit, gone);
    } else if (0 < slots) {
        mca_coll_pschedule_slots_used(&tree->slots,
                                      number_of(problem, tree->distance, slots - 1, bit->index),
                                      gone, COLL_PSCHEDULE_NONE);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_scattering_t does = {.begin = begin, .build = build_chunk};
    tree_t tree = {.plan = plan, .problem = problem};

    mca_coll_pschedule_build_blocks(plan, problem, &tree.readers, &does, &tree);
}

/* What children send a rank, over 1, 2, 4 ... ranks: partial results of so many blocks at most, and
 * of no more than there are ranks behind. */
static uint64_t collected(const mca_coll_pschedule_problem_t *problem)
{
    uint64_t largest = mca_coll_pschedule_largest_block(problem);
    uint64_t size = (uint64_t) problem->size, bytes = 0;

    for (uint64_t way = 1; way < size; way *= 2) {
        bytes += mca_coll_pschedule_blocks(problem, largest,
                                           way < size - way ? way : size - way);
    }
    return bytes;
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t size = (uint64_t) problem->size;
    uint64_t sent = mca_coll_pschedule_other_blocks(problem);

    *cost = (mca_coll_pschedule_cost_t) {0};
    if (1 < size) {
        cost->rounds = mca_coll_pschedule_doublings(problem->size);
        cost->messages = mca_coll_pschedule_reduce_scatter_messages(
            problem, cost->rounds,
            NULL == problem->hosts ? 0 : problem->hosts->most * cost->rounds);
        cost->reduced = collected(problem);
        cost->bytes = cost->reduced > sent ? cost->reduced : sent;
        cost->crowded = 2 < size ? cost->reduced : 0;
        /* A block has no more slots than children, and all blocks together N-1 of these; but the
         * largest one may have all four. */
        cost->scratch = mca_coll_pschedule_blocks_scratch(
            problem, problem->uniform ? 1 : COLL_PSCHEDULE_REDUCTION_SLOTS);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_scatter_binomial = {
    .collective = COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK,
    .last = COLL_PSCHEDULE_REDUCE_SCATTER,
    .name = "binomial",
    .description = "a binomial tree per block, rotated; log2(N) neighbours; for small blocks",
    .memory = "up to four chunks per partition of all blocks; of equal ones, at most the size of "
              "the contribution",
    .limits = COLL_PSCHEDULE_COMMUTATIVE,
    .build = build,
    .cost = cost};
