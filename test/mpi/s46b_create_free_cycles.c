/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S46. Thousands of create and free cycles of one key work and identifiers are recycled: 2000
 * here; the long run with its memory measured is test/stress/longrun.
 */

#include "../support/side.h"

#define TAG    46
#define CYCLES 2000

int main(int argc, char **argv)
{
    mt_side_t side;
    mt_random_t random;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&random, 46);
    int cycles = mt_slow() ? CYCLES / 10 : CYCLES;
    for (int cycle = 0; cycle < cycles && 0 == mt_failures(); cycle++) {
        int partitions = 1 + mt_random_below(&random, 9);
        size_t bytes = (size_t) 1 << mt_random_below(&random, 13);
        mt_stage("cycle %d: %d x %zu bytes", cycle, partitions, bytes);
        mt_one_way(&side, partitions, bytes, TAG, MPI_COMM_WORLD);
        mt_cycle(&side, cycle);
        mt_drop(&side);
    }
    mt_result("%d create and free cycles", cycles);
    return mt_end();
}
