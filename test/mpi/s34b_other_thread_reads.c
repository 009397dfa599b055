/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S34. The bytes of a partition reported by one thread are readable by another thread, which
 * learns of it without calling MPI; several threads poll several partitions of one request.
 */

#include "../support/side.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define TAG            34
#define POLLERS        2
#define READERS        2
#define MAX_PARTITIONS 64

typedef struct {
    mt_side_t side;
    int iteration;
    int announced[MAX_PARTITIONS]; /* set by a poller, awaited by a reader */
} shared_t;

static void poll(shared_t *shared, int first)
{
    for (int p = first; p < shared->side.partitions; p += POLLERS) {
        mt_check(mt_arrives(shared->side.request, p, 10.0), "partition %d missing", p);
        __atomic_store_n(&shared->announced[p], 1, __ATOMIC_RELEASE);
    }
}

static void read_bytes(shared_t *shared, int first)
{
    for (int p = first; p < shared->side.partitions; p += READERS) {
        while (0 == __atomic_load_n(&shared->announced[p], __ATOMIC_ACQUIRE)) {
            sched_yield();
        }
        mt_side_verify(&shared->side, p, shared->iteration);
    }
}

static void work(int thread, void *argument)
{
    if (thread < POLLERS) {
        poll(argument, thread);
    } else {
        read_bytes(argument, thread - POLLERS);
    }
}

static void run(int partitions, size_t bytes, int iterations)
{
    shared_t shared;

    mt_one_way(&shared.side, partitions, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < iterations; iteration++) {
        shared.iteration = iteration;
        mt_start(&shared.side);
        if (0 == mt_rank()) {
            for (int p = 0; p < partitions; p++) {
                mt_send_partition(&shared.side, p, iteration);
            }
        } else {
            memset(shared.announced, 0, sizeof(shared.announced));
            mt_team(POLLERS + READERS, work, &shared);
        }
        mt_finish(&shared.side.request, MPI_STATUS_IGNORE);
    }
    mt_drop(&shared.side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    run(64, 64, 20);
    mt_result("64 partitions of 64 bytes: other threads read what was reported");
    run(32, 5000, 15);
    mt_result("32 partitions of 5000 bytes: other threads read what was reported");
    run(8, 200000, 5);
    mt_result("8 partitions of 200000 bytes: other threads read what was reported");
    return mt_end();
}
