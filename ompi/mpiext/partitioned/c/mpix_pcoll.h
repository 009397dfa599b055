/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the initialisation functions of the partitioned collectives share. Each of them only
 * describes its arguments; coll/pschedule checks them, on all ranks together.
 */
#ifndef MPIX_PCOLL_H
#define MPIX_PCOLL_H

#include "call/coll_pschedule_call.h"

/**
 * Make the request that `call` describes, through the module of its communicator.
 *
 * @param function  name of the caller, for the error handler
 * @return MPI_SUCCESS, or an error class that was raised on the communicator
 */
int mpix_pcoll_init(mca_coll_pschedule_call_t *call, MPI_Request *request, const char *function);

/** A buffer of one block, or of equal blocks. */
static inline mca_coll_pschedule_side_t mpix_pcoll_even(const void *buffer, int partitions,
                                                        MPI_Count count, MPI_Datatype datatype)
{
    return (mca_coll_pschedule_side_t) {.buffer = buffer,
                                        .partitions = partitions,
                                        .count = count,
                                        .datatype = datatype};
}

/** A buffer of blocks with sizes of their own. */
static inline mca_coll_pschedule_side_t
mpix_pcoll_uneven(const void *buffer, const int partitions[], const MPI_Count counts[],
                  const MPI_Aint displacements[], MPI_Datatype datatype)
{
    return (mca_coll_pschedule_side_t) {.buffer = buffer,
                                        .datatype = datatype,
                                        .partition_list = partitions,
                                        .count_list = counts,
                                        .displacements = displacements};
}

/** A buffer of blocks with sizes and datatypes of their own. */
static inline mca_coll_pschedule_side_t
mpix_pcoll_typed(const void *buffer, const int partitions[], const MPI_Count counts[],
                 const MPI_Aint displacements[], const MPI_Datatype datatypes[])
{
    return (mca_coll_pschedule_side_t) {.buffer = buffer,
                                        .partition_list = partitions,
                                        .count_list = counts,
                                        .displacements = displacements,
                                        .datatype_list = datatypes};
}

#endif /* MPIX_PCOLL_H */
