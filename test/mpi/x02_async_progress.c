/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Asynchronous progress: partitions that were marked travel while neither side is inside MPI. Both
 * sides sleep after the marking; a single MPI_Parrived for each partition then finds it there,
 * although it is too large for one call to move it. The late partition follows. The thread that
 * does it sleeps while there is nothing to move, whether requests are active or not.
 */

#include "../support/side.h"

#include <sys/resource.h>

#define TAG        102
#define PARTITIONS 6

static void send(mt_side_t *side, int iteration)
{
    mt_side_fill(side, -1, iteration);
    mt_sync();
    for (int p = 0; p < PARTITIONS - 1; p++) {
        mt_ready(side, p);
    }
    mt_sleep(0.8);
    mt_ready(side, PARTITIONS - 1);
    mt_finish(&side->request, MPI_STATUS_IGNORE);
}

static void receive(mt_side_t *side, int iteration)
{
    int there = 0;

    mt_sync();
    mt_sleep(0.6);
    for (int p = 0; p < PARTITIONS - 1; p++) {
        there += mt_arrived(side->request, p);
    }
    mt_check(PARTITIONS - 1 == there,
             "iteration %d: %d of %d early partitions of %zu bytes are there at once", iteration,
             there, PARTITIONS - 1, side->bytes);
    mt_check(!mt_arrived(side->request, PARTITIONS - 1), "the late partition is there");
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    mt_side_verify(side, -1, iteration);
    mt_side_wipe(side);
}

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
           + 1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* One that spins would take all of the time, on a busy machine its share of it. */
static void expect_sleep(const char *when)
{
    double used = cpu_seconds();

    mt_sleep(0.5);
    used = cpu_seconds() - used;
    mt_check(used < 0.1, "%s the process takes %.2f s of processor time in half a second", when,
             used);
}

static void sleeps(void)
{
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, 1000, TAG, MPI_COMM_WORLD);
    mt_cycle(&side, 99);
    mt_sync();
    expect_sleep("inactive");
    mt_start(&side);
    mt_sync();
    expect_sleep("active");
    if (side.sending) {
        mt_side_fill(&side, -1, 0);
        for (int p = 0; p < PARTITIONS; p++) {
            mt_ready(&side, p);
        }
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    mt_drop(&side);
}

static void run(size_t bytes)
{
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    mt_cycle(&side, 99); /* set-up */
    for (int iteration = 0; iteration < 2; iteration++) {
        mt_start(&side);
        if (side.sending) {
            send(&side, iteration);
        } else {
            receive(&side, iteration);
        }
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {2000, 100000, 4000000};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < 3; i++) {
        run(sizes[i]);
        mt_result("5 x %zu bytes travel while nobody is inside MPI", sizes[i]);
    }
    sleeps();
    mt_result("the helper thread sleeps while there is nothing to move");
    return mt_end();
}
