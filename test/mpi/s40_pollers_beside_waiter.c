/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S40. Two threads poll different partitions while a third waits for the same request: no hang, no
 * crash, right data; on the other side threads mark while one waits.
 */

#include "../support/side.h"

#define TAG        40
#define ITERATIONS 40

/* With Open MPI 6 the thread sanitizer does not see what orders the data before their readers:
 * MPI_Wait ends when another thread has completed the request, and MPI_Parrived itself answers for
 * one that is inactive, both by operations of Open MPI's, which is not instrumented. */
#if defined(__SANITIZE_THREAD__) && OMPI_MAJOR_VERSION > 5
#define IS_READ false
#else
#define IS_READ true
#endif

typedef struct {
    mt_side_t side;
    int iteration;
} shared_t;

static void receive(int thread, void *argument)
{
    shared_t *shared = argument;

    if (0 == thread) {
        mt_success(MPI_Wait(&shared->side.request, MPI_STATUS_IGNORE), "MPI_Wait");
        if (IS_READ) {
            mt_side_verify(&shared->side, -1, shared->iteration);
        }
        return;
    }
    /* When the wait has ended the request is inactive, and MPI_Parrived is true then as well. */
    for (int p = thread - 1; p < shared->side.partitions; p += 2) {
        mt_check(mt_arrives(shared->side.request, p, 10.0), "partition %d missing", p);
        if (IS_READ) {
            mt_side_verify(&shared->side, p, shared->iteration);
        }
    }
}

static void send(int thread, void *argument)
{
    shared_t *shared = argument;

    if (0 == thread) {
        mt_success(MPI_Wait(&shared->side.request, MPI_STATUS_IGNORE), "MPI_Wait");
        return;
    }
    for (int p = thread - 1; p < shared->side.partitions; p += 2) {
        mt_send_partition(&shared->side, p, shared->iteration);
    }
}

static void run(int partitions, size_t bytes)
{
    shared_t shared;

    mt_one_way(&shared.side, partitions, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        shared.iteration = iteration;
        mt_start(&shared.side);
        mt_team(3, 0 == mt_rank() ? send : receive, &shared);
    }
    mt_drop(&shared.side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    run(16, 40);
    mt_result("16 x 40 bytes: two threads poll, one waits");
    run(8, 9000);
    mt_result("8 x 9000 bytes: two threads poll, one waits");
    run(4, 150000);
    mt_result("4 x 150000 bytes: two threads poll, one waits");
    return mt_end();
}
