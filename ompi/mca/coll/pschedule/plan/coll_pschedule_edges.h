/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The edges of a process topology as one rank sees them.
 *
 * Two ranks may have several edges between them. Which block of the one goes with which block of
 * the other is known by a key, which both ends work out for themselves, as MPI_Neighbor_alltoall
 * pairs them: in a cartesian topology what leaves in a direction arrives from the opposite one; in
 * graphs the k-th occurrence of a rank among the destinations belongs to the k-th occurrence of the
 * other among the sources.
 */
#ifndef COLL_PSCHEDULE_EDGES_H
#define COLL_PSCHEDULE_EDGES_H

#include "plan/coll_pschedule_problem.h"

typedef struct mca_coll_pschedule_neighbors_t {
    uint32_t sources;
    uint32_t destinations;
    mca_coll_pschedule_edge_t *source;
    mca_coll_pschedule_edge_t *destination;
} mca_coll_pschedule_neighbors_t;

/**
 * Keys of a cartesian topology. `source` and `destination` have two entries per dimension, whose
 * ranks are set: first the neighbour in negative, then in positive direction.
 */
void mca_coll_pschedule_edges_cartesian(mca_coll_pschedule_neighbors_t *neighbors);

/**
 * Keys of edges that are listed in an order, like those of graphs; their ranks are set.
 *
 * @return false when memory is short
 */
bool mca_coll_pschedule_edges_listed(mca_coll_pschedule_edge_t *edge, uint32_t edges);

#endif /* COLL_PSCHEDULE_EDGES_H */
