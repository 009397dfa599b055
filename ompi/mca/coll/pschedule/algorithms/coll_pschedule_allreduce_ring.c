/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce around a ring that goes host by host: allreduce_lanes where each rank is a host. First
 * every block travels once around and collects all contributions (reduce scatter), then its sum
 * travels around once more (allgather).
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flat.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_order.h"
#include "patterns/coll_pschedule_reduction.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_build_flat(plan, problem, COLL_PSCHEDULE_ORDER_RING,
                                  mca_coll_pschedule_allreduce_lanes.build);
}

/* Of a slot; there are two for each partition. */
static uint64_t slot_bytes(const mca_coll_pschedule_problem_t *problem)
{
    return mca_coll_pschedule_chunk_bound(
        problem, mca_coll_pschedule_largest_part(mca_coll_pschedule_common(problem),
                                                 (uint64_t) problem->size, problem->element));
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t steps = (uint64_t) problem->size - 1;
    uint64_t partitions = problem->common_partitions;
    uint64_t block
        = mca_coll_pschedule_common(problem) / (uint64_t) problem->size + problem->element;

    *cost = (mca_coll_pschedule_cost_t) {.rounds = 2 * steps,
                                         .bytes = 2 * steps * block * partitions,
                                         .reduced = steps * block * partitions};
    cost->hosts = mca_coll_pschedule_around(problem, cost->bytes);
    cost->messages = mca_coll_pschedule_allreduce_messages(problem, 0, 2 * steps, 1);
    if (problem->common_in_place) {
        cost->scratch = 2 * partitions * mca_coll_pschedule_padded(slot_bytes(problem));
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_ring = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "ring",
    .description = "reduce-scatter and allgather around a ring, in chunks; for large partitions",
    .memory = "none; in place two chunks per partition",
    .limits = COLL_PSCHEDULE_COMMUTATIVE | COLL_PSCHEDULE_STEPS,
    .build = build,
    .cost = cost};
