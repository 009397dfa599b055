/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S45. Many iterations with random skew keep working, with pauses of either side; the long run with
 * its memory measured is test/stress/longrun.
 *
 * Argument: how many (default 20000).
 */

#include "../support/side.h"

#include <stdlib.h>

#define TAG        45
#define ITERATIONS 20000
#define PAUSES     40 /* of a millisecond, on each side */

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : ITERATIONS;
    mt_side_t side;
    mt_random_t random;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&random, (uint64_t) mt_rank());
    if (0 == mt_rank()) {
        mt_psend(&side, 3, 40, 1, TAG, MPI_COMM_WORLD);
    } else {
        mt_precv(&side, 2, 60, 0, TAG, MPI_COMM_WORLD);
    }
    iterations = mt_slow() ? iterations / 20 : iterations;
    for (int iteration = 0; iteration < iterations && 0 == mt_failures(); iteration++) {
        mt_cycle(&side, iteration);
        if (0 == mt_random_below(&random, iterations / PAUSES)) {
            mt_sleep(0.001);
        }
    }
    mt_drop(&side);
    mt_result("%d iterations with random skew", iterations);
    return mt_end();
}
