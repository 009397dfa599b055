/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Pbcast_init.
 */
#include "ompi_config.h"

#include "mpix_exported.h"
#include "mpix_pcoll.h"

#pragma weak MPIX_Pbcast_init = PMPIX_Pbcast_init

int PMPIX_Pbcast_init(void *buffer, int partitions, MPI_Count count, MPI_Datatype datatype,
                      int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_BCAST,
                                      .send = mpix_pcoll_even(buffer, partitions, count, datatype),
                                      .root = root,
                                      .comm = comm,
                                      .info = info};

    return mpix_pcoll_init(&call, request, "MPIX_Pbcast_init");
}
