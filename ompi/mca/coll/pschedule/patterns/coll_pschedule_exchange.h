/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall that knows hosts: blocks for another host leave through a gate of the host they come
 * from and enter through a gate of the host they go to, so that few ranks of both talk to each
 * other, and many small blocks are under way between those. Which rank is the gate is the route:
 *
 *   distribute   r -> rank of the other host on r's lane -> d       each rank: one peer per host
 *   aggregate    r -> rank of this host on d's lane -> d            each rank: one peer per host
 *   leader       r -> leader -> leader of the other host -> d       each host: one peer per host
 *
 * Leaders: a pair of hosts has one pair of them, for both directions; the ranks of a host take
 * turns, so that no rank relays everything. Blocks for ranks of the same host go straight to them,
 * as does every block whose gate is one of its ends.
 *
 * Nothing is put together here, as then one block would wait for another. A relay hands on what
 * came, when it came.
 */
#ifndef COLL_PSCHEDULE_EXCHANGE_H
#define COLL_PSCHEDULE_EXCHANGE_H

#include "patterns/coll_pschedule_cost.h"
#include "plan/coll_pschedule_plan.h"

/** Which rank of its host is the gate of a block, seen from the end that is on that host. */
typedef enum mca_coll_pschedule_gate_t {
    COLL_PSCHEDULE_GATE_SELF, /**< the end itself */
    COLL_PSCHEDULE_GATE_LANE, /**< the rank on the lane of the other end */
    COLL_PSCHEDULE_GATE_PAIR  /**< one rank for all blocks from and to the other end's host */
} mca_coll_pschedule_gate_t;

/** A route. */
typedef struct mca_coll_pschedule_gates_t {
    mca_coll_pschedule_gate_t out; /**< of the host where blocks come from */
    mca_coll_pschedule_gate_t in;  /**< of the host where they go to */
} mca_coll_pschedule_gates_t;

/** Exchange all blocks. */
void mca_coll_pschedule_exchange_build(mca_coll_pschedule_plan_t *plan,
                                       const mca_coll_pschedule_problem_t *problem,
                                       mca_coll_pschedule_gates_t gates);

/** What it costs. */
mca_coll_pschedule_cost_t
mca_coll_pschedule_exchange_cost(const mca_coll_pschedule_problem_t *problem,
                                 mca_coll_pschedule_gates_t gates);

#endif /* COLL_PSCHEDULE_EXCHANGE_H */
