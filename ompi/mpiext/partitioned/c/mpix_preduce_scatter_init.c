/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Preduce_scatter_block_init and MPIX_Preduce_scatter_init.
 */
#include "ompi_config.h"

#include "mpix_exported.h"
#include "mpix_pcoll.h"

#pragma weak MPIX_Preduce_scatter_block_init = PMPIX_Preduce_scatter_block_init
#pragma weak MPIX_Preduce_scatter_init = PMPIX_Preduce_scatter_init

int PMPIX_Preduce_scatter_block_init(const void *sendbuf, void *recvbuf, int partitions,
                                     MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                     MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK,
                                      .send = mpix_pcoll_even(sendbuf, partitions, count, datatype),
                                      .recv.buffer = recvbuf,
                                      .op = op,
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Preduce_scatter_block_init");
}

int PMPIX_Preduce_scatter_init(const void *sendbuf, void *recvbuf, const int partitions[],
                               const MPI_Count counts[], MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_REDUCE_SCATTER,
                                      .send = mpix_pcoll_uneven(sendbuf, partitions, counts, NULL,
                                                                datatype),
                                      .recv.buffer = recvbuf,
                                      .op = op,
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Preduce_scatter_init");
}
