/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the algorithms that move data along lanes have in common (plan/coll_pschedule_hosts.h). A
 * flow goes from host to host along a lane, and at every stop to the other ranks of the host:
 *
 *   contributor -> rank of the lane on the next host -> rank of the lane on the one after it ...
 *        |                     |
 *        v                     v
 *   its neighbours       its neighbours
 *
 * So it enters every host once, whatever ranks are where. Pieces go on when they have come: there
 * are no phases. `from` is where a flow begins; hosts are seen from it, by their distance.
 */
#ifndef COLL_PSCHEDULE_LANES_H
#define COLL_PSCHEDULE_LANES_H

#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_together.h"

/** How a flow goes from host to host: where it comes from and goes to at a distance. */
typedef enum mca_coll_pschedule_route_t {
    COLL_PSCHEDULE_ROUTE_RING,   /**< from each host to the next */
    COLL_PSCHEDULE_ROUTE_TREE,   /**< a binomial tree, as in allgather_bruck */
    COLL_PSCHEDULE_ROUTE_LEADERS /**< that tree, and all flows are on one lane */
} mca_coll_pschedule_route_t;

/** A rank of an algorithm with lanes. */
typedef struct mca_coll_pschedule_lanes_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    const mca_coll_pschedule_hosts_t *hosts;
    mca_coll_pschedule_route_t route;
    uint32_t host;                 /**< of this rank */
    mca_coll_pschedule_together_t together; /**< of the ranks on the one lane */
    mca_coll_pschedule_hop_t *hop; /**< room for all that a rank passes a piece on to */
} mca_coll_pschedule_lanes_t;

/** To be freed; a lack of memory is kept in the plan, and nothing must be built then. */
bool mca_coll_pschedule_lanes(mca_coll_pschedule_lanes_t *lanes, mca_coll_pschedule_plan_t *plan,
                              const mca_coll_pschedule_problem_t *problem,
                              mca_coll_pschedule_route_t route);

void mca_coll_pschedule_lanes_free(mca_coll_pschedule_lanes_t *lanes);

/**
 * List where a piece goes on from this rank, which has it for lane `lane`: first along the lane,
 * then to the other ranks of the host but `besides`. All hops have the step.
 *
 * @param distance  of this rank's host from where the flow begins
 * @param besides   a rank, or COLL_PSCHEDULE_NOBODY
 * @return how many are in lanes->hop
 */
uint32_t mca_coll_pschedule_lanes_list(mca_coll_pschedule_lanes_t *lanes, uint32_t distance,
                                       uint32_t lane, int32_t besides, uint32_t step);

/** The host from which a flow comes to this rank's, at a distance of at least 1. */
uint32_t mca_coll_pschedule_lanes_before(const mca_coll_pschedule_lanes_t *lanes,
                                         uint32_t distance);

/** Allgather along lanes. Each contribution begins where it is, or goes first to the rank of its
 * host that is on the one lane. */
void mca_coll_pschedule_lanes_allgather(mca_coll_pschedule_plan_t *plan,
                                        const mca_coll_pschedule_problem_t *problem,
                                        mca_coll_pschedule_route_t route);

/** Its cost. */
mca_coll_pschedule_cost_t
mca_coll_pschedule_lanes_allgather_cost(const mca_coll_pschedule_problem_t *problem,
                                        mca_coll_pschedule_route_t route);

#endif /* COLL_PSCHEDULE_LANES_H */
