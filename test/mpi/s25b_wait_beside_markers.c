/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S25. MPI_Wait on the send, called before the partitions are marked by other threads, returns
 * after the last MPI_Pready and not before (#12935: deadlock when one thread progresses while
 * another marks).
 */

#include "../support/side.h"

#define TAG        25
#define PARTITIONS 8
#define MARKERS    2
#define ITERATIONS 20

typedef struct {
    mt_side_t side;
    int iteration;
    int marked;
} shared_t;

static void work(int thread, void *argument)
{
    shared_t *shared = argument;

    if (0 == thread) {
        mt_success(MPI_Wait(&shared->side.request, MPI_STATUS_IGNORE), "MPI_Wait");
        int marked = __atomic_load_n(&shared->marked, __ATOMIC_SEQ_CST);
        mt_check(PARTITIONS == marked, "MPI_Wait returned with %d of %d partitions marked", marked,
                 PARTITIONS);
        return;
    }
    mt_sleep(0.005);
    for (int p = thread - 1; p < PARTITIONS; p += MARKERS) {
        mt_side_fill(&shared->side, p, shared->iteration);
        mt_sleep(0.0005);
        __atomic_add_fetch(&shared->marked, 1, __ATOMIC_SEQ_CST);
        mt_ready(&shared->side, p);
    }
}

static void run(size_t bytes)
{
    shared_t shared = {.marked = 0};
    mt_side_t side;

    if (0 == mt_rank()) {
        mt_psend(&shared.side, PARTITIONS, bytes, 1, TAG, MPI_COMM_WORLD);
    } else {
        mt_precv(&side, PARTITIONS, bytes, 0, TAG, MPI_COMM_WORLD);
    }
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        if (0 == mt_rank()) {
            shared.iteration = iteration;
            shared.marked = 0;
            mt_start(&shared.side);
            mt_team(1 + MARKERS, work, &shared);
        } else {
            mt_cycle(&side, iteration);
        }
    }
    mt_drop(0 == mt_rank() ? &shared.side : &side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    run(64);
    mt_result("one thread waits while two mark partitions of 64 bytes");
    run(50000);
    mt_result("one thread waits while two mark partitions of 50000 bytes");
    return mt_end();
}
