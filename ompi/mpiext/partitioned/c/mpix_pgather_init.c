/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Pgather_init and MPIX_Pgatherv_init.
 */
#include "ompi_config.h"

#include "mpix_exported.h"
#include "mpix_pcoll.h"

#pragma weak MPIX_Pgather_init = PMPIX_Pgather_init
#pragma weak MPIX_Pgatherv_init = PMPIX_Pgatherv_init

int PMPIX_Pgather_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                       MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                       MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_GATHER,
                                      .send = mpix_pcoll_even(sendbuf, sendpartitions, sendcount,
                                                              sendtype),
                                      .recv = mpix_pcoll_even(recvbuf, recvpartitions, recvcount,
                                                              recvtype),
                                      .root = root,
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Pgather_init");
}

int PMPIX_Pgatherv_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                        MPI_Datatype sendtype, void *recvbuf, const int recvpartitions[],
                        const MPI_Count recvcounts[], const MPI_Aint displs[],
                        MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                        MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_GATHERV,
                                      .send = mpix_pcoll_even(sendbuf, sendpartitions, sendcount,
                                                              sendtype),
                                      .recv = mpix_pcoll_uneven(recvbuf, recvpartitions,
                                                                recvcounts, displs, recvtype),
                                      .root = root,
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Pgatherv_init");
}
