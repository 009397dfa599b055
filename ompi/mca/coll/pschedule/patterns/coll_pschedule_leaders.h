/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather and scatter along a tree of leaders: the root leads its host, the first rank of every
 * other host leads that. Every rank talks to its leader, and leaders talk along a binomial tree of
 * hosts, whose positions are distances from the root's host (coll_pschedule_tree.h).
 *
 *   hosts 0 1 2 3 | 4 5 6 7 | 8 9 10 11 | 12 13 14 15, root 0:
 *     0 -- 1, 2, 3, 4, 8     4 -- 5, 6, 7     8 -- 9, 10, 11, 12     12 -- 13, 14, 15
 *
 * Contributions are not put together on the way, as then one would wait for another: each is a flow
 * of its own, which leaders relay.
 */
#ifndef COLL_PSCHEDULE_LEADERS_H
#define COLL_PSCHEDULE_LEADERS_H

#include "patterns/coll_pschedule_flow.h"

void mca_coll_pschedule_leaders_gather(mca_coll_pschedule_plan_t *plan,
                                       const mca_coll_pschedule_problem_t *problem);
void mca_coll_pschedule_leaders_scatter(mca_coll_pschedule_plan_t *plan,
                                        const mca_coll_pschedule_problem_t *problem);

/** Cost of either. Where each rank is a host: mca_coll_pschedule_flow_tree_cost(). */
mca_coll_pschedule_cost_t
mca_coll_pschedule_leaders_cost(const mca_coll_pschedule_problem_t *problem);

#endif /* COLL_PSCHEDULE_LEADERS_H */
