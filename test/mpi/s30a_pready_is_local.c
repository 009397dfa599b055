/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S30. MPI_Pready is local and non-blocking, even without a matched or started peer: marking
 * returns at once while the receiver sleeps outside MPI and has not even initialised (MPICH #5231,
 * #9994).
 */

#include "../support/side.h"

#define TAG        30
#define PARTITIONS 8
#define SLEEP      0.5

static void mark_all(mt_side_t *side, int iteration)
{
    mt_start(side);
    mt_side_fill(side, -1, iteration);
    double start = mt_now();
    mt_ready(side, -1);
    double took = mt_now() - start;
    mt_check(took < SLEEP / 2, "8 calls of MPI_Pready took %.3f s while the peer slept %.1f s",
             took, SLEEP);
    mt_finish(&side->request, MPI_STATUS_IGNORE);
}

static void run(size_t bytes)
{
    mt_side_t side;

    mt_sync();
    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, bytes, 1, TAG, MPI_COMM_WORLD);
        mark_all(&side, 0);
        mt_sync();
        mark_all(&side, 1);
    } else {
        mt_sleep(SLEEP);
        mt_precv(&side, PARTITIONS, bytes, 0, TAG, MPI_COMM_WORLD);
        mt_cycle(&side, 0);
        mt_sync();
        mt_sleep(SLEEP);
        mt_cycle(&side, 1);
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    run(16);
    mt_result("8 x 16 bytes are marked while the peer sleeps");
    run(1000000);
    mt_result("8 x 1000000 bytes are marked while the peer sleeps");
    return mt_end();
}
