/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Pscatter_init and MPIX_Pscatterv_init.
 */
#include "ompi_config.h"

#include "mpix_exported.h"
#include "mpix_pcoll.h"

#pragma weak MPIX_Pscatter_init = PMPIX_Pscatter_init
#pragma weak MPIX_Pscatterv_init = PMPIX_Pscatterv_init

int PMPIX_Pscatter_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                        MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                        MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                        MPI_Info info, MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_SCATTER,
                                      .send = mpix_pcoll_even(sendbuf, sendpartitions, sendcount,
                                                              sendtype),
                                      .recv = mpix_pcoll_even(recvbuf, recvpartitions, recvcount,
                                                              recvtype),
                                      .root = root,
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Pscatter_init");
}

int PMPIX_Pscatterv_init(const void *sendbuf, const int sendpartitions[],
                         const MPI_Count sendcounts[], const MPI_Aint displs[],
                         MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                         MPI_Info info, MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_SCATTERV,
                                      .send = mpix_pcoll_uneven(sendbuf, sendpartitions,
                                                                sendcounts, displs, sendtype),
                                      .recv = mpix_pcoll_even(recvbuf, recvpartitions, recvcount,
                                                              recvtype),
                                      .root = root,
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Pscatterv_init");
}
