/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A tree of leaders: the root leads its host, the first rank of every other host leads that. Every
 * rank talks to its leader, and leaders talk along a binomial tree of hosts, whose positions are
 * distances from the root's host (coll_pschedule_tree.h).
 *
 *   hosts 0 1 2 3 | 4 5 6 7 | 8 9 10 11 | 12 13 14 15, root 0:
 *     0 -- 1, 2, 3, 4, 8     4 -- 5, 6, 7     8 -- 9, 10, 11, 12     12 -- 13, 14, 15
 */
#ifndef COLL_PSCHEDULE_LEADERS_H
#define COLL_PSCHEDULE_LEADERS_H

#include "patterns/coll_pschedule_flow.h"

/** The next rank on the way from a rank to the root, which is another one. */
int32_t mca_coll_pschedule_leaders_up(const mca_coll_pschedule_problem_t *problem, int32_t rank);

/** The next rank on the way from a leader to another rank, one of those below it. */
int32_t mca_coll_pschedule_leaders_down(const mca_coll_pschedule_problem_t *problem, int32_t rank,
                                        int32_t to);

/** Call `visit` for every rank below this one: none, unless it is a leader. */
void mca_coll_pschedule_leaders_below(mca_coll_pschedule_plan_t *plan,
                                      const mca_coll_pschedule_problem_t *problem,
                                      void (*visit)(mca_coll_pschedule_plan_t *plan,
                                                    const mca_coll_pschedule_problem_t *problem,
                                                    int32_t rank));

/** Cost of a flow for each rank between it and the root, relayed by those between. */
mca_coll_pschedule_cost_t
mca_coll_pschedule_leaders_cost(const mca_coll_pschedule_problem_t *problem);

#endif /* COLL_PSCHEDULE_LEADERS_H */
