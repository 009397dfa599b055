/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S8. With part_ucx_zero_partitions allowed (see testlist) a channel of zero partitions is legal:
 * it starts, completes, restarts and frees; any partition index is out of range.
 */

#include "../support/side.h"

#define TAG        8
#define ITERATIONS 3

static void open_side(MPI_Request *request, int partitions, MPI_Count count, MPI_Comm comm)
{
    if (0 == mt_rank()) {
        mt_success(
            MPI_Psend_init(NULL, partitions, count, MPI_INT, 1, TAG, comm, MPI_INFO_NULL, request),
            "MPI_Psend_init");
    } else {
        mt_success(
            MPI_Precv_init(NULL, partitions, count, MPI_INT, 0, TAG, comm, MPI_INFO_NULL, request),
            "MPI_Precv_init");
    }
}

static void iterate(MPI_Request *request, int partitions)
{
    for (int i = 0; i < ITERATIONS; i++) {
        MPI_Status status;
        int count = -1;
        mt_success(MPI_Start(request), "MPI_Start");
        for (int p = 0; 0 == mt_rank() && p < partitions; p++) {
            mt_success(MPI_Pready(p, *request), "MPI_Pready");
        }
        mt_finish(request, &status);
        if (1 == mt_rank()) {
            MPI_Get_count(&status, MPI_INT, &count);
            mt_check(0 == count, "MPI_Get_count gives %d", count);
        }
    }
}

static void out_of_range(MPI_Request *request, MPI_Comm comm)
{
    int flag = 0;

    mt_success(MPI_Start(request), "MPI_Start");
    mt_errors_clear();
    if (0 == mt_rank()) {
        mt_expect(comm, MPI_Pready(0, *request), MPI_ERR_ARG, "MPI_Pready(0) of 0");
    } else {
        mt_expect(comm, MPI_Parrived(*request, 0, &flag), MPI_ERR_ARG, "MPI_Parrived(0) of 0");
    }
    mt_finish(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Request request = MPI_REQUEST_NULL;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    open_side(&request, 0, 4, comm);
    iterate(&request, 0);
    mt_result("a channel of zero partitions starts, completes and restarts");
    out_of_range(&request, comm);
    mt_result("every index is out of range of zero partitions");
    mt_free(&request);
    /* Zero bytes on both sides, cut differently. */
    int partitions = 0 == mt_rank() ? 0 : 3;
    open_side(&request, partitions, 0, comm);
    iterate(&request, partitions);
    mt_free(&request);
    mt_result("zero partitions match three partitions of zero elements");
    MPI_Comm_free(&comm);
    return mt_end();
}
