/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast as a scatter and an allgather around a ring: the root deals the pieces of a partition
 * out to the other N-1 ranks, one after the other, and each passes what it was dealt once around
 * the ring of these ranks. The root is not in the ring, as it has everything: it sends every byte
 * once, and every other rank receives every byte once.
 *
 *   piece 0: root -> 1 -> 2 -> 3        piece 1: root -> 2 -> 3 -> 1       piece 2: root -> 3 ...
 *
 * Compared with the chain, the root's traffic goes to all ranks instead of to one, and the last
 * link of every way is another one: all ranks send and receive the same. But every rank receives
 * from two others, and the root sends to all, which costs networks time (coll_pschedule_select.c).
 *
 * Hazards: every byte of a receive buffer is written once, by its own piece, and read (passed on)
 * after that.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_order.h"

/* Positions count from the root; those of the ring are 1 to N-1. */
static mca_coll_pschedule_hop_t hop_to(const mca_coll_pschedule_problem_t *problem,
                                       uint32_t position)
{
    return (mca_coll_pschedule_hop_t) {
        .rank = mca_coll_pschedule_chain_rank(problem, position, problem->root)};
}

static uint32_t next_in_ring(const mca_coll_pschedule_problem_t *problem, uint32_t position)
{
    return position + 1 == (uint32_t) problem->size ? 1 : position + 1;
}

static uint32_t previous_in_ring(const mca_coll_pschedule_problem_t *problem, uint32_t position)
{
    return 1 == position ? (uint32_t) problem->size - 1 : position - 1;
}

static uint32_t owner(const mca_coll_pschedule_problem_t *problem, uint32_t piece)
{
    return 1 + piece % ((uint32_t) problem->size - 1);
}

static void pass(const mca_coll_pschedule_flow_t *flow,
                 const mca_coll_pschedule_problem_t *problem, uint32_t position, uint32_t piece)
{
    uint32_t from = owner(problem, piece) == position ? 0 : previous_in_ring(problem, position);
    uint32_t next = next_in_ring(problem, position);
    mca_coll_pschedule_hop_t hop = hop_to(problem, next);

    mca_coll_pschedule_flow_pass_piece(flow, piece, hop_to(problem, from), &hop,
                                       owner(problem, piece) == next ? 0 : 1);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    uint32_t position = mca_coll_pschedule_chain_position(problem, problem->rank, problem->root);
    mca_coll_pschedule_flow_t flow = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[0], 0 == position ? &problem->send[0] : NULL,
        0 == position ? NULL : &problem->recv[0]);

    flow.limit = mca_coll_pschedule_flow_pipeline(problem);
    for (uint32_t i = 0; problem->size > 1 && i < mca_coll_pschedule_flow_pieces(&flow); ++i) {
        if (0 == position) {
            mca_coll_pschedule_hop_t hop = hop_to(problem, owner(problem, i));

            mca_coll_pschedule_flow_leave_piece(&flow, i, &hop, 1);
        } else {
            pass(&flow, problem, position, i);
        }
    }
}

/* The last piece that the root deals out goes around the ring when all others are under way. */
static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_flow_pipeline_cost(problem);
    cost->crowded = problem->size > 2 ? problem->common_bytes : 0;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_bcast_scatter_ring = {
    .collective = COLL_PSCHEDULE_BCAST,
    .last = COLL_PSCHEDULE_BCAST,
    .name = "scatter_ring",
    .description = "the root deals pieces out, which go around a ring of the others; for much data",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
