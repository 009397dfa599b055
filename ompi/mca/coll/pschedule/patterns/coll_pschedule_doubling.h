/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Recursive doubling: in level k, members whose numbers differ in bit k exchange what they have,
 * and both have the result of twice as many members. Members are all ranks, or one rank of each
 * host. Numbers are for powers of two of members; others are folded, by neighbours
 * (coll_pschedule_folded.h): "stage 0" of a member that takes part for two is that it gets the
 * contribution of the other.
 *
 * Every partial result covers members that follow each other, and of two partners one covers those
 * before the other's. So their order is kept, and both calculate the same: lower op upper, with the
 * same operands, bit by bit. The partner with the upper half puts what comes in into its own from
 * the left; for the other, the result is where the upper half came in, and its own place is free.
 *
 * What is in the send buffer cannot be put into: the first time that would be needed it is copied
 * to the receive buffer. Where the first thing that a member does is to take an upper half, that
 * comes right into the receive buffer (direct), unless the operation is in place.
 *
 * Each stage has slots of its own, as a partial result may stay in one until the end. What is sent
 * changes only when it has left. The result that a folded member gets depends on its contribution:
 * it may overwrite it, in place.
 *
 * No deadlock: stage k of chunk n waits for stages below k of chunk n, and for the slot of chunk
 * n-4, that is, for any stage of lower chunks.
 */
#ifndef COLL_PSCHEDULE_DOUBLING_H
#define COLL_PSCHEDULE_DOUBLING_H

#include "patterns/coll_pschedule_folded.h"
#include "patterns/coll_pschedule_reduction.h"

enum { COLL_PSCHEDULE_DOUBLING_STAGES = 32 };

/** Phases of keys below this are taken. */
enum { COLL_PSCHEDULE_DOUBLING_PHASES = 3 };

/** One member, of a partition. */
typedef struct mca_coll_pschedule_doubling_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    uint32_t lane;   /**< of the ranks that stand for hosts */
    uint32_t member; /**< this one */
    mca_coll_pschedule_folded_t folded;
    mca_coll_pschedule_slots_t slots[COLL_PSCHEDULE_DOUBLING_STAGES];
} mca_coll_pschedule_doubling_t;

/** What a member has. It may be in a slot of the caller's, which is told when it is free. */
typedef struct mca_coll_pschedule_doubled_t {
    mca_coll_pschedule_partial_t sum;
    mca_coll_pschedule_slots_t *slots; /**< or NULL */
    uint32_t number;                   /**< of the transfer that came into the slot */
} mca_coll_pschedule_doubled_t;

/** Hosts are members (or ranks: coll_pschedule_flat.h), and the ranks of a lane stand for them.
 * This rank is in the lane. */
void mca_coll_pschedule_doubling(mca_coll_pschedule_doubling_t *at,
                                 mca_coll_pschedule_plan_t *plan,
                                 const mca_coll_pschedule_problem_t *problem, uint32_t lane);

/** A chunk, those of a partition in order. Returns the node after which the result is there. */
mca_coll_pschedule_node_t mca_coll_pschedule_doubling_chunk(mca_coll_pschedule_doubling_t *at,
                                                            const mca_coll_pschedule_bit_t *chunk,
                                                            mca_coll_pschedule_doubled_t begin);

/** How often the vector goes to a member, and from it, at most: the busiest if `member` does not
 * exist. */
uint64_t mca_coll_pschedule_doubling_stages(uint32_t members, uint32_t member);

/** How often a member adds the vector of another. */
uint64_t mca_coll_pschedule_doubling_sums(uint32_t members, uint32_t member);

/** What it costs: everything but bytes of hosts. */
mca_coll_pschedule_cost_t
mca_coll_pschedule_doubling_cost(const mca_coll_pschedule_problem_t *problem, uint32_t members);

#endif /* COLL_PSCHEDULE_DOUBLING_H */
