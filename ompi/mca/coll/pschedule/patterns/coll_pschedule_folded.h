/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Any number of ranks for algorithms that want a power of two: with `extra` ranks too many, the
 * first 2 * extra ranks form pairs of neighbours. The odd one of a pair (the folded one) gives its
 * contribution to the even one, which takes part for both, and gives it the result in the end. So
 * the ranks that take part, numbered in order, stand for ranks in order.
 *
 *   ranks    (0 1) (2 3)  4  5      extra 2
 *   numbers    0     1    2  3      core 4
 */
#ifndef COLL_PSCHEDULE_FOLDED_H
#define COLL_PSCHEDULE_FOLDED_H

#include "patterns/coll_pschedule_tree.h"

typedef struct mca_coll_pschedule_folded_t {
    uint32_t core;   /**< the power of two */
    uint32_t levels; /**< its logarithm */
    uint32_t extra;
} mca_coll_pschedule_folded_t;

static inline mca_coll_pschedule_folded_t mca_coll_pschedule_folded(int32_t size)
{
    mca_coll_pschedule_folded_t folded = {.core = mca_coll_pschedule_highest((uint32_t) size)};

    folded.extra = (uint32_t) size - folded.core;
    folded.levels = mca_coll_pschedule_doublings((int32_t) folded.core);
    return folded;
}

/** Does a rank give its contribution to the one before? */
static inline bool mca_coll_pschedule_folded_gives(const mca_coll_pschedule_folded_t *folded,
                                                   uint32_t rank)
{
    return rank < 2 * folded->extra && 1 == rank % 2;
}

/** Does it get one from the rank behind? */
static inline bool mca_coll_pschedule_folded_takes(const mca_coll_pschedule_folded_t *folded,
                                                   uint32_t rank)
{
    return rank < 2 * folded->extra && 0 == rank % 2;
}

/** The number of a rank that takes part. */
static inline uint32_t mca_coll_pschedule_folded_number(const mca_coll_pschedule_folded_t *folded,
                                                        uint32_t rank)
{
    return rank < 2 * folded->extra ? rank / 2 : rank - folded->extra;
}

/** And back. */
static inline uint32_t mca_coll_pschedule_folded_rank(const mca_coll_pschedule_folded_t *folded,
                                                      uint32_t number)
{
    return number < folded->extra ? 2 * number : number + folded->extra;
}

#endif /* COLL_PSCHEDULE_FOLDED_H */
