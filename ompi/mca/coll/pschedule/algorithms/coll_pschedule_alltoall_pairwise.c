/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall in the order of pairs: every block goes straight to its receiver, and the step in keys
 * is the receiver's round (coll_pschedule_rounds.h): all ranks serve the rank beside them first,
 * then the one behind it, so that no rank is served by all others at the same time. Where hosts
 * have several ranks, no host is. Blocks leave in this order when all are marked at once, with
 * MPI_Pready_range. Otherwise they leave in the order in which they are marked: nothing waits for a
 * step to end, as it may never be marked.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_direct.h"

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_direct_build(plan, problem, true);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_alltoall_pairwise = {
    .collective = COLL_PSCHEDULE_ALLTOALL,
    .last = COLL_PSCHEDULE_ALLTOALLW,
    .name = "pairwise",
    .description = "all blocks go straight to their receivers, in the order of distances",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = mca_coll_pschedule_direct_cost};
