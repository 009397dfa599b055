/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prefix sums by recursive doubling, for any number of members and in their order: all ranks, or
 * the first rank of each host. Before level k, member m has the sum of itself and the 2^k - 1
 * members before it (or all); it sends that to member m + 2^k, and what comes from member m - 2^k
 * covers the members before: it is put in from the left.
 *
 *   level 0   x0 -> 1   x1 -> 2      x2 -> 3      ...
 *   level 1   x0 -> 2   x0..1 -> 3   x1..2 -> 4   ...
 *   level 2   x0 -> 4   x0..1 -> 5   x0..2 -> 6   ...
 *
 * Where the result excludes the member itself, it is the sum of what comes in. A sum changes only
 * when it has been sent.
 *
 * All levels share the slots for what comes in: level k of chunk n is transfer number n * levels +
 * k. It is used at once. No deadlock: transfer (n, k) waits for transfers that are smaller, by
 * chunk and then by level, on any member.
 */
#ifndef COLL_PSCHEDULE_PREFIX_H
#define COLL_PSCHEDULE_PREFIX_H

#include "patterns/coll_pschedule_reduction.h"

enum { COLL_PSCHEDULE_PREFIX_LEVELS = 32 };

struct mca_coll_pschedule_prefix_t;

/** A chunk on its way through the levels. */
typedef struct mca_coll_pschedule_prefix_bit_t {
    uint32_t partition;
    uint32_t index;
    mca_coll_pschedule_range_t range; /**< within the partition */
    mca_coll_pschedule_partial_t sum;
    mca_coll_pschedule_partial_t result; /**< that excludes the member; begins as its place */
    mca_coll_pschedule_node_t free;      /**< that place is free when this is done */
    mca_coll_pschedule_node_t sent;      /**< the sum, as it is, to the last of its receivers */
} mca_coll_pschedule_prefix_bit_t;

/** One member. */
typedef struct mca_coll_pschedule_prefix_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_hosts_t *hosts; /**< members are the first ranks; NULL: all ranks */
    uint32_t members;
    uint32_t member;
    bool excludes; /**< the member itself */
    /** The sum shall change: bring it where it can, after it left in level 0. NULL: it can. */
    void (*fix)(struct mca_coll_pschedule_prefix_t *prefix, mca_coll_pschedule_prefix_bit_t *bit);
    mca_coll_pschedule_slots_t *slots; /**< for what comes in */
    /** Of the last chunks: sums that left, by level. */
    mca_coll_pschedule_node_t left[COLL_PSCHEDULE_REDUCTION_SLOTS][COLL_PSCHEDULE_PREFIX_LEVELS];
} mca_coll_pschedule_prefix_t;

/** Levels in which a member gets something; it sends in those that have a member far enough. */
uint32_t mca_coll_pschedule_prefix_levels(uint32_t member);
bool mca_coll_pschedule_prefix_sends(uint32_t members, uint32_t member, uint32_t level);

/** Before the first chunk of a partition. */
void mca_coll_pschedule_prefix_begin(mca_coll_pschedule_prefix_t *prefix);

/** All levels of a chunk. */
void mca_coll_pschedule_prefix_chunk(mca_coll_pschedule_prefix_t *prefix,
                                     mca_coll_pschedule_prefix_bit_t *bit);

/** A node waits until sums of a chunk, or of that four before it, have left: from a level on. */
void mca_coll_pschedule_prefix_left(const mca_coll_pschedule_prefix_t *prefix, uint32_t index,
                                    uint32_t level, mca_coll_pschedule_node_t node);

/** How often a member reduces each byte. */
uint64_t mca_coll_pschedule_prefix_joins(uint32_t members, uint32_t member, bool excludes);

#endif /* COLL_PSCHEDULE_PREFIX_H */
