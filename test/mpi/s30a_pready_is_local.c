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
#define SLEEP      0.4
#define TRIES      3

/* How long the calls take. */
static double mark_all(mt_side_t *side, int iteration)
{
    mt_start(side);
    mt_side_fill(side, -1, iteration);
    double start = mt_now();
    mt_ready(side, -1);
    double took = mt_now() - start;
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    return took;
}

/* In the first iteration the receive does not exist, in the second it is not started. */
static void once(size_t bytes, double quickest[2])
{
    mt_side_t side;

    mt_sync();
    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, bytes, 1, TAG, MPI_COMM_WORLD);
        for (int i = 0; i < 2; i++) {
            double took = mark_all(&side, i);
            quickest[i] = took < quickest[i] ? took : quickest[i];
            mt_sync();
        }
    } else {
        for (int i = 0; i < 2; i++) {
            mt_sleep(SLEEP);
            if (0 == i) {
                mt_precv(&side, PARTITIONS, bytes, 0, TAG, MPI_COMM_WORLD);
            }
            mt_cycle(&side, i);
            mt_sync();
        }
    }
    mt_drop(&side);
}

/* What waits for the peer takes that long always; a busy machine holds a call up now and then. */
static void run(size_t bytes)
{
    double quickest[2] = {1e9, 1e9};
    int quick = 0;

    for (int i = 0; i < TRIES && !quick; i++) {
        once(bytes, quickest);
        quick = quickest[0] < SLEEP / 2 && quickest[1] < SLEEP / 2;
        MPI_Bcast(&quick, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2 && 0 == mt_rank(); i++) {
        mt_check(quickest[i] < SLEEP / 2,
                 "iteration %d: %d calls of MPI_Pready took %.3f s while the peer slept %.1f s, "
                 "at best",
                 i, PARTITIONS, quickest[i], SLEEP);
    }
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
