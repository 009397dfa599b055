/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The five neighbourhood collectives: every contribution goes straight along its edge. Edges from a
 * rank to itself are copies. Along an edge to or from nobody nothing moves: the user marks the
 * partitions of the contribution, and those of the result are there from the beginning.
 *
 * The key of an edge tells edges between the same two ranks apart, so two ranks may be connected
 * by several, in either direction.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flow.h"

/* What goes along an outgoing edge: one block per edge, or the same block along all. */
static const mca_coll_pschedule_block_t *block_for(const mca_coll_pschedule_problem_t *problem,
                                                   uint32_t edge)
{
    bool same = COLL_PSCHEDULE_NEIGHBOR_ALLGATHER == problem->collective
                || COLL_PSCHEDULE_NEIGHBOR_ALLGATHERV == problem->collective;

    return &problem->send[same ? 0 : edge];
}

/* What comes along an edge from this rank to itself: the end of it that goes out is searched. */
static void copy_own(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
                     uint32_t source)
{
    for (uint32_t i = 0; i < problem->destinations; ++i) {
        if (problem->destination[i].rank == problem->rank
            && problem->destination[i].key == problem->source[source].key) {
            const mca_coll_pschedule_block_t *block = block_for(problem, i);
            mca_coll_pschedule_flow_t flow
                = mca_coll_pschedule_flow(plan, problem, block->cut, block, &problem->recv[source]);

            mca_coll_pschedule_flow_keep(&flow);
            return;
        }
    }
    plan->fault = "an edge to the same rank has one end only";
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_flow_t flow;

    for (uint32_t i = 0; i < problem->destinations; ++i) {
        const mca_coll_pschedule_edge_t *edge = &problem->destination[i];
        mca_coll_pschedule_hop_t to = {.rank = edge->rank, .step = edge->key};

        if (COLL_PSCHEDULE_NOBODY != edge->rank && problem->rank != edge->rank) {
            flow = mca_coll_pschedule_flow(plan, problem, block_for(problem, i)->cut,
                                           block_for(problem, i), NULL);
            mca_coll_pschedule_flow_leave(&flow, &to, 1);
        }
    }
    for (uint32_t i = 0; i < problem->sources; ++i) {
        const mca_coll_pschedule_edge_t *edge = &problem->source[i];
        mca_coll_pschedule_hop_t from = {.rank = edge->rank, .step = edge->key};

        if (problem->rank == edge->rank) {
            copy_own(plan, problem, i);
        } else if (COLL_PSCHEDULE_NOBODY != edge->rank) {
            flow = mca_coll_pschedule_flow(plan, problem, problem->contribution[i], NULL,
                                           &problem->recv[i]);
            mca_coll_pschedule_flow_pass(&flow, from, NULL, 0);
        }
    }
}

/* Not all ranks know how many neighbours each has; there is nothing to choose from either. */
static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = (mca_coll_pschedule_cost_t) {.rounds = 1, .bytes = problem->common_bytes};
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_neighbor_linear = {
    .collective = COLL_PSCHEDULE_NEIGHBOR_ALLGATHER,
    .last = COLL_PSCHEDULE_NEIGHBOR_ALLTOALLW,
    .name = "linear",
    .description = "every contribution goes straight along its edge",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
