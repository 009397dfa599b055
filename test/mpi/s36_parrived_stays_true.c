/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S36. Parrived may be called repeatedly, before and after it is true; once true it stays true in
 * that iteration, while the rest arrives, and it may be asked by several threads.
 */

#include "../support/side.h"

#include <sched.h>

#define TAG        36
#define PARTITIONS 16
#define THREADS    3

typedef struct {
    mt_side_t side;
} shared_t;

static void ask(int thread, void *argument)
{
    shared_t *shared = argument;
    bool seen[PARTITIONS] = {false};
    int count = 0;
    double end = mt_now() + 45.0;
    mt_random_t random;

    mt_random_seed(&random, (uint64_t) thread);
    while (count < PARTITIONS
           && mt_check(mt_now() < end, "%d of %d after 45 s", count, PARTITIONS)) {
        int p = mt_random_below(&random, PARTITIONS);
        bool there = mt_arrived(shared->side.request, p);
        mt_check(there || !seen[p], "partition %d was reported and is not any more", p);
        count += there && !seen[p];
        seen[p] |= there;
        if (!there) {
            sched_yield(); /* there may be fewer processors than threads */
        }
    }
}

static void run(size_t bytes)
{
    shared_t shared;
    mt_side_t *side = &shared.side;

    mt_one_way(side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < 5; iteration++) {
        mt_start(side);
        for (int p = 0; side->sending && p < PARTITIONS; p++) {
            mt_send_partition(side, (p * 5) % PARTITIONS, iteration);
            mt_progress(0.001);
        }
        if (!side->sending) {
            mt_team(THREADS, ask, &shared);
            for (int p = 0; p < PARTITIONS; p++) {
                mt_check(mt_arrived(side->request, p), "partition %d is no longer reported", p);
            }
        }
        mt_finish(&side->request, MPI_STATUS_IGNORE);
        if (!side->sending) {
            mt_side_verify(side, -1, iteration);
        }
    }
    mt_drop(side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    run(24);
    mt_result("once true, MPI_Parrived stays true: 16 partitions of 24 bytes, 3 threads");
    run(60000);
    mt_result("once true, MPI_Parrived stays true: 16 partitions of 60000 bytes, 3 threads");
    return mt_end();
}
