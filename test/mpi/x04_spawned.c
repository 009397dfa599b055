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
static void exchange(MPI_Comm comm, int me, int peer)
{
    mt_side_t out;
    mt_side_t in;

    mt_psend(&out, 4, 5000, peer, TAG, comm);
    mt_precv(&in, 5, 4000, peer, TAG, comm);
    out.seed = (uint64_t) me;
    in.seed = (uint64_t) (1 - me);
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_start(&in);
        mt_cycle(&out, iteration);
        mt_finish(&in.request, MPI_STATUS_IGNORE);
        mt_side_verify(&in, -1, iteration);
        mt_side_wipe(&in);
    }
    mt_drop(&out);
    mt_drop(&in);
}

static int child(MPI_Comm parent)
{
    MPI_Comm merged;
    int failures = 0;

    MPI_Intercomm_merge(parent, 1, &merged);
    exchange(parent, 1, 0);
    exchange(merged, 1, 0);
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
    exchange(spawned, 0, 0);
    mt_result("a channel to a spawned process, through the intercommunicator");
    exchange(merged, 0, 1);
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
