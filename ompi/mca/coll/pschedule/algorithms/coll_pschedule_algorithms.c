/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of algorithms (see coll_pschedule_algorithms.h).
 */
#include "algorithms/coll_pschedule_algorithms.h"

const char *const mca_coll_pschedule_names[COLL_PSCHEDULE_COLLECTIVES] = {
    [COLL_PSCHEDULE_BCAST] = "bcast",
    [COLL_PSCHEDULE_GATHER] = "gather",
    [COLL_PSCHEDULE_GATHERV] = "gatherv",
    [COLL_PSCHEDULE_SCATTER] = "scatter",
    [COLL_PSCHEDULE_SCATTERV] = "scatterv",
    [COLL_PSCHEDULE_ALLGATHER] = "allgather",
    [COLL_PSCHEDULE_ALLGATHERV] = "allgatherv",
    [COLL_PSCHEDULE_ALLTOALL] = "alltoall",
    [COLL_PSCHEDULE_ALLTOALLV] = "alltoallv",
    [COLL_PSCHEDULE_ALLTOALLW] = "alltoallw",
    [COLL_PSCHEDULE_REDUCE] = "reduce",
    [COLL_PSCHEDULE_ALLREDUCE] = "allreduce",
    [COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
    [COLL_PSCHEDULE_REDUCE_SCATTER] = "reduce_scatter",
    [COLL_PSCHEDULE_SCAN] = "scan",
    [COLL_PSCHEDULE_EXSCAN] = "exscan",
    [COLL_PSCHEDULE_NEIGHBOR_ALLGATHER] = "neighbor_allgather",
    [COLL_PSCHEDULE_NEIGHBOR_ALLGATHERV] = "neighbor_allgatherv",
    [COLL_PSCHEDULE_NEIGHBOR_ALLTOALL] = "neighbor_alltoall",
    [COLL_PSCHEDULE_NEIGHBOR_ALLTOALLV] = "neighbor_alltoallv",
    [COLL_PSCHEDULE_NEIGHBOR_ALLTOALLW] = "neighbor_alltoallw"};

#define ROW(name) &mca_coll_pschedule_##name,
const mca_coll_pschedule_algorithm_t *const mca_coll_pschedule_algorithms[]
    = {COLL_PSCHEDULE_ALGORITHMS(ROW) NULL};
#undef ROW

bool mca_coll_pschedule_allows(const mca_coll_pschedule_algorithm_t *algorithm,
                               const mca_coll_pschedule_problem_t *problem)
{
    uint32_t limits = algorithm->limits;

    return mca_coll_pschedule_serves(algorithm, problem->collective)
           && (0 == (limits & COLL_PSCHEDULE_COMMUTATIVE) || !problem->ordered)
           && (0 == (limits & COLL_PSCHEDULE_UNIFORM) || problem->uniform)
           && (0 == (limits & COLL_PSCHEDULE_SHARES) || problem->shares);
}
