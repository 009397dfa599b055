/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S8. A negative number of partitions is MPI_ERR_ARG; so is zero, unless part_ucx_zero_partitions
 * allows it (s08b). Never a crash.
 */

#include "../support/side.h"

#include <limits.h>

#define TAG 8

static void try_count(int partitions, MPI_Comm comm, const char *what)
{
    unsigned char buffer[64];
    MPI_Request request = MPI_REQUEST_NULL;
    int peer = 1 - mt_rank();

    int code =
        MPI_Psend_init(buffer, partitions, 4, MPI_BYTE, peer, TAG, comm, MPI_INFO_NULL, &request);
    mt_expect(comm, code, MPI_ERR_ARG, what);
    code =
        MPI_Precv_init(buffer, partitions, 4, MPI_BYTE, peer, TAG, comm, MPI_INFO_NULL, &request);
    mt_expect(comm, code, MPI_ERR_ARG, what);
    if (OMPI_MAJOR_VERSION < 6) { /* newer ones answer MPI_PROC_NULL without looking at the rest */
        code = MPI_Precv_init(buffer, partitions, 4, MPI_BYTE, MPI_PROC_NULL, TAG, comm,
                              MPI_INFO_NULL, &request);
        mt_expect(comm, code, MPI_ERR_ARG, what);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    try_count(-1, comm, "-1 partitions");
    try_count(INT_MIN, comm, "INT_MIN partitions");
    mt_result("a negative number of partitions is refused");
    try_count(0, comm, "0 partitions");
    mt_result("zero partitions are refused by default");
    mt_one_way(&side, 1, 16, TAG, comm);
    mt_cycle(&side, 0);
    mt_drop(&side);
    mt_expect_quiet("a channel after refused calls");
    mt_result("a channel of the same key works after the refused calls");
    MPI_Comm_free(&comm);
    return mt_end();
}
