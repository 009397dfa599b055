/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast from many endpoints: a host that has the message sends it to other hosts from all of
 * its ranks. One rank of a host, its leader, gets the message and gives it to its neighbours; each
 * of them (the leader too) has its share of the hosts that are to be told by this one.
 *
 *   hosts 0 1 2 3 | 4 5 6 7 | 8 9 10 11 | 12 13 14 15, root 0:
 *     0 -> 1, 2, 3     0 -> 4    1 -> 8    2 -> 12    4 -> 5, 6, 7    8 -> 9, 10, 11   ...
 *
 * Which host tells which is a tree with up to k children in each level, counted from the root's
 * host: the parent of a host at distance d is what remains of d when its lowest digit that is not 0
 * becomes 0, in a number system with k + 1 digits. With k = hosts - 1 the root's host tells all
 * (flat).
 *
 *   k = 2, in threes:  0 -- 1, 2, 3, 6     3 -- 4, 5     6 -- 7, 8
 */
#ifndef COLL_PSCHEDULE_ENDPOINTS_H
#define COLL_PSCHEDULE_ENDPOINTS_H

#include "patterns/coll_pschedule_cost.h"
#include "plan/coll_pschedule_plan.h"

/** Broadcast with `children` (at least 1) hosts per level. */
void mca_coll_pschedule_endpoints_build(mca_coll_pschedule_plan_t *plan,
                                        const mca_coll_pschedule_problem_t *problem,
                                        uint32_t children);

/** What it costs. */
mca_coll_pschedule_cost_t
mca_coll_pschedule_endpoints_cost(const mca_coll_pschedule_problem_t *problem, uint32_t children);

#endif /* COLL_PSCHEDULE_ENDPOINTS_H */
