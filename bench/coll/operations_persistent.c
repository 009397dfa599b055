/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The persistent calls of MPI-4 for the same data.
 */
#include <mpi.h>

#include "collective.h"

typedef bench_collective_t collective_t;

static int persistent_bcast(collective_t *c)
{
    return MPI_Bcast_init(c->in, c->block, MPI_FLOAT, c->root, c->comm, MPI_INFO_NULL, &c->request);
}

static int persistent_gather(collective_t *c)
{
    return MPI_Gather_init(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->root,
                           c->comm, MPI_INFO_NULL, &c->request);
}

static int persistent_gatherv(collective_t *c)
{
    return MPI_Gatherv_init(c->out, c->own, MPI_FLOAT, c->in, c->lists.int_counts,
                            c->lists.int_displacements, MPI_FLOAT, c->root, c->comm, MPI_INFO_NULL,
                            &c->request);
}

static int persistent_scatter(collective_t *c)
{
    return MPI_Scatter_init(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->root,
                            c->comm, MPI_INFO_NULL, &c->request);
}

static int persistent_scatterv(collective_t *c)
{
    return MPI_Scatterv_init(c->out, c->lists.int_counts, c->lists.int_displacements, MPI_FLOAT,
                             c->in, c->own, MPI_FLOAT, c->root, c->comm, MPI_INFO_NULL,
                             &c->request);
}

static int persistent_allgather(collective_t *c)
{
    return MPI_Allgather_init(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->comm,
                              MPI_INFO_NULL, &c->request);
}

static int persistent_allgatherv(collective_t *c)
{
    return MPI_Allgatherv_init(c->out, c->own, MPI_FLOAT, c->in, c->lists.int_counts,
                               c->lists.int_displacements, MPI_FLOAT, c->comm, MPI_INFO_NULL,
                               &c->request);
}

static int persistent_alltoall(collective_t *c)
{
    return MPI_Alltoall_init(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->comm,
                             MPI_INFO_NULL, &c->request);
}

static int persistent_alltoallv(collective_t *c)
{
    return MPI_Alltoallv_init(c->out, c->lists.int_counts, c->lists.int_displacements, MPI_FLOAT,
                              c->in, c->lists.int_counts, c->lists.int_displacements, MPI_FLOAT,
                              c->comm, MPI_INFO_NULL, &c->request);
}

static int persistent_alltoallw(collective_t *c)
{
    return MPI_Alltoallw_init(c->out, c->lists.int_counts, c->lists.int_byte_displacements,
                              c->lists.datatypes, c->in, c->lists.int_counts,
                              c->lists.int_byte_displacements, c->lists.datatypes, c->comm,
                              MPI_INFO_NULL, &c->request);
}

static int persistent_reduce(collective_t *c)
{
    return MPI_Reduce_init(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->root, c->comm,
                           MPI_INFO_NULL, &c->request);
}

static int persistent_allreduce(collective_t *c)
{
    return MPI_Allreduce_init(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->comm, MPI_INFO_NULL,
                              &c->request);
}

static int persistent_reduce_scatter_block(collective_t *c)
{
    return MPI_Reduce_scatter_block_init(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->comm,
                                         MPI_INFO_NULL, &c->request);
}

static int persistent_reduce_scatter(collective_t *c)
{
    return MPI_Reduce_scatter_init(c->out, c->in, c->lists.int_counts, MPI_FLOAT, MPI_SUM, c->comm,
                                   MPI_INFO_NULL, &c->request);
}

static int persistent_scan(collective_t *c)
{
    return MPI_Scan_init(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->comm, MPI_INFO_NULL,
                         &c->request);
}

static int persistent_exscan(collective_t *c)
{
    return MPI_Exscan_init(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->comm, MPI_INFO_NULL,
                           &c->request);
}

static int persistent_neighbor_allgather(collective_t *c)
{
    return MPI_Neighbor_allgather_init(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT,
                                       c->comm, MPI_INFO_NULL, &c->request);
}

static int persistent_neighbor_allgatherv(collective_t *c)
{
    return MPI_Neighbor_allgatherv_init(c->out, c->block, MPI_FLOAT, c->in, c->lists.int_counts,
                                        c->lists.int_displacements, MPI_FLOAT, c->comm,
                                        MPI_INFO_NULL, &c->request);
}

static int persistent_neighbor_alltoall(collective_t *c)
{
    return MPI_Neighbor_alltoall_init(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT,
                                      c->comm, MPI_INFO_NULL, &c->request);
}

static int persistent_neighbor_alltoallv(collective_t *c)
{
    return MPI_Neighbor_alltoallv_init(c->out, c->lists.int_counts, c->lists.int_displacements,
                                       MPI_FLOAT, c->in, c->lists.int_counts,
                                       c->lists.int_displacements, MPI_FLOAT, c->comm,
                                       MPI_INFO_NULL, &c->request);
}

static int persistent_neighbor_alltoallw(collective_t *c)
{
    return MPI_Neighbor_alltoallw_init(c->out, c->lists.int_counts, c->lists.byte_displacements,
                                       c->lists.datatypes, c->in, c->lists.int_counts,
                                       c->lists.byte_displacements, c->lists.datatypes, c->comm,
                                       MPI_INFO_NULL, &c->request);
}

/* In the order of bench_operations. */
int (*const bench_persistent_inits[])(bench_collective_t *collective) = {
    persistent_bcast,
    persistent_gather,
    persistent_gatherv,
    persistent_scatter,
    persistent_scatterv,
    persistent_allgather,
    persistent_allgatherv,
    persistent_alltoall,
    persistent_alltoallv,
    persistent_alltoallw,
    persistent_reduce,
    persistent_allreduce,
    persistent_reduce_scatter_block,
    persistent_reduce_scatter,
    persistent_scan,
    persistent_exscan,
    persistent_neighbor_allgather,
    persistent_neighbor_allgatherv,
    persistent_neighbor_alltoall,
    persistent_neighbor_alltoallv,
    persistent_neighbor_alltoallw};
