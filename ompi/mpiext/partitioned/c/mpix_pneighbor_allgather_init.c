/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Pneighbor_allgather_init and MPIX_Pneighbor_allgatherv_init.
 */
#include "ompi_config.h"

#include "mpix_exported.h"
#include "mpix_pcoll.h"

#pragma weak MPIX_Pneighbor_allgather_init = PMPIX_Pneighbor_allgather_init
#pragma weak MPIX_Pneighbor_allgatherv_init = PMPIX_Pneighbor_allgatherv_init

int PMPIX_Pneighbor_allgather_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                                   MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_NEIGHBOR_ALLGATHER,
                                      .send = mpix_pcoll_even(sendbuf, sendpartitions, sendcount,
                                                              sendtype),
                                      .recv = mpix_pcoll_even(recvbuf, recvpartitions, recvcount,
                                                              recvtype),
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Pneighbor_allgather_init");
}

int PMPIX_Pneighbor_allgatherv_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                                    MPI_Datatype sendtype, void *recvbuf,
                                    const int recvpartitions[], const MPI_Count recvcounts[],
                                    const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                    MPI_Info info, MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_NEIGHBOR_ALLGATHERV,
                                      .send = mpix_pcoll_even(sendbuf, sendpartitions, sendcount,
                                                              sendtype),
                                      .recv = mpix_pcoll_uneven(recvbuf, recvpartitions,
                                                                recvcounts, displs, recvtype),
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Pneighbor_allgatherv_init");
}
