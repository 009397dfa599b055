/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Asynchronous progress of collectives: when all ranks have marked everything, the steps that are
 * left are taken while every rank computes and nobody is inside MPI. Each rank then looks once at
 * each of its partitions, and stops at the first that is not there. The same while the last
 * partition has not been marked, for all others: small ones, too, do not wait for it. The same with
 * MPI's persistent allreduce, in a job with coll_pschedule_persistent on.
 *
 * Argument "off", for a job whose helper thread is off: the steps must not have been taken. It
 * shows that it is the helper thread who takes them, and that this test can fail.
 */

#include "../support/pcoll.h"

#include <stdlib.h>
#include <string.h>

#define CUT     6
#define STAGGER 0.03 /* from one rank's marks to the next one's, beginning with the last rank */

/* How long ranks compute. On a machine that is busy with other things the steps take longer, so
 * they are given more time before they are said not to be taken. */
#define SHORTEST 0.25
#define LONGEST  4.0

/* Keeps a processor busy, outside MPI. */
static void compute(double seconds)
{
    double end = mt_now() + seconds;
    volatile double value = 1.0;

    while (mt_now() < end) {
        for (int i = 0; i < 1000; i++) {
            value = value * 0.999 + 1.0;
        }
    }
}

/* Returns the number of ranks that have found at one look all that does not depend on the `late`
 * partitions that are marked later. */
static int iterate(pc_t *pc, int iteration, double seconds, int late)
{
    int seen = 0;
    int marked = pc->gives > late ? pc->gives - late : 0;
    int there = pc->takes > late ? pc->takes - late : 0;
    int ranks = 0;

    pc_start(pc, iteration);
    mt_sync();
    /* Each rank but the first needs what others mark later, and has left MPI by then. */
    compute(STAGGER * (mt_size() - 1 - mt_rank()));
    for (int i = 0; i < marked; i++) {
        pc_mark(pc, i);
    }
    compute(seconds);
    while (seen < there && pc_arrived(pc, seen)) {
        seen++;
    }
    int complete = seen == there;
    for (int i = marked; i < pc->gives; i++) {
        pc_mark(pc, i);
    }
    pc_finish(pc);
    MPI_Allreduce(&complete, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return ranks;
}

static void run(pc_kind_t kind, int unit, int late, bool helper)
{
    pc_spec_t spec = pc_plain(kind, MPI_COMM_WORLD, CUT, unit, 19);
    double seconds = SHORTEST;
    int ranks = 0;
    pc_t pc;

    pc_make(&pc, &spec, 2);
    if (pc_open(&pc)) {
        (void) iterate(&pc, 0, 0.0, 0); /* connections */
        ranks = iterate(&pc, 1, seconds, late);
        for (int i = 2; helper && ranks < mt_size() && seconds < LONGEST; i++) {
            seconds *= 2;
            ranks = iterate(&pc, i, seconds, late);
        }
        mt_check(helper == (mt_size() == ranks),
                 "%s: %d of %d ranks found all but %d partitions after %.2f s outside MPI",
                 pc_text(&pc), ranks, mt_size(), late, seconds);
    }
    pc_drop(&pc);
    mt_result("%s of %d x %d elements, %d marked late, %s while nobody is inside MPI",
              pc_traits[kind].name, CUT, unit, late,
              helper ? "goes on" : "without the helper thread does not go on");
}

/* ---- MPI's persistent ones, which have no MPI_Parrived ---- */

/* Looks at the buffer itself, from time to time. */
static bool comes_true(volatile const int *place, int value, double seconds)
{
    double end = mt_now() + seconds;

    while (*place != value && mt_now() < end) {
        compute(0.001);
    }
    return *place == value;
}

static void run_persistent(int count, bool helper)
{
    int *in = mt_alloc((size_t) count * sizeof(int));
    int *out = mt_alloc((size_t) count * sizeof(int));
    long long served = pc_served();
    int expected, mine, ranks = 0;
    MPI_Request request;

    MPI_Allreduce_init(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    mt_check(pc_served() == served + 1, "it was handed on");
    for (int iteration = 0; iteration < 3; iteration++) {
        expected = mt_size() * (iteration + 5);
        for (int i = 0; i < count; i++) {
            in[i] = iteration + 5;
            out[i] = -1;
        }
        mt_sync();
        compute(STAGGER * (mt_size() - 1 - mt_rank()));
        MPI_Start(&request);
        mine = comes_true(&out[count - 1], expected,
                          helper ? LONGEST : SHORTEST + STAGGER * mt_size());
        mt_finish(&request, MPI_STATUS_IGNORE);
        mt_check(out[0] == expected && out[count - 1] == expected, "the sum is %d", out[0]);
        MPI_Allreduce(&mine, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        mt_check(helper == (mt_size() == ranks),
                 "iteration %d: %d of %d ranks found their sum outside MPI", iteration, ranks,
                 mt_size());
    }
    mt_free(&request);
    free(in);
    free(out);
    mt_result("MPI_Allreduce_init of %d ints %s while nobody is inside MPI", count,
              helper ? "goes on" : "without the helper thread does not go on");
}

int main(int argc, char **argv)
{
    bool helper = argc < 2 || 0 != strcmp(argv[1], "off");

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 3);
    run(PC_ALLREDUCE, 20, 0, helper);
    run(PC_ALLREDUCE, 20, 1, helper);
    run(PC_ALLREDUCE, 20000, 0, helper);
    run(PC_BCAST, 20, 1, helper);
    run(PC_BCAST, 20000, 0, helper);
    run(PC_ALLGATHER, 4000, 0, helper);
    run(PC_SCAN, 20000, 0, helper);
    run_persistent(20, helper);
    run_persistent(200000, helper);
    return mt_end();
}
