/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S24. MPI_Start on an active request is erroneous: MPI_ERR_REQUEST, and the running operation is
 * not disturbed. The same for MPI_Startall.
 */

#include "../support/side.h"

#define TAG 24

int main(int argc, char **argv)
{
    MPI_Comm comm;
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    mt_one_way(&side, 4, 3000, TAG, comm);
    mt_cycle(&side, 0);
    mt_start(&side);
    mt_expect_class(MPI_Start(&side.request), MPI_ERR_REQUEST, "MPI_Start while active");
    mt_result("MPI_Start on an active request is refused");
    mt_expect_class(MPI_Startall(1, &side.request), MPI_ERR_REQUEST, "MPI_Startall while active");
    mt_result("MPI_Startall on an active request is refused");
    if (side.sending) {
        mt_send_partition(&side, 0, 1);
    }
    mt_expect_class(MPI_Start(&side.request), MPI_ERR_REQUEST, "MPI_Start while half done");
    for (int p = 1; side.sending && p < side.partitions; p++) {
        mt_send_partition(&side, p, 1);
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    if (!side.sending) {
        mt_side_verify(&side, -1, 1);
    }
    mt_cycle(&side, 2);
    mt_drop(&side);
    mt_expect_quiet("the operation after refused starts");
    mt_result("the operation and its restart are not disturbed by refused starts");
    MPI_Comm_free(&comm);
    return mt_end();
}
