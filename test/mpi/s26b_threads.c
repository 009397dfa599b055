/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S26. Threads may call Pready concurrently on different partitions with MPI_THREAD_MULTIPLE: of
 * one request, and of several requests at once, each thread in a random order of its own.
 */

#include "../support/side.h"

#include <stdlib.h>

#define TAG        26
#define THREADS    4
#define CHANNELS   3
#define ITERATIONS 15

typedef struct {
    mt_side_t side[CHANNELS];
    int iteration;
} shared_t;

/* Thread t marks the partitions t, t + THREADS, ... of all channels. */
static void mark(int thread, void *argument)
{
    shared_t *shared = argument;
    int partitions = shared->side[0].partitions;
    int mine = (partitions - thread + THREADS - 1) / THREADS;
    int *order = mt_alloc((size_t) (mine * CHANNELS) * sizeof(*order));
    mt_random_t random;

    mt_random_seed(&random, (uint64_t) (shared->iteration * THREADS + thread));
    for (int i = 0; i < mine * CHANNELS; i++) {
        order[i] = i;
    }
    mt_random_shuffle(&random, order, mine * CHANNELS);
    for (int i = 0; i < mine * CHANNELS; i++) {
        mt_send_partition(&shared->side[order[i] % CHANNELS],
                          thread + THREADS * (order[i] / CHANNELS), shared->iteration);
    }
    free(order);
}

static void run(int partitions, size_t bytes)
{
    shared_t shared;

    for (int c = 0; c < CHANNELS; c++) {
        mt_one_way(&shared.side[c], partitions, bytes, TAG + c, MPI_COMM_WORLD);
    }
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        shared.iteration = iteration;
        for (int c = 0; c < CHANNELS; c++) {
            mt_start(&shared.side[c]);
        }
        if (0 == mt_rank()) {
            mt_team(THREADS, mark, &shared);
        }
        for (int c = 0; c < CHANNELS; c++) {
            mt_finish(&shared.side[c].request, MPI_STATUS_IGNORE);
            if (1 == mt_rank()) {
                mt_side_verify(&shared.side[c], -1, iteration);
                mt_side_wipe(&shared.side[c]);
            }
        }
    }
    for (int c = 0; c < CHANNELS; c++) {
        mt_drop(&shared.side[c]);
    }
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    run(64, 16);
    mt_result("4 threads mark 3 x 64 partitions of 16 bytes");
    run(37, 1000);
    mt_result("4 threads mark 3 x 37 partitions of 1000 bytes");
    run(8, 100000);
    mt_result("4 threads mark 3 x 8 partitions of 100000 bytes");
    return mt_end();
}
