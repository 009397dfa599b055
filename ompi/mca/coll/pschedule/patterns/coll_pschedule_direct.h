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

/** All blocks; `by_round`: receivers are served round by round (coll_pschedule_rounds.h), in keys
 * and when all is marked at once. */
void mca_coll_pschedule_direct_build(mca_coll_pschedule_plan_t *plan,
                                     const mca_coll_pschedule_problem_t *problem, bool by_round);

/* ---- parts of it ---- */

/** Step of a block that is served by round. */
uint32_t mca_coll_pschedule_direct_step(const mca_coll_pschedule_problem_t *problem, int32_t from,
                                        int32_t to);

/** The block for a rank; `step` as above, or 0 for all blocks; its sends wait for `turn`, too. */
void mca_coll_pschedule_direct_leave(mca_coll_pschedule_plan_t *plan,
                                     const mca_coll_pschedule_problem_t *problem, int32_t to,
                                     uint32_t step, mca_coll_pschedule_node_t turn);

/** The block from a rank; `came` waits for all of it. */
void mca_coll_pschedule_direct_take(mca_coll_pschedule_plan_t *plan,
                                    const mca_coll_pschedule_problem_t *problem, int32_t from,
                                    uint32_t step, mca_coll_pschedule_node_t came);

/** The block of this rank for itself; `ordered`: blocks have steps. */
void mca_coll_pschedule_direct_keep(mca_coll_pschedule_plan_t *plan,
                                    const mca_coll_pschedule_problem_t *problem, bool ordered);

/** Cost of an alltoall, in either order, or of an allgather. */
void mca_coll_pschedule_direct_cost(const mca_coll_pschedule_problem_t *problem,
                                    mca_coll_pschedule_cost_t *cost);

#endif /* COLL_PSCHEDULE_DIRECT_H */
