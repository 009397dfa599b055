/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce-scatter around a ring that goes host by host: reduce_scatter_lanes where each rank is a
 * host. The partial result of block b begins with the contribution of rank b+1, goes to b+2, b+3
 * ... and collects all others on its way to rank b. Only neighbours talk to each other.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_blocks.h"
#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_order.h"
#include "patterns/coll_pschedule_reduction.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_build_flat(plan, problem, COLL_PSCHEDULE_ORDER_RING,
                                  mca_coll_pschedule_reduce_scatter_lanes.build);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t size = (uint64_t) problem->size;

    *cost = (mca_coll_pschedule_cost_t) {0};
    if (1 < size) {
        cost->rounds = size - 1;
        cost->messages
            = mca_coll_pschedule_reduce_scatter_messages(problem, size - 1, size - 1);
        cost->bytes = mca_coll_pschedule_other_blocks(problem);
        cost->reduced = cost->bytes;
        cost->hosts = mca_coll_pschedule_around(problem, cost->bytes);
        cost->scratch = mca_coll_pschedule_blocks_scratch(problem, 1);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_scatter_ring = {
    .collective = COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK,
    .last = COLL_PSCHEDULE_REDUCE_SCATTER,
    .name = "ring",
    .description = "partial results collect all contributions on their way around a ring",
    .memory = "four chunks per partition of all blocks, at most the size of the contribution",
    .limits = COLL_PSCHEDULE_COMMUTATIVE,
    .build = build,
    .cost = cost};
