/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall: every block goes straight to its receiver. In keys, transfers to all ranks are equal:
 * the first partitions of all blocks before the second ones.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_direct.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_direct_build(plan, problem, false);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_alltoall_linear = {
    .collective = COLL_PSCHEDULE_ALLTOALL,
    .last = COLL_PSCHEDULE_ALLTOALLW,
    .name = "linear",
    .description = "all blocks go straight to their receivers, all at once",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = mca_coll_pschedule_direct_cost};
