/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather up a tree of leaders (coll_pschedule_leaders.h): the network carries a contribution along
 * log2(hosts) hops at most, between one rank of each host, where many small ones are under way
 * together. They are not put together, as then one would wait for another.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_leaders.h"
#include "patterns/coll_pschedule_messages.h"

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    *cost = mca_coll_pschedule_leaders_cost(problem);
    cost->messages *= COLL_PSCHEDULE_GATHER_MESSAGE;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_gather_hosts = {
    .collective = COLL_PSCHEDULE_GATHER,
    .last = COLL_PSCHEDULE_GATHERV,
    .name = "hosts",
    .description = "to one rank of each host, and up a tree of these; for small contributions",
    .memory = "inside of the tree: for each rank behind and each of its partitions up to four "
              "chunks",
    .limits = COLL_PSCHEDULE_NESTED,
    .build = mca_coll_pschedule_leaders_gather,
    .cost = cost};
