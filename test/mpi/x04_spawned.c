/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes that were spawned: a channel across the intercommunicator of MPI_Comm_spawn, and in the
 * merged communicator, in both directions. The component must not depend on MPI_COMM_WORLD.
 */

#include "../support/side.h"

#include <stdio.h>

#define TAG 105

/* The parent's side is rank 0 of the merged communicator, the child's is rank 1. */
static int child(MPI_Comm parent)
{
    MPI_Comm merged;
    int failures = 0;

    MPI_Intercomm_merge(parent, 1, &merged);
    mt_both_ways(parent, 1, 0, TAG);
    mt_both_ways(merged, 1, 0, TAG);
    failures = mt_failures();
    MPI_Send(&failures, 1, MPI_INT, 0, TAG, merged);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    MPI_Comm spawned;
    MPI_Comm merged;
    int failures = -1;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (MPI_COMM_NULL != parent) {
        return child(parent);
    }
    mt_begin_on(MPI_COMM_WORLD);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &spawned,
                   MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(spawned, 0, &merged);
    mt_both_ways(spawned, 0, 0, TAG);
    mt_result("a channel to a spawned process, through the intercommunicator");
    mt_both_ways(merged, 0, 1, TAG);
    mt_result("a channel to a spawned process, merged");
    MPI_Recv(&failures, 1, MPI_INT, 1, TAG, merged, MPI_STATUS_IGNORE);
    mt_check(0 == failures, "%d checks of the spawned process failed", failures);
    mt_result("the spawned process has its data");
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&spawned);
    int status = mt_end();
    MPI_Finalize();
    return status;
}
