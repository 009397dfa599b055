/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The neighbours of a rank, from the topology of a communicator (see coll_pschedule_neighbors.h).
 */
#include "ompi_config.h"

#include "call/coll_pschedule_neighbors.h"

#include <stdlib.h>

#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/topo/topo.h"

static bool allocate(mca_coll_pschedule_neighbors_t *neighbors, int sources, int destinations)
{
    neighbors->source = calloc((size_t) sources + 1, sizeof(*neighbors->source));
    neighbors->destination = calloc((size_t) destinations + 1, sizeof(*neighbors->destination));
    neighbors->sources = (uint32_t) sources;
    neighbors->destinations = (uint32_t) destinations;
    return NULL != neighbors->source && NULL != neighbors->destination;
}

static int32_t rank_or_nobody(int rank)
{
    return MPI_PROC_NULL == rank ? COLL_PSCHEDULE_NOBODY : rank;
}

/* Neighbours in the two directions of a dimension of `length` ranks. */
static int shift(MPI_Comm comm, int dimension, int length, bool periodic, int *negative,
                 int *positive)
{
    if (length > 1) {
        return PMPI_Cart_shift(comm, dimension, 1, negative, positive);
    }
    *negative = *positive = periodic ? ompi_comm_rank(comm) : MPI_PROC_NULL;
    return MPI_SUCCESS;
}

bool mca_coll_pschedule_neighbors_meet_twice(MPI_Comm comm)
{
    const mca_topo_base_comm_cart_2_2_0_t *cart
        = OMPI_COMM_IS_CART(comm) ? comm->c_topo->mtc.cart : NULL;

    for (int i = 0; NULL != cart && i < cart->ndims; ++i) {
        if (0 != cart->periods[i] && cart->dims[i] <= 2) {
            return true;
        }
    }
    return false;
}

static int find_cartesian(MPI_Comm comm, mca_coll_pschedule_neighbors_t *neighbors)
{
    int dimensions = 0;
    int error = PMPI_Cartdim_get(comm, &dimensions);
    int *shape = calloc(3 * (size_t) dimensions + 1, sizeof(*shape)); /* lengths, periods, place */

    if (NULL == shape || !allocate(neighbors, 2 * dimensions, 2 * dimensions)) {
        error = MPI_ERR_NO_MEM;
    }
    if (MPI_SUCCESS == error) {
        error = PMPI_Cart_get(comm, dimensions, shape, shape + dimensions, shape + 2 * dimensions);
    }
    for (int i = 0; MPI_SUCCESS == error && i < dimensions; ++i) {
        int negative = MPI_PROC_NULL, positive = MPI_PROC_NULL;

        error = shift(comm, i, shape[i], 0 != shape[dimensions + i], &negative, &positive);
        neighbors->source[2 * i].rank = rank_or_nobody(negative);
        neighbors->source[2 * i + 1].rank = rank_or_nobody(positive);
        neighbors->destination[2 * i].rank = rank_or_nobody(negative);
        neighbors->destination[2 * i + 1].rank = rank_or_nobody(positive);
    }
    free(shape);
    if (MPI_SUCCESS == error) {
        mca_coll_pschedule_edges_cartesian(neighbors);
    }
    return error;
}

/* Ranks that MPI has listed. */
static int set_listed(mca_coll_pschedule_edge_t *edge, const int *list, uint32_t edges)
{
    for (uint32_t i = 0; i < edges; ++i) {
        edge[i].rank = rank_or_nobody(list[i]);
    }
    return mca_coll_pschedule_edges_listed(edge, edges) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int set_both(mca_coll_pschedule_neighbors_t *neighbors, const int *sources,
                    const int *destinations)
{
    int error = set_listed(neighbors->source, sources, neighbors->sources);

    return MPI_SUCCESS != error
               ? error
               : set_listed(neighbors->destination, destinations, neighbors->destinations);
}

static int find_graph(MPI_Comm comm, mca_coll_pschedule_neighbors_t *neighbors)
{
    int degree = 0;
    int rank = ompi_comm_rank(comm);
    int error = PMPI_Graph_neighbors_count(comm, rank, &degree);
    int *list = calloc((size_t) degree + 1, sizeof(*list));

    if (NULL == list || !allocate(neighbors, degree, degree)) {
        error = MPI_ERR_NO_MEM;
    }
    if (MPI_SUCCESS == error) {
        error = PMPI_Graph_neighbors(comm, rank, degree, list);
    }
    if (MPI_SUCCESS == error) {
        error = set_both(neighbors, list, list);
    }
    free(list);
    return error;
}

static int find_dist_graph(MPI_Comm comm, mca_coll_pschedule_neighbors_t *neighbors)
{
    int in = 0, out = 0, weighted = 0;
    int error = PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    size_t degree = (size_t) in + (size_t) out;
    int *list = calloc(degree + 1, sizeof(*list));
    int *weights = calloc(degree + 1, sizeof(*weights));

    if (NULL == list || NULL == weights || !allocate(neighbors, in, out)) {
        error = MPI_ERR_NO_MEM;
    }
    if (MPI_SUCCESS == error) {
        error = PMPI_Dist_graph_neighbors(comm, in, list, weights, out, list + in, weights + in);
    }
    if (MPI_SUCCESS == error) {
        error = set_both(neighbors, list, list + in);
    }
    free(weights);
    free(list);
    return error;
}

int mca_coll_pschedule_neighbors_find(MPI_Comm comm, mca_coll_pschedule_neighbors_t *neighbors)
{
    *neighbors = (mca_coll_pschedule_neighbors_t) {0};
    if (OMPI_COMM_IS_CART(comm)) {
        return find_cartesian(comm, neighbors);
    }
    if (OMPI_COMM_IS_GRAPH(comm)) {
        return find_graph(comm, neighbors);
    }
    if (OMPI_COMM_IS_DIST_GRAPH(comm)) {
        return find_dist_graph(comm, neighbors);
    }
    return MPI_ERR_TOPOLOGY;
}

void mca_coll_pschedule_neighbors_free(mca_coll_pschedule_neighbors_t *neighbors)
{
    free(neighbors->source);
    free(neighbors->destination);
    *neighbors = (mca_coll_pschedule_neighbors_t) {0};
}
