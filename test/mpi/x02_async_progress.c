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

/* How long the receiver is outside MPI: longer before partitions are said not to travel, as a
 * machine that is busy with other things takes longer. The late mark comes after its look, unless
 * that is held up. */
#define SHORTEST 0.15
#define LONGEST  4.8
#define LATER    0.2

/* Returns a time before the late mark. */
static double send(mt_side_t *side, int iteration, double seconds)
{
    double marked;

    mt_side_fill(side, -1, iteration);
    mt_sync();
    for (int p = 0; p < PARTITIONS - 1; p++) {
        mt_ready(side, p);
    }
    mt_sleep(seconds + LATER);
    marked = mt_now();
    mt_ready(side, PARTITIONS - 1);
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    return marked;
}

/* Returns the number of early partitions that are there at one look. `*late`: when it has seen the
 * late one there, 0 if it was not. */
static int receive(mt_side_t *side, int iteration, double seconds, double *late)
{
    int there = 0;

    mt_sync();
    mt_sleep(seconds);
    for (int p = 0; p < PARTITIONS - 1; p++) {
        there += mt_arrived(side->request, p);
    }
    *late = mt_arrived(side->request, PARTITIONS - 1) ? mt_now() : 0;
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    mt_side_verify(side, -1, iteration);
    mt_side_wipe(side);
    return there;
}

/* Returns how many early partitions were there, on both ranks. */
static int iterate(mt_side_t *side, int iteration, double seconds)
{
    double marked = 0, late = 0;
    int there = 0;

    mt_start(side);
    if (side->sending) {
        marked = send(side, iteration, seconds);
    } else {
        there = receive(side, iteration, seconds, &late);
    }
    MPI_Bcast(&marked, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&there, 1, MPI_INT, 1, MPI_COMM_WORLD);
    /* One clock: the hosts of the virtual cluster are one machine. */
    mt_check(0 == late || late > marked, "the late partition is there before it is marked");
    return there;
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
    double seconds = SHORTEST;
    int good = 0;
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    mt_cycle(&side, 99); /* set-up */
    for (int iteration = 0; good < 2 && seconds <= LONGEST; iteration++) {
        int there = iterate(&side, iteration, seconds);

        if (PARTITIONS - 1 == there) {
            good++;
            continue;
        }
        if (!side.sending) {
            mt_note("iteration %d: %d of %d early partitions of %zu bytes are there after %.1f s",
                    iteration, there, PARTITIONS - 1, bytes, seconds);
        }
        seconds *= 2;
    }
    mt_check(2 == good, "early partitions do not travel");
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
