/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S26. The program the interface was made for: an OpenMP loop fills the partitions and marks each
 * as soon as it is done, with static, dynamic and guided schedules, and another one consumes them
 * on arrival.
 */

#include "../support/side.h"

#define TAG        26
#define PARTITIONS 24
#define BYTES      2000

static void produce(mt_side_t *side, int iteration)
{
    switch (iteration % 3) {
    case 0:
#pragma omp parallel for schedule(static) num_threads(4)
        for (int p = 0; p < PARTITIONS; p++) {
            mt_send_partition(side, p, iteration);
        }
        break;
    case 1:
#pragma omp parallel for schedule(dynamic, 1) num_threads(4)
        for (int p = 0; p < PARTITIONS; p++) {
            mt_send_partition(side, PARTITIONS - 1 - p, iteration);
        }
        break;
    default:
#pragma omp parallel for schedule(guided) num_threads(4)
        for (int p = 0; p < PARTITIONS; p++) {
            mt_send_partition(side, p, iteration);
        }
        break;
    }
}

static void consume(mt_side_t *side, int iteration)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(4)
    for (int p = 0; p < PARTITIONS; p++) {
        mt_check(mt_arrives(side->request, p, 10.0), "partition %d not there", p);
        mt_side_verify(side, p, iteration);
    }
}

int main(int argc, char **argv)
{
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
#ifndef _OPENMP
    mt_skip("the compiler has no OpenMP", "OpenMP loops mark and consume partitions");
    return mt_end();
#endif
    mt_one_way(&side, PARTITIONS, BYTES, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < 12; iteration++) {
        mt_start(&side);
        if (side.sending) {
            produce(&side, iteration);
        } else {
            consume(&side, iteration);
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        if (!side.sending) {
            mt_side_wipe(&side);
        }
    }
    mt_drop(&side);
    mt_result("OpenMP loops mark and consume partitions");
    return mt_end();
}
