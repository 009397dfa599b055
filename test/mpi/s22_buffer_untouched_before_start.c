/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S22. The receive buffer is unchanged until the receiver has called MPI_Start for that iteration,
 * however long ago the sender has marked everything: before the first Start, and between
 * iterations.
 */

#include "../support/side.h"

#define TAG        22
#define PARTITIONS 4

static void send(mt_side_t *side)
{
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_start(side);
        mt_side_fill(side, -1, iteration);
        mt_ready(side, -1);
        mt_progress(0.02);
        mt_sync(); /* everything of this iteration is marked */
        mt_finish(&side->request, MPI_STATUS_IGNORE);
        mt_sync();
    }
}

static void receive(mt_side_t *side)
{
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_sync();
        mt_progress(0.15);
        mt_side_untouched(side,
                          0 == iteration ? "before the first MPI_Start" : "between iterations");
        mt_start(side);
        mt_finish(&side->request, MPI_STATUS_IGNORE);
        mt_side_verify(side, -1, iteration);
        mt_side_wipe(side);
        mt_sync();
    }
}

static void run(size_t bytes)
{
    mt_side_t side;

    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, bytes, 1, TAG, MPI_COMM_WORLD);
        send(&side);
    } else {
        mt_precv(&side, PARTITIONS, bytes, 0, TAG, MPI_COMM_WORLD);
        receive(&side);
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    run(16);
    mt_result("partitions of 16 bytes wait for the receiver's MPI_Start");
    run(4000);
    mt_result("partitions of 4000 bytes wait for the receiver's MPI_Start");
    run(300000);
    mt_result("partitions of 300000 bytes wait for the receiver's MPI_Start");
    return mt_end();
}
