/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random stress: rounds of seeded plans. A plan is a list of channels between random ranks (a rank
 * and itself included) on several communicators, with random tags, partition counts that divide
 * each other or not, datatypes of every shape on either side, several iterations; some channels
 * are freed without having been started. Threads mark partitions in random orders and poll others;
 * channels are waited for in random ways; ranks pause at random. Every byte of a partition is
 * checked the moment MPI_Parrived reports it, and every byte of a buffer, its gaps included, after
 * completion.
 *
 * All ranks draw the plan from the same numbers, and everything else (orders, pauses, ways of
 * waiting) from numbers of their own. A failure names the round: --seed S --first R --rounds 1
 * plays it again.
 */

#include "plan.h"

#include "../support/options.h"

#include <stdio.h>
#include <time.h>

static mt_option_t options[] = {
    {"seconds", "time to run (0: until --rounds)", 10, false},
    {"seed", "of everything (0: from the clock)", 0, false},
    {"first", "round to begin with", 0, false},
    {"rounds", "number of rounds (0: until --seconds)", 0, false},
    {"threads", "at most, in each rank", 3, false},
    {"channels", "at most, in a round", 16, false},
    {"kib", "largest buffer, KiB", 1024, false},
    {"verbose", "print each round", 0, true},
    {NULL, NULL, 0, false},
};

static uint64_t choose_seed(void)
{
    uint64_t seed = (uint64_t) mt_option(options, "seed");

    if (0 == seed) {
        seed = (uint64_t) time(NULL) % 1000000u + 1;
    }
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return seed;
}

/* Rank 0 decides for all; a failure on any rank ends the run, its buffers tell no more. */
static bool go_on(int done, double end)
{
    int rounds = (int) mt_option(options, "rounds");
    int failures = mt_failures();
    int all = 0;
    int go =
        (0 == rounds || done < rounds) && (0 == mt_option(options, "seconds") || mt_now() < end);

    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return go && 0 == all;
}

int main(int argc, char **argv)
{
    plan_world_t world;
    plan_t plan;
    int done = 0;

    mt_options_read(options, argc, argv);
    int threads = (int) mt_option(options, "threads");
    mt_begin(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, 1);
    uint64_t seed = choose_seed();
    int round = (int) mt_option(options, "first");
    double end = mt_now() + mt_option(options, "seconds");
    world.threads = threads;
    world.max_channels = (int) mt_option(options, "channels");
    world.max_bytes = (size_t) mt_option(options, "kib") * 1024;
    plan_world_make(&world);
    if (0 == mt_rank()) {
        mt_note("seed %llu, first round %d", (unsigned long long) seed, round);
    }
    do {
        mt_limit(300);
        mt_stage("seed %llu round %d", (unsigned long long) seed, round);
        plan_draw(&plan, &world, seed, round);
        if (0 != mt_option(options, "verbose") && 0 == mt_rank()) {
            plan_print(&plan);
        }
        plan_run(&plan, &world);
        if (mt_failures() > 0) {
            mt_note("failed: play it again with --seed %llu --first %d --rounds 1",
                    (unsigned long long) seed, round);
        }
        round++;
        done++;
    } while (go_on(done, end));
    plan_world_drop(&world);
    mt_result("%d rounds of random channels, seed %llu", done, (unsigned long long) seed);
    return mt_end();
}
