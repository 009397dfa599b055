/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Pscan_init and MPIX_Pexscan_init.
 */
#include "ompi_config.h"

#include "mpix_exported.h"
#include "mpix_pcoll.h"

#pragma weak MPIX_Pscan_init = PMPIX_Pscan_init
#pragma weak MPIX_Pexscan_init = PMPIX_Pexscan_init

int PMPIX_Pscan_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                     MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_SCAN,
                                      .send = mpix_pcoll_even(sendbuf, partitions, count, datatype),
                                      .recv.buffer = recvbuf,
                                      .op = op,
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Pscan_init");
}

int PMPIX_Pexscan_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_EXSCAN,
                                      .send = mpix_pcoll_even(sendbuf, partitions, count, datatype),
                                      .recv.buffer = recvbuf,
                                      .op = op,
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Pexscan_init");
}
