/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall in which every block goes straight to its receiver, in one order of keys or another; and
 * what it costs when a rank gets something straight from each other rank.
 */
#ifndef COLL_PSCHEDULE_DIRECT_H
#define COLL_PSCHEDULE_DIRECT_H

#include "patterns/coll_pschedule_cost.h"
#include "plan/coll_pschedule_plan.h"

/** How blocks go. */
typedef struct mca_coll_pschedule_direct_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    bool by_round;   /**< receivers are served round by round (coll_pschedule_rounds.h), in keys and
                      * when all is marked at once */
} mca_coll_pschedule_direct_t;

/** All blocks, each whenever it is marked, in a few pieces. */
void mca_coll_pschedule_direct_build(mca_coll_pschedule_plan_t *plan,
                                     const mca_coll_pschedule_problem_t *problem, bool by_round);

/* ---- parts of it ---- */

/** Step of a block in keys. */
uint32_t mca_coll_pschedule_direct_step(const mca_coll_pschedule_direct_t *direct, int32_t from,
                                        int32_t to);

/** The block for a rank, which waits for `turn`, too, or NONE. */
void mca_coll_pschedule_direct_leave(const mca_coll_pschedule_direct_t *direct, int32_t to,
                                     mca_coll_pschedule_node_t turn);

/** The block from a rank; `came` waits for it, or NONE. */
void mca_coll_pschedule_direct_take(const mca_coll_pschedule_direct_t *direct, int32_t from,
                                    mca_coll_pschedule_node_t came);

/** The block of this rank for itself, after all that it sends. */
void mca_coll_pschedule_direct_keep(const mca_coll_pschedule_direct_t *direct);

/** Cost of an alltoall, in either order, or of an allgather. */
void mca_coll_pschedule_direct_cost(const mca_coll_pschedule_problem_t *problem,
                                    mca_coll_pschedule_cost_t *cost);

#endif /* COLL_PSCHEDULE_DIRECT_H */
