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
#include "rounds.h"

static mt_option_t options[] = {
    ROUNDS_OPTIONS,
    {"threads", "at most, in each rank", 3, false},
    {"channels", "at most, in a round", 16, false},
    {"kib", "largest buffer, KiB", 1024, false},
    {NULL, NULL, 0, false},
};

static void play(void *context, uint64_t seed, int round)
{
    plan_world_t *world = context;
    plan_t plan;

    plan_draw(&plan, world, seed, round);
    if (0 != mt_option(options, "verbose") && 0 == mt_rank()) {
        plan_print(&plan);
    }
    plan_run(&plan, world);
}

int main(int argc, char **argv)
{
    plan_world_t world;
    uint64_t seed;

    mt_options_read(options, argc, argv);
    int threads = (int) mt_option(options, "threads");
    mt_begin(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, 1);
    world.threads = threads;
    world.max_channels = (int) mt_option(options, "channels");
    world.max_bytes = (size_t) mt_option(options, "kib") * 1024;
    plan_world_make(&world);
    int done = rounds_play(options, &seed, play, &world);
    plan_world_drop(&world);
    mt_result("%d rounds of random channels, seed %llu", done, (unsigned long long) seed);
    return mt_end();
}
