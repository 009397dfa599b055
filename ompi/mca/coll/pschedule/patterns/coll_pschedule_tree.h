/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers of ranks in trees: positions count from a root, which has position 0.
 */
#ifndef COLL_PSCHEDULE_TREE_H
#define COLL_PSCHEDULE_TREE_H

#include "plan/coll_pschedule_problem.h"

/** The position of a rank, seen from a root. */
static inline uint32_t mca_coll_pschedule_position(const mca_coll_pschedule_problem_t *problem,
                                                   int32_t rank, int32_t root)
{
    return (uint32_t) ((rank - root + problem->size) % problem->size);
}

/** The rank that is `distance` (at most the number of ranks) behind this one, around the ring. */
static inline int32_t mca_coll_pschedule_after(const mca_coll_pschedule_problem_t *problem,
                                               uint32_t distance)
{
    return (int32_t) (((uint32_t) problem->rank + distance) % (uint32_t) problem->size);
}

/** The rank that is `distance` (at most the number of ranks) before this one. */
static inline int32_t mca_coll_pschedule_before(const mca_coll_pschedule_problem_t *problem,
                                                uint32_t distance)
{
    return mca_coll_pschedule_after(problem, (uint32_t) problem->size - distance);
}

/** The number of the highest bit that is set: the logarithm, rounded down. 0 for 0. */
static inline uint32_t mca_coll_pschedule_level(uint32_t number)
{
    uint32_t level = 0;

    while (number >>= 1) {
        ++level;
    }
    return level;
}

/** The highest bit that is set in a number that is not 0. */
static inline uint32_t mca_coll_pschedule_highest(uint32_t number)
{
    return UINT32_C(1) << mca_coll_pschedule_level(number);
}

/** Rounds of doubling until one rank has become `size` ranks. */
static inline uint32_t mca_coll_pschedule_doublings(int32_t size)
{
    return 1 < size ? mca_coll_pschedule_level((uint32_t) size - 1) + 1 : 0;
}

/*
 * A rank that talks to all others does so in one round on paper, but has a message, and the marks
 * of a connection, for each of them. How many of them take as long as a round was measured (8, 16
 * and 32 processes on one host, 256 bytes a block): where all ranks talk to all, doubling is as
 * fast for 16 and 2.5 times as fast for 32; where one rank talks to all, it is not faster there.
 */
#define COLL_PSCHEDULE_PEERS_AT_ONCE    4u
#define COLL_PSCHEDULE_CHILDREN_AT_ONCE 16u

/** Rounds in which all ranks talk to all others. */
static inline uint64_t mca_coll_pschedule_mesh_rounds(int32_t size)
{
    return ((uint64_t) size - 1 + COLL_PSCHEDULE_PEERS_AT_ONCE - 1) / COLL_PSCHEDULE_PEERS_AT_ONCE;
}

/** Rounds in which one rank talks to all others. */
static inline uint64_t mca_coll_pschedule_star_rounds(int32_t size)
{
    return ((uint64_t) size - 1 + COLL_PSCHEDULE_CHILDREN_AT_ONCE - 1)
           / COLL_PSCHEDULE_CHILDREN_AT_ONCE;
}

/*
 * And small pieces that a rank has for its neighbours on a host: some leave together, by copying,
 * so that each takes a small part of a microsecond.
 */
#define COLL_PSCHEDULE_PIECES_AT_ONCE 256u

/** Rounds in which a rank gives its neighbours so many pieces, if that is more than a few. */
static inline uint64_t mca_coll_pschedule_copy_rounds(uint64_t pieces)
{
    return pieces / COLL_PSCHEDULE_PIECES_AT_ONCE;
}

/** In a tree as that of allgather_bruck, where distances are made up from their lowest bit to their
 * highest: how much farther what is at a distance goes first; then twice as far, and so on. */
static inline uint32_t mca_coll_pschedule_onward(uint32_t distance)
{
    return 0 == distance ? 1 : 2 * mca_coll_pschedule_highest(distance);
}

/** And to how many of so many members. */
static inline uint32_t mca_coll_pschedule_branches(uint32_t distance, uint32_t members)
{
    uint32_t count = 0;

    for (uint64_t on = mca_coll_pschedule_onward(distance); distance + on < members; on *= 2) {
        ++count;
    }
    return count;
}

/** The lowest bit that is set, or 0. */
static inline uint32_t mca_coll_pschedule_lowest(uint32_t number)
{
    return number & (0 - number);
}

/*
 * The binomial tree whose subtrees are ranges of positions: the parent of a position is what
 * remains without its lowest bit, and position p with lowest bit b is the root of the positions
 * from p to p + b - 1, as far as they exist.
 *
 *   0 -- 1, 2, 4, 8 ...     2 -- 3     4 -- 5, 6     6 -- 7     8 -- 9, 10, 12 ...
 */

/** The parent of a position other than 0. */
static inline uint32_t mca_coll_pschedule_parent(uint32_t position)
{
    return position & (position - 1);
}

/** The first position behind the subtree of a position. */
static inline uint32_t mca_coll_pschedule_subtree_end(uint32_t position, int32_t size)
{
    uint32_t end = position + mca_coll_pschedule_lowest(position);

    return 0 == position || end > (uint32_t) size ? (uint32_t) size : end;
}

/** The child of a position whose subtree contains `inner`, another position of its subtree. */
static inline uint32_t mca_coll_pschedule_child_towards(uint32_t position, uint32_t inner)
{
    return position + mca_coll_pschedule_highest(inner - position);
}

/** Positions in the largest subtree of a child of the root. */
static inline uint32_t mca_coll_pschedule_largest_subtree(int32_t size)
{
    uint32_t most = 0;

    for (uint32_t child = 1; child < (uint32_t) size; child *= 2) {
        uint32_t positions = mca_coll_pschedule_subtree_end(child, size) - child;

        most = positions > most ? positions : most;
    }
    return most;
}

#endif /* COLL_PSCHEDULE_TREE_H */
