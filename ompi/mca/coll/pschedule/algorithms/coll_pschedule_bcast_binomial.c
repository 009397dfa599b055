/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast down a binomial tree: few rounds, but the root sends everything log2(N) times.
 *
 *   0 -+- 4 -+- 6 --- 7        positions count from the root; every rank sends each piece to
 *      |     `- 5              the child with the largest subtree first
 *      +- 2 --- 3
 *      `- 1
 *
 * Hazards: every byte of a receive buffer is written once, by its own piece, and read (passed on)
 * after that.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_tree.h"

static mca_coll_pschedule_hop_t hop_to(const mca_coll_pschedule_problem_t *problem,
                                       uint32_t position)
{
    return (mca_coll_pschedule_hop_t) {
        .rank = mca_coll_pschedule_after(problem, problem->root, position)};
}

/* The children of a position, those with the largest subtrees first. */
static uint32_t list_children(const mca_coll_pschedule_problem_t *problem, uint32_t position,
                              mca_coll_pschedule_hop_t *child)
{
    uint32_t span = 0 == position
                        ? UINT32_C(1) << mca_coll_pschedule_doublings(problem->size)
                        : mca_coll_pschedule_lowest(position);
    uint32_t count = 0;

    for (uint32_t bit = span / 2; bit > 0; bit /= 2) {
        if (position + bit < (uint32_t) problem->size) {
            child[count++] = hop_to(problem, position + bit);
        }
    }
    return count;
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    uint32_t position = mca_coll_pschedule_position(problem, problem->rank, problem->root);
    mca_coll_pschedule_hop_t child[COLL_PSCHEDULE_FAN];
    uint32_t children = list_children(problem, position, child);
    mca_coll_pschedule_flow_t flow = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[0], 0 == position ? &problem->send[0] : NULL,
        0 == position ? NULL : &problem->recv[0]);

    if (0 == position) {
        mca_coll_pschedule_flow_leave(&flow, child, children);
    } else {
        mca_coll_pschedule_flow_pass(&flow, hop_to(problem, mca_coll_pschedule_parent(position)),
                                     child, children);
    }
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint32_t rounds = mca_coll_pschedule_doublings(problem->size);

    *cost = (mca_coll_pschedule_cost_t) {.rounds = rounds,
                                         .bytes = rounds * problem->common_bytes};
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_bcast_binomial = {
    .collective = COLL_PSCHEDULE_BCAST,
    .last = COLL_PSCHEDULE_BCAST,
    .name = "binomial",
    .description = "binomial tree from the root; for little data",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
