/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Other names of the partitioned collectives. Included by mpix_partitioned.h.
 *
 * PMPIX_ names are for tools that intercept the MPIX_ ones. A program that defines
 * MPIX_PARTITIONED_MPI_NAMES before it includes mpix_partitioned.h can write MPI_P*_init, as the
 * proposals do.
 */
#ifndef MPIX_PARTITIONED_NAMES_H
#define MPIX_PARTITIONED_NAMES_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

int PMPIX_Pbcast_init(void *buffer, int partitions, MPI_Count count, MPI_Datatype datatype,
                      int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int PMPIX_Pgather_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                       MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                       MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request);
int PMPIX_Pgatherv_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                        MPI_Datatype sendtype, void *recvbuf, const int recvpartitions[],
                        const MPI_Count recvcounts[], const MPI_Aint displs[],
                        MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                        MPI_Request *request);
int PMPIX_Pscatter_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                        MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                        MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                        MPI_Info info, MPI_Request *request);
int PMPIX_Pscatterv_init(const void *sendbuf, const int sendpartitions[],
                         const MPI_Count sendcounts[], const MPI_Aint displs[],
                         MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                         MPI_Info info, MPI_Request *request);
int PMPIX_Pallgather_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                          MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                          MPI_Request *request);
int PMPIX_Pallgatherv_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                           MPI_Datatype sendtype, void *recvbuf, const int recvpartitions[],
                           const MPI_Count recvcounts[], const MPI_Aint displs[],
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                           MPI_Request *request);
int PMPIX_Palltoall_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                         MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request *request);
int PMPIX_Palltoallv_init(const void *sendbuf, const int sendpartitions[],
                          const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                          MPI_Datatype sendtype, void *recvbuf, const int recvpartitions[],
                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                          MPI_Request *request);
int PMPIX_Palltoallw_init(const void *sendbuf, const int sendpartitions[],
                          const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                          const MPI_Datatype sendtypes[], void *recvbuf, const int recvpartitions[],
                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                          MPI_Request *request);
int PMPIX_Preduce_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                       MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request);
int PMPIX_Pallreduce_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                          MPI_Request *request);
int PMPIX_Preduce_scatter_block_init(const void *sendbuf, void *recvbuf, int partitions,
                                     MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                     MPI_Comm comm, MPI_Info info, MPI_Request *request);
int PMPIX_Preduce_scatter_init(const void *sendbuf, void *recvbuf, const int partitions[],
                               const MPI_Count counts[], MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm comm, MPI_Info info, MPI_Request *request);
int PMPIX_Pscan_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                     MPI_Request *request);
int PMPIX_Pexscan_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request);
int PMPIX_Pneighbor_allgather_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                                   MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, MPI_Request *request);
int PMPIX_Pneighbor_allgatherv_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                                    MPI_Datatype sendtype, void *recvbuf,
                                    const int recvpartitions[], const MPI_Count recvcounts[],
                                    const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                    MPI_Info info, MPI_Request *request);
int PMPIX_Pneighbor_alltoall_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                                  MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                                  MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Info info, MPI_Request *request);
int PMPIX_Pneighbor_alltoallv_init(const void *sendbuf, const int sendpartitions[],
                                   const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                   MPI_Datatype sendtype, void *recvbuf, const int recvpartitions[],
                                   const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                   MPI_Request *request);
int PMPIX_Pneighbor_alltoallw_init(const void *sendbuf, const int sendpartitions[],
                                   const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                   const MPI_Datatype sendtypes[], void *recvbuf,
                                   const int recvpartitions[], const MPI_Count recvcounts[],
                                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                   MPI_Comm comm, MPI_Info info, MPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif /* MPIX_PARTITIONED_NAMES_H */

#ifdef MPIX_PARTITIONED_MPI_NAMES
#define MPI_Pbcast_init MPIX_Pbcast_init
#define MPI_Pgather_init MPIX_Pgather_init
#define MPI_Pgatherv_init MPIX_Pgatherv_init
#define MPI_Pscatter_init MPIX_Pscatter_init
#define MPI_Pscatterv_init MPIX_Pscatterv_init
#define MPI_Pallgather_init MPIX_Pallgather_init
#define MPI_Pallgatherv_init MPIX_Pallgatherv_init
#define MPI_Palltoall_init MPIX_Palltoall_init
#define MPI_Palltoallv_init MPIX_Palltoallv_init
#define MPI_Palltoallw_init MPIX_Palltoallw_init
#define MPI_Preduce_init MPIX_Preduce_init
#define MPI_Pallreduce_init MPIX_Pallreduce_init
#define MPI_Preduce_scatter_block_init MPIX_Preduce_scatter_block_init
#define MPI_Preduce_scatter_init MPIX_Preduce_scatter_init
#define MPI_Pscan_init MPIX_Pscan_init
#define MPI_Pexscan_init MPIX_Pexscan_init
#define MPI_Pneighbor_allgather_init MPIX_Pneighbor_allgather_init
#define MPI_Pneighbor_allgatherv_init MPIX_Pneighbor_allgatherv_init
#define MPI_Pneighbor_alltoall_init MPIX_Pneighbor_alltoall_init
#define MPI_Pneighbor_alltoallv_init MPIX_Pneighbor_alltoallv_init
#define MPI_Pneighbor_alltoallw_init MPIX_Pneighbor_alltoallw_init
#endif /* MPIX_PARTITIONED_MPI_NAMES */
