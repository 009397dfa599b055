/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned neighbourhood collectives: initialisation. Included by mpix_partitioned.h.
 *
 * As mpix_partitioned_collectives.h says, with the neighbours of the process topology of `comm` in
 * the place of its ranks. Send buffers have one block per destination, receive buffers one per
 * source, in the order of MPI_Neighbor_alltoall: of MPI_Dist_graph_neighbors, of
 * MPI_Graph_neighbors, or for each dimension of a cartesian topology first the neighbour in
 * negative, then in positive direction. Blocks of MPI_PROC_NULL neighbours exist: their partitions
 * are marked ready like others, arrive at once, and nothing is read or written.
 *
 * MPI_IN_PLACE is not allowed. All processes of `comm` call, also those without neighbours.
 *
 * Errors as there, and
 *
 *     MPI_ERR_TOPOLOGY   `comm` has no process topology
 *
 * Origin: this project.
 */
#ifndef MPIX_PARTITIONED_NEIGHBORS_H
#define MPIX_PARTITIONED_NEIGHBORS_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * One block in `sendbuf` goes to every destination; one block comes from each source.
 * MPI_Pready: sendpartitions. MPI_Parrived: sources * recvpartitions.
 */
int MPIX_Pneighbor_allgather_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                                  MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                                  MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Info info, MPI_Request *request);

/**
 * The same with blocks of different sizes: for each source its partitions, elements per partition,
 * and displacement in extents of recvtype.
 */
int MPIX_Pneighbor_allgatherv_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                                   MPI_Datatype sendtype, void *recvbuf,
                                   const int recvpartitions[], const MPI_Count recvcounts[],
                                   const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, MPI_Request *request);

/**
 * One block goes to each destination, one comes from each source.
 * MPI_Pready: destinations * sendpartitions. MPI_Parrived: sources * recvpartitions.
 */
int MPIX_Pneighbor_alltoall_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                                 MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                                 MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Info info, MPI_Request *request);

/** The same with blocks of different sizes; displacements in extents. */
int MPIX_Pneighbor_alltoallv_init(const void *sendbuf, const int sendpartitions[],
                                  const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                  MPI_Datatype sendtype, void *recvbuf,
                                  const int recvpartitions[], const MPI_Count recvcounts[],
                                  const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Info info, MPI_Request *request);

/** The same with blocks of different sizes and datatypes; displacements in bytes. */
int MPIX_Pneighbor_alltoallw_init(const void *sendbuf, const int sendpartitions[],
                                  const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                  const MPI_Datatype sendtypes[], void *recvbuf,
                                  const int recvpartitions[], const MPI_Count recvcounts[],
                                  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                  MPI_Comm comm, MPI_Info info, MPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif /* MPIX_PARTITIONED_NEIGHBORS_H */
