/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast along a chain of ranks: the root, the others of its host, then host by host. Every rank
 * passes every piece on as soon as it has it, so all links of the chain are busy at the same time.
 *
 *   time ->        root  0123456789
 *                  +1     0123456789
 *                  +2      0123456789     (what each rank sends)
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_order.h"
#include "patterns/coll_pschedule_reduction.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    uint32_t position = mca_coll_pschedule_chain_position(problem);
    bool root = 0 == position, last = position + 1 == (uint32_t) problem->size;
    mca_coll_pschedule_hop_t next
        = {.rank = mca_coll_pschedule_chain_rank(problem, last ? 0 : position + 1)};
    mca_coll_pschedule_hop_t from
        = {.rank = mca_coll_pschedule_chain_rank(problem, root ? 0 : position - 1)};
    mca_coll_pschedule_flow_t flow
        = mca_coll_pschedule_flow(plan, problem, problem->contribution[0],
                                  root ? &problem->send[0] : NULL, root ? NULL : &problem->recv[0]);

    flow.limit = mca_coll_pschedule_pipeline_chunk(problem);
    if (root) {
        mca_coll_pschedule_flow_leave(&flow, &next, last ? 0 : 1);
    } else {
        mca_coll_pschedule_flow_pass(&flow, from, &next, last ? 0 : 1);
    }
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_pipeline_cost(problem, (uint64_t) problem->size - 1);
    cost->reduced = cost->scratch = 0; /* pieces come right to their places */
    cost->hosts = mca_coll_pschedule_around(problem, cost->bytes);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_bcast_chain = {
    .collective = COLL_PSCHEDULE_BCAST,
    .last = COLL_PSCHEDULE_BCAST,
    .name = "chain",
    .description = "pipeline of pieces from rank to rank, beginning at the root; for much data",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
