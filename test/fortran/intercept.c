/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A tool as profilers are: it has functions of its own under the names of the library, and calls
 * the library's by their profiling names.
 */
#include <mpix_partitioned.h>

static int calls;

int test_intercepted(void);
int test_intercepted(void)
{
    return calls;
}

int MPIX_Pallreduce_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                         MPI_Request *request)
{
    ++calls;
    return PMPIX_Pallreduce_init(sendbuf, recvbuf, partitions, count, datatype, op, comm, info,
                                 request);
}
