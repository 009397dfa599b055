/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many rounds a sample has, how many samples there are, and taking them.
 */
#include "sampling.h"

#include <mpi.h>

enum { MAX_ROUNDS = 200000 };

typedef struct {
    const bench_options_t *options;
    int rank;
    bench_batch_fn_t run;
    void *context;
} sampler_t;

/* What rank 0 chooses when rounds took seconds; rounds is 0 when that was too short to tell. */
static bench_plan_t choose_plan(const bench_options_t *o, int rounds, double seconds)
{
    bench_plan_t plan = {.rounds = o->rounds, .samples = o->samples};
    const double wanted = o->batch_ms * 1e-3;
    const double round = seconds / (double) rounds;
    if (0 == plan.rounds) {
        if (seconds < wanted / 2.0 && rounds < MAX_ROUNDS / 2) {
            return (bench_plan_t){0, 0};
        }
        const double exact = wanted / round;
        plan.rounds = (exact > MAX_ROUNDS) ? MAX_ROUNDS : (int) exact + 1;
        plan.rounds = (plan.rounds < o->window) ? o->window : plan.rounds;
    }
    const double affordable = o->budget_s / (round * (double) plan.rounds);
    if (0.0 < o->budget_s && affordable < (double) o->samples) {
        plan.samples = (affordable < 3.0) ? 3 : (int) affordable;
        plan.samples = (plan.samples > o->samples) ? o->samples : plan.samples;
    }
    return plan;
}

/* Runs a batch and lets rank 0 plan from its time, for all ranks. */
static bench_plan_t try_rounds(const sampler_t *sampler, int rounds)
{
    int chosen[2] = {0, 0};
    const double seconds = sampler->run(sampler->context, rounds, sampler->options->check);
    if (0 == sampler->rank) {
        const bench_plan_t plan = choose_plan(sampler->options, rounds, seconds);
        chosen[0] = plan.rounds;
        chosen[1] = plan.samples;
    }
    MPI_Bcast(chosen, 2, MPI_INT, 0, MPI_COMM_WORLD);
    return (bench_plan_t){chosen[0], chosen[1]};
}

/*
 * Finds how many rounds fill a sample by doubling, then looks at such a sample: if the first rounds
 * were slow because something disturbed them, it comes out short, and is made longer.
 */
static bench_plan_t calibrate(const sampler_t *sampler)
{
    int rounds = sampler->options->window;
    bench_plan_t plan = try_rounds(sampler, rounds);
    while (0 == plan.rounds) {
        rounds *= 2;
        plan = try_rounds(sampler, rounds);
    }
    for (int i = 0; i < 3 && plan.rounds > rounds; ++i) {
        rounds = plan.rounds;
        const bench_plan_t better = try_rounds(sampler, rounds);
        if (0 == better.rounds) {
            plan.rounds = (2 * rounds < MAX_ROUNDS) ? 2 * rounds : MAX_ROUNDS;
        } else if (better.rounds > rounds) {
            plan = better;
        }
    }
    return plan;
}

bench_plan_t bench_sample(const bench_options_t *options, int rank, bench_batch_fn_t run,
                          void *context, double *seconds)
{
    const sampler_t sampler = {options, rank, run, context};
    run(context, 2 * options->window, true); /* every request twice: old data are noticed */
    const bench_plan_t plan = calibrate(&sampler);
    for (int i = 0; i < options->warmup; ++i) {
        run(context, plan.rounds, options->check);
    }
    for (int i = 0; i < plan.samples; ++i) {
        seconds[i] = run(context, plan.rounds, options->check) / (double) plan.rounds;
    }
    return plan;
}
