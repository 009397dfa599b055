/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scatter down a tree of leaders (coll_pschedule_leaders.h): gather_hosts with all arrows turned
 * around.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_leaders.h"
#include "patterns/coll_pschedule_messages.h"

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_leaders_cost(problem);
    cost->messages *= COLL_PSCHEDULE_SCATTER_MESSAGE;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_scatter_hosts = {
    .collective = COLL_PSCHEDULE_SCATTER,
    .last = COLL_PSCHEDULE_SCATTERV,
    .name = "hosts",
    .description = "down a tree of one rank of each host, which hands them on; for small blocks",
    .memory = "inside of the tree: for each rank behind and each of its partitions up to four "
              "chunks",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = mca_coll_pschedule_leaders_scatter,
    .cost = cost};
