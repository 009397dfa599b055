/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The neighbours of this rank, from the topology of a communicator.
 */
#ifndef COLL_PSCHEDULE_NEIGHBORS_H
#define COLL_PSCHEDULE_NEIGHBORS_H

#include "plan/coll_pschedule_edges.h"

struct ompi_communicator_t;

/**
 * Find them.
 *
 * @param[out] neighbors  to be freed in any case
 * @return an MPI error class: MPI_ERR_TOPOLOGY when it has none
 */
int mca_coll_pschedule_neighbors_find(struct ompi_communicator_t *comm,
                                      mca_coll_pschedule_neighbors_t *neighbors);

/** Is it a grid in which a rank may be on both sides of another one, or of itself? So it is if a
 * dimension of one or two ranks closes. All ranks find the same. */
bool mca_coll_pschedule_neighbors_meet_twice(struct ompi_communicator_t *comm);

void mca_coll_pschedule_neighbors_free(mca_coll_pschedule_neighbors_t *neighbors);

#endif /* COLL_PSCHEDULE_NEIGHBORS_H */
