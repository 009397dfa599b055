/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Algorithms of hosts for ranks: each rank is a host of its own, so there is one lane.
 */
#ifndef COLL_PSCHEDULE_FLAT_H
#define COLL_PSCHEDULE_FLAT_H

#include "plan/coll_pschedule_plan.h"

/** Who is the next host. */
typedef enum mca_coll_pschedule_order_t {
    COLL_PSCHEDULE_ORDER_RANKS, /**< the next rank; the root is the first one */
    COLL_PSCHEDULE_ORDER_RING   /**< the next around the ring (coll_pschedule_order.h) */
} mca_coll_pschedule_order_t;

/** Call `build` for the problem with such hosts. A lack of memory is kept in the plan. */
void mca_coll_pschedule_build_flat(
    mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
    mca_coll_pschedule_order_t order,
    void (*build)(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem));

/** Has every host one rank? */
static inline bool mca_coll_pschedule_is_flat(const mca_coll_pschedule_hosts_t *hosts)
{
    return 1 == hosts->most;
}

#endif /* COLL_PSCHEDULE_FLAT_H */
