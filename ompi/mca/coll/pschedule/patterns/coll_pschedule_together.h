/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Small contributions that go on together, along binomial trees in which each doubles the distance.
 * All that a member has by then goes to the member at distance 1, then all that it has to the one
 * at distance 2, at distance 4, and so on. What becomes free at the same time leaves in the same
 * message, if it is no more than a bundle takes: so log2(members) of them instead of one for each
 * contribution.
 *
 * So a contribution waits for others. That is allowed only where nobody can tell: in the persistent
 * collectives of MPI, which have no partitions (problem->whole). And only while they are few bytes:
 * one message takes one path (mca_coll_pschedule_goes_together()).
 */
#ifndef COLL_PSCHEDULE_TOGETHER_H
#define COLL_PSCHEDULE_TOGETHER_H

#include "plan/coll_pschedule_plan.h"

/** The most levels: doublings of 2^31 members, and one. */
#define COLL_PSCHEDULE_TOGETHER_LEVELS 32

/** Of one member. */
typedef struct mca_coll_pschedule_together_t {
    uint32_t levels; /**< 0: nothing waits for others */
    mca_coll_pschedule_node_t point[COLL_PSCHEDULE_TOGETHER_LEVELS]; /**< per level: all has come
                                                                      * over distances below it */
} mca_coll_pschedule_together_t;

/** For members of which one is this rank; all ranks decide the same. */
void mca_coll_pschedule_together(mca_coll_pschedule_together_t *together,
                                 mca_coll_pschedule_plan_t *plan,
                                 const mca_coll_pschedule_problem_t *problem, uint32_t members);

/** What goes to the member at distance `bit`, a power of two, waits for this; NULL: for none. */
const mca_coll_pschedule_node_t *
mca_coll_pschedule_together_next(const mca_coll_pschedule_together_t *together, uint32_t bit);

/** What goes to those who want all waits for this one; NULL: for none. */
const mca_coll_pschedule_node_t *
mca_coll_pschedule_together_all(const mca_coll_pschedule_together_t *together);

/** The node that waits for what comes from the contributor at a distance; or NONE. */
mca_coll_pschedule_node_t
mca_coll_pschedule_together_came(const mca_coll_pschedule_together_t *together, uint32_t distance);

#endif /* COLL_PSCHEDULE_TOGETHER_H */
