/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S48. Freeing or cancelling an active request is erroneous: MPI_ERR_REQUEST through the
 * communicator's handler, the handle stays, and the operation goes on to its right end.
 */

#include "../support/side.h"

#define TAG        48
#define PARTITIONS 4

static void try_both(mt_side_t *side, MPI_Comm comm, const char *when)
{
    MPI_Request before = side->request;

    mt_expect(comm, MPI_Request_free(&side->request), MPI_ERR_REQUEST, when);
    if (!mt_check(before == side->request, "MPI_Request_free %s changed the handle", when)) {
        side->request = before;
    }
    mt_expect(comm, MPI_Cancel(&side->request), MPI_ERR_REQUEST, when);
    if (!mt_check(before == side->request, "MPI_Cancel %s changed the handle", when)) {
        side->request = before;
    }
}

static void iterate(mt_side_t *side, MPI_Comm comm, int iteration)
{
    MPI_Status status;
    int cancelled = -1;

    mt_start(side);
    try_both(side, comm, "of a request just started");
    if (side->sending) {
        mt_send_partition(side, 0, iteration);
        try_both(side, comm, "of a send with one partition marked");
        for (int p = 1; p < PARTITIONS; p++) {
            mt_send_partition(side, p, iteration);
        }
    } else {
        mt_check(mt_arrives(side->request, 0, 10.0), "partition 0 missing");
        try_both(side, comm, "of a receive with a partition there");
    }
    mt_finish(&side->request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    mt_check(0 == cancelled, "the status says cancelled");
    if (!side->sending) {
        mt_side_verify(side, -1, iteration);
        mt_side_wipe(side);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    for (int large = 0; large <= 1; large++) {
        size_t bytes = large ? 200000 : 32;
        mt_one_way(&side, PARTITIONS, bytes, TAG, comm);
        for (int iteration = 0; iteration < 3; iteration++) {
            iterate(&side, comm, iteration);
        }
        mt_drop(&side);
        mt_expect_quiet("completing and freeing afterwards");
        mt_result("free and cancel of an active request are refused: 4 x %zu bytes", bytes);
    }
    MPI_Comm_free(&comm);
    return mt_end();
}
