/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S31. Partitions that are not marked may be written at any time: what they held while their
 * neighbours were sent is never seen by the receiver, also when the library sends several of them
 * at once.
 */

#include "../support/side.h"

#define TAG        31
#define THREADS    3
#define ITERATIONS 10

typedef struct {
    mt_side_t side;
    int iteration;
} shared_t;

/* Each thread scribbles on its own next partition up to the moment it marks it. */
static void scribble_then_mark(int thread, void *argument)
{
    shared_t *shared = argument;
    mt_random_t random;

    mt_random_seed(&random, (uint64_t) (thread + 100 * shared->iteration));
    for (int p = thread; p < shared->side.partitions; p += THREADS) {
        int rounds = 1 + mt_random_below(&random, 20);
        for (int i = 0; i < rounds; i++) {
            mt_side_fill(&shared->side, p, 5000 + i);
        }
        mt_send_partition(&shared->side, p, shared->iteration);
    }
}

static void run(int partitions, size_t bytes)
{
    shared_t shared;

    mt_one_way(&shared.side, partitions, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        mt_start(&shared.side);
        shared.iteration = iteration;
        if (0 == mt_rank()) {
            mt_team(THREADS, scribble_then_mark, &shared);
        } else {
            for (int p = partitions - 1; p >= 0; p--) {
                mt_check(mt_arrives(shared.side.request, p, 10.0), "partition %d is missing", p);
                mt_side_verify(&shared.side, p, iteration);
            }
        }
        mt_finish(&shared.side.request, MPI_STATUS_IGNORE);
    }
    mt_drop(&shared.side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    run(48, 8);
    mt_result("48 partitions of 8 bytes beside unmarked ones that change");
    run(31, 777);
    mt_result("31 partitions of 777 bytes beside unmarked ones that change");
    run(9, 60000);
    mt_result("9 partitions of 60000 bytes beside unmarked ones that change");
    return mt_end();
}
