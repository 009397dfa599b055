/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Palltoall_init, MPIX_Palltoallv_init and MPIX_Palltoallw_init.
 */
#include "ompi_config.h"

#include "mpix_exported.h"
#include "mpix_pcoll.h"

#pragma weak MPIX_Palltoall_init = PMPIX_Palltoall_init
#pragma weak MPIX_Palltoallv_init = PMPIX_Palltoallv_init
#pragma weak MPIX_Palltoallw_init = PMPIX_Palltoallw_init

int PMPIX_Palltoall_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                         MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_ALLTOALL,
                                      .send = mpix_pcoll_even(sendbuf, sendpartitions, sendcount,
                                                              sendtype),
                                      .recv = mpix_pcoll_even(recvbuf, recvpartitions, recvcount,
                                                              recvtype),
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Palltoall_init");
}

int PMPIX_Palltoallv_init(const void *sendbuf, const int sendpartitions[],
                          const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                          MPI_Datatype sendtype, void *recvbuf, const int recvpartitions[],
                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_ALLTOALLV,
                                      .send = mpix_pcoll_uneven(sendbuf, sendpartitions,
                                                                sendcounts, sdispls, sendtype),
                                      .recv = mpix_pcoll_uneven(recvbuf, recvpartitions,
                                                                recvcounts, rdispls, recvtype),
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Palltoallv_init");
}

int PMPIX_Palltoallw_init(const void *sendbuf, const int sendpartitions[],
                          const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                          const MPI_Datatype sendtypes[], void *recvbuf, const int recvpartitions[],
                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                          MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_ALLTOALLW,
                                      .send = mpix_pcoll_typed(sendbuf, sendpartitions, sendcounts,
                                                               sdispls, sendtypes),
                                      .recv = mpix_pcoll_typed(recvbuf, recvpartitions, recvcounts,
                                                               rdispls, recvtypes),
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Palltoallw_init");
}
