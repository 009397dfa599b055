/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The 21 collectives: for each the partitioned call, MPI's blocking call for the same data, and
 * what comes from where.
 */
#include <mpi.h>
#include <string.h>

#include "collective.h"
#include "mpix.h"

typedef bench_collective_t collective_t;

static int init_bcast(collective_t *c)
{
    return MPIX_Pbcast_init(c->in, c->partitions, c->count, MPI_FLOAT, c->root, c->comm,
                            MPI_INFO_NULL, &c->request);
}

static int blocking_bcast(collective_t *c)
{
    return MPI_Bcast(c->in, c->block, MPI_FLOAT, c->root, c->comm);
}

static int init_gather(collective_t *c)
{
    return MPIX_Pgather_init(c->out, c->partitions, c->count, MPI_FLOAT, c->in, c->partitions,
                             c->count, MPI_FLOAT, c->root, c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_gather(collective_t *c)
{
    return MPI_Gather(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->root, c->comm);
}

static int init_gatherv(collective_t *c)
{
    return MPIX_Pgatherv_init(c->out, c->partitions, c->own_count, MPI_FLOAT, c->in,
                              c->lists.partitions, c->lists.counts, c->lists.displacements,
                              MPI_FLOAT, c->root, c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_gatherv(collective_t *c)
{
    return MPI_Gatherv(c->out, c->own, MPI_FLOAT, c->in, c->lists.int_counts,
                       c->lists.int_displacements, MPI_FLOAT, c->root, c->comm);
}

static int init_scatter(collective_t *c)
{
    return MPIX_Pscatter_init(c->out, c->partitions, c->count, MPI_FLOAT, c->in, c->partitions,
                              c->count, MPI_FLOAT, c->root, c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_scatter(collective_t *c)
{
    return MPI_Scatter(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->root, c->comm);
}

static int init_scatterv(collective_t *c)
{
    return MPIX_Pscatterv_init(c->out, c->lists.partitions, c->lists.counts, c->lists.displacements,
                               MPI_FLOAT, c->in, c->partitions, c->own_count, MPI_FLOAT, c->root,
                               c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_scatterv(collective_t *c)
{
    return MPI_Scatterv(c->out, c->lists.int_counts, c->lists.int_displacements, MPI_FLOAT, c->in,
                        c->own, MPI_FLOAT, c->root, c->comm);
}

static int init_allgather(collective_t *c)
{
    return MPIX_Pallgather_init(c->out, c->partitions, c->count, MPI_FLOAT, c->in, c->partitions,
                                c->count, MPI_FLOAT, c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_allgather(collective_t *c)
{
    return MPI_Allgather(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->comm);
}

static int init_allgatherv(collective_t *c)
{
    return MPIX_Pallgatherv_init(c->out, c->partitions, c->own_count, MPI_FLOAT, c->in,
                                 c->lists.partitions, c->lists.counts, c->lists.displacements,
                                 MPI_FLOAT, c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_allgatherv(collective_t *c)
{
    return MPI_Allgatherv(c->out, c->own, MPI_FLOAT, c->in, c->lists.int_counts,
                          c->lists.int_displacements, MPI_FLOAT, c->comm);
}

static int init_alltoall(collective_t *c)
{
    return MPIX_Palltoall_init(c->out, c->partitions, c->count, MPI_FLOAT, c->in, c->partitions,
                               c->count, MPI_FLOAT, c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_alltoall(collective_t *c)
{
    return MPI_Alltoall(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->comm);
}

static int init_alltoallv(collective_t *c)
{
    return MPIX_Palltoallv_init(c->out, c->lists.partitions, c->lists.counts,
                                c->lists.displacements, MPI_FLOAT, c->in, c->lists.partitions,
                                c->lists.counts, c->lists.displacements, MPI_FLOAT, c->comm,
                                MPI_INFO_NULL, &c->request);
}

static int blocking_alltoallv(collective_t *c)
{
    return MPI_Alltoallv(c->out, c->lists.int_counts, c->lists.int_displacements, MPI_FLOAT, c->in,
                         c->lists.int_counts, c->lists.int_displacements, MPI_FLOAT, c->comm);
}

static int init_alltoallw(collective_t *c)
{
    return MPIX_Palltoallw_init(c->out, c->lists.partitions, c->lists.counts,
                                c->lists.byte_displacements, c->lists.datatypes, c->in,
                                c->lists.partitions, c->lists.counts, c->lists.byte_displacements,
                                c->lists.datatypes, c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_alltoallw(collective_t *c)
{
    return MPI_Alltoallw(c->out, c->lists.int_counts, c->lists.int_byte_displacements,
                         c->lists.datatypes, c->in, c->lists.int_counts,
                         c->lists.int_byte_displacements, c->lists.datatypes, c->comm);
}

static int init_reduce(collective_t *c)
{
    return MPIX_Preduce_init(c->out, c->in, c->partitions, c->count, MPI_FLOAT, MPI_SUM, c->root,
                             c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_reduce(collective_t *c)
{
    return MPI_Reduce(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->root, c->comm);
}

static int init_allreduce(collective_t *c)
{
    return MPIX_Pallreduce_init(c->out, c->in, c->partitions, c->count, MPI_FLOAT, MPI_SUM, c->comm,
                                MPI_INFO_NULL, &c->request);
}

static int blocking_allreduce(collective_t *c)
{
    return MPI_Allreduce(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->comm);
}

static int init_reduce_scatter_block(collective_t *c)
{
    return MPIX_Preduce_scatter_block_init(c->out, c->in, c->partitions, c->count, MPI_FLOAT,
                                           MPI_SUM, c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_reduce_scatter_block(collective_t *c)
{
    return MPI_Reduce_scatter_block(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->comm);
}

static int init_reduce_scatter(collective_t *c)
{
    return MPIX_Preduce_scatter_init(c->out, c->in, c->lists.partitions, c->lists.counts, MPI_FLOAT,
                                     MPI_SUM, c->comm, MPI_INFO_NULL, &c->request);
}

static int blocking_reduce_scatter(collective_t *c)
{
    return MPI_Reduce_scatter(c->out, c->in, c->lists.int_counts, MPI_FLOAT, MPI_SUM, c->comm);
}

static int init_scan(collective_t *c)
{
    return MPIX_Pscan_init(c->out, c->in, c->partitions, c->count, MPI_FLOAT, MPI_SUM, c->comm,
                           MPI_INFO_NULL, &c->request);
}

static int blocking_scan(collective_t *c)
{
    return MPI_Scan(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->comm);
}

static int init_exscan(collective_t *c)
{
    return MPIX_Pexscan_init(c->out, c->in, c->partitions, c->count, MPI_FLOAT, MPI_SUM, c->comm,
                             MPI_INFO_NULL, &c->request);
}

static int blocking_exscan(collective_t *c)
{
    return MPI_Exscan(c->out, c->in, c->block, MPI_FLOAT, MPI_SUM, c->comm);
}

static int init_neighbor_allgather(collective_t *c)
{
    return MPIX_Pneighbor_allgather_init(c->out, c->partitions, c->count, MPI_FLOAT, c->in,
                                         c->partitions, c->count, MPI_FLOAT, c->comm, MPI_INFO_NULL,
                                         &c->request);
}

static int blocking_neighbor_allgather(collective_t *c)
{
    return MPI_Neighbor_allgather(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->comm);
}

static int init_neighbor_allgatherv(collective_t *c)
{
    return MPIX_Pneighbor_allgatherv_init(c->out, c->partitions, c->count, MPI_FLOAT, c->in,
                                          c->lists.partitions, c->lists.counts,
                                          c->lists.displacements, MPI_FLOAT, c->comm, MPI_INFO_NULL,
                                          &c->request);
}

static int blocking_neighbor_allgatherv(collective_t *c)
{
    return MPI_Neighbor_allgatherv(c->out, c->block, MPI_FLOAT, c->in, c->lists.int_counts,
                                   c->lists.int_displacements, MPI_FLOAT, c->comm);
}

static int init_neighbor_alltoall(collective_t *c)
{
    return MPIX_Pneighbor_alltoall_init(c->out, c->partitions, c->count, MPI_FLOAT, c->in,
                                        c->partitions, c->count, MPI_FLOAT, c->comm, MPI_INFO_NULL,
                                        &c->request);
}

static int blocking_neighbor_alltoall(collective_t *c)
{
    return MPI_Neighbor_alltoall(c->out, c->block, MPI_FLOAT, c->in, c->block, MPI_FLOAT, c->comm);
}

static int init_neighbor_alltoallv(collective_t *c)
{
    return MPIX_Pneighbor_alltoallv_init(c->out, c->lists.partitions, c->lists.counts,
                                         c->lists.displacements, MPI_FLOAT, c->in,
                                         c->lists.partitions, c->lists.counts,
                                         c->lists.displacements, MPI_FLOAT, c->comm, MPI_INFO_NULL,
                                         &c->request);
}

static int blocking_neighbor_alltoallv(collective_t *c)
{
    return MPI_Neighbor_alltoallv(c->out, c->lists.int_counts, c->lists.int_displacements,
                                  MPI_FLOAT, c->in, c->lists.int_counts, c->lists.int_displacements,
                                  MPI_FLOAT, c->comm);
}

static int init_neighbor_alltoallw(collective_t *c)
{
    return MPIX_Pneighbor_alltoallw_init(c->out, c->lists.partitions, c->lists.counts,
                                         c->lists.byte_displacements, c->lists.datatypes, c->in,
                                         c->lists.partitions, c->lists.counts,
                                         c->lists.byte_displacements, c->lists.datatypes, c->comm,
                                         MPI_INFO_NULL, &c->request);
}

static int blocking_neighbor_alltoallw(collective_t *c)
{
    return MPI_Neighbor_alltoallw(c->out, c->lists.int_counts, c->lists.byte_displacements,
                                  c->lists.datatypes, c->in, c->lists.int_counts,
                                  c->lists.byte_displacements, c->lists.datatypes, c->comm);
}

/* Names, who contributes how many blocks, who gets how many, of what, and the least to be moved. */
const bench_operation_t bench_operations[] = {
    {"bcast", BENCH_AT_ROOT, BENCH_ONE, BENCH_AT_OTHERS, BENCH_ONE, BENCH_FROM_ROOT,
     BENCH_WIRE_BLOCK, BENCH_EVEN, init_bcast, blocking_bcast},
    {"gather", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ROOT, BENCH_PER_RANK, BENCH_FROM_EACH,
     BENCH_WIRE_OTHERS, BENCH_EVEN, init_gather, blocking_gather},
    {"gatherv", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ROOT, BENCH_PER_RANK, BENCH_FROM_EACH,
     BENCH_WIRE_OTHERS, BENCH_BY_RANK, init_gatherv, blocking_gatherv},
    {"scatter", BENCH_AT_ROOT, BENCH_PER_RANK, BENCH_AT_ALL, BENCH_ONE, BENCH_SHARE_OF_ROOT,
     BENCH_WIRE_OTHERS, BENCH_EVEN, init_scatter, blocking_scatter},
    {"scatterv", BENCH_AT_ROOT, BENCH_PER_RANK, BENCH_AT_ALL, BENCH_ONE, BENCH_SHARE_OF_ROOT,
     BENCH_WIRE_OTHERS, BENCH_BY_RANK, init_scatterv, blocking_scatterv},
    {"allgather", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ALL, BENCH_PER_RANK, BENCH_FROM_EACH,
     BENCH_WIRE_OTHERS, BENCH_EVEN, init_allgather, blocking_allgather},
    {"allgatherv", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ALL, BENCH_PER_RANK, BENCH_FROM_EACH,
     BENCH_WIRE_OTHERS, BENCH_BY_RANK, init_allgatherv, blocking_allgatherv},
    {"alltoall", BENCH_AT_ALL, BENCH_PER_RANK, BENCH_AT_ALL, BENCH_PER_RANK, BENCH_SHARE_OF_EACH,
     BENCH_WIRE_OTHERS, BENCH_EVEN, init_alltoall, blocking_alltoall},
    {"alltoallv", BENCH_AT_ALL, BENCH_PER_RANK, BENCH_AT_ALL, BENCH_PER_RANK, BENCH_SHARE_OF_EACH,
     BENCH_WIRE_OTHERS, BENCH_BY_PAIR, init_alltoallv, blocking_alltoallv},
    {"alltoallw", BENCH_AT_ALL, BENCH_PER_RANK, BENCH_AT_ALL, BENCH_PER_RANK, BENCH_SHARE_OF_EACH,
     BENCH_WIRE_OTHERS, BENCH_BY_PAIR, init_alltoallw, blocking_alltoallw},
    {"reduce", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ROOT, BENCH_ONE, BENCH_SUM, BENCH_WIRE_BLOCK,
     BENCH_EVEN, init_reduce, blocking_reduce},
    {"allreduce", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ALL, BENCH_ONE, BENCH_SUM, BENCH_WIRE_ALLREDUCE,
     BENCH_EVEN, init_allreduce, blocking_allreduce},
    {"reduce_scatter_block", BENCH_AT_ALL, BENCH_PER_RANK, BENCH_AT_ALL, BENCH_ONE,
     BENCH_SHARE_OF_SUM, BENCH_WIRE_OTHERS, BENCH_EVEN, init_reduce_scatter_block,
     blocking_reduce_scatter_block},
    {"reduce_scatter", BENCH_AT_ALL, BENCH_PER_RANK, BENCH_AT_ALL, BENCH_ONE, BENCH_SHARE_OF_SUM,
     BENCH_WIRE_OTHERS, BENCH_PACKED, init_reduce_scatter, blocking_reduce_scatter},
    {"scan", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ALL, BENCH_ONE, BENCH_SUM_TO_SELF, BENCH_WIRE_BLOCK,
     BENCH_EVEN, init_scan, blocking_scan},
    {"exscan", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ALL, BENCH_ONE, BENCH_SUM_BEFORE_SELF,
     BENCH_WIRE_BLOCK, BENCH_EVEN, init_exscan, blocking_exscan},
    {"neighbor_allgather", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ALL, BENCH_PER_NEIGHBOR,
     BENCH_FROM_NEIGHBOR, BENCH_WIRE_NEIGHBORS, BENCH_EVEN, init_neighbor_allgather,
     blocking_neighbor_allgather},
    {"neighbor_allgatherv", BENCH_AT_ALL, BENCH_ONE, BENCH_AT_ALL, BENCH_PER_NEIGHBOR,
     BENCH_FROM_NEIGHBOR, BENCH_WIRE_NEIGHBORS, BENCH_EVEN, init_neighbor_allgatherv,
     blocking_neighbor_allgatherv},
    {"neighbor_alltoall", BENCH_AT_ALL, BENCH_PER_NEIGHBOR, BENCH_AT_ALL, BENCH_PER_NEIGHBOR,
     BENCH_SHARE_OF_NEIGHBOR, BENCH_WIRE_NEIGHBORS, BENCH_EVEN, init_neighbor_alltoall,
     blocking_neighbor_alltoall},
    {"neighbor_alltoallv", BENCH_AT_ALL, BENCH_PER_NEIGHBOR, BENCH_AT_ALL, BENCH_PER_NEIGHBOR,
     BENCH_SHARE_OF_NEIGHBOR, BENCH_WIRE_NEIGHBORS, BENCH_EVEN, init_neighbor_alltoallv,
     blocking_neighbor_alltoallv},
    {"neighbor_alltoallw", BENCH_AT_ALL, BENCH_PER_NEIGHBOR, BENCH_AT_ALL, BENCH_PER_NEIGHBOR,
     BENCH_SHARE_OF_NEIGHBOR, BENCH_WIRE_NEIGHBORS, BENCH_EVEN, init_neighbor_alltoallw,
     blocking_neighbor_alltoallw},
};
const int bench_operation_count = (int) (sizeof(bench_operations) / sizeof(*bench_operations));

const bench_operation_t *bench_operation_find(const char *name)
{
    for (int i = 0; i < bench_operation_count; ++i) {
        if (0 == strcmp(name, bench_operations[i].name)) {
            return &bench_operations[i];
        }
    }
    return NULL;
}
