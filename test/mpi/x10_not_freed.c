/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests that the program does not free before MPI_Finalize, used often, once, and never
 * started: the process ends well. (UCX aborts it when it is left with registrations, which only
 * puts need.) What shows is the status of the job.
 */

#include "../support/side.h"

#define TAG        310
#define PARTITIONS 4
#define CHANNELS   3

static mt_side_t side[CHANNELS]; /* for the leak sanitizer */

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < CHANNELS; i++) {
        mt_one_way(&side[i], PARTITIONS, 40000, TAG + i, MPI_COMM_WORLD);
    }
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_cycle(&side[0], iteration);
    }
    mt_cycle(&side[1], 0);
    mt_result("requests that are left behind carry data");
    return mt_end();
}
