/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several ways of one collective, sample by sample in turn.
 */
#include "turns.h"

#include <mpi.h>
#include <stdlib.h>

#include "../common/pattern.h"
#include "../common/sampling.h"
#include "../common/stats.h"
#include "measure.h"

typedef struct {
    bench_collective_t collective[BENCH_MAX_WAYS];
    unsigned next_round; /* counted over the whole run: the seed of the contents */
    bench_turns_t turns;
} course_t;

static double *longer(double *list, int count)
{
    double *more = realloc(list, ((size_t) count + 1) * sizeof(*more));
    if (NULL == more) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return more;
}

/* Who comes second finds the caches as the first has left them: each way begins in its turn. */
static double run_turn(void *context, int rounds, bool check)
{
    course_t *course = context;
    bench_turns_t *turns = &course->turns;
    double sum = 0.0;
    for (int i = 0; i < turns->ways; ++i) {
        const int way = (i + turns->count) % turns->ways;
        const double seconds = bench_measure_rounds(&course->collective[way], course->next_round,
                                                    rounds, check);
        course->next_round += (unsigned) rounds;
        turns->seconds[way] = longer(turns->seconds[way], turns->count);
        turns->seconds[way][turns->count] = seconds / (double) rounds;
        sum += seconds;
    }
    ++turns->count;
    return sum;
}

bench_turns_t bench_measure_turns(const bench_options_t *options,
                                  const bench_operation_t *operation, int rank, size_t bytes,
                                  const bench_mode_t *modes, int ways)
{
    course_t course = {.next_round = 0, .turns = {.ways = ways}};
    double *seconds = bench_list((size_t) options->samples, sizeof(*seconds));
    for (int way = 0; way < ways; ++way) {
        bench_options_t own = *options;
        own.mode = modes[way];
        bench_collective_create(&course.collective[way], &own, operation, bytes);
    }
    const bench_plan_t plan = bench_sample(options, rank, run_turn, &course, seconds);
    course.turns.samples = plan.samples;
    course.turns.rounds = plan.rounds;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int way = 0; way < ways; ++way) {
        bench_collective_destroy(&course.collective[way]);
    }
    free(seconds);
    return course.turns;
}

void bench_turns_free(bench_turns_t *turns)
{
    for (int way = 0; way < turns->ways; ++way) {
        free(turns->seconds[way]);
    }
    *turns = (bench_turns_t){0};
}

/* The median over all samples of the seconds of a way, divided by those of another, if any. */
static double median(const bench_turns_t *turns, int way, const double *below)
{
    const int first = turns->count - turns->samples;
    double *values = bench_list((size_t) turns->samples, sizeof(*values));
    for (int i = 0; i < turns->samples; ++i) {
        const double divisor = (NULL == below) ? 1.0 : below[first + i];
        values[i] = turns->seconds[way][first + i] / divisor;
    }
    const double middle = bench_stats(values, turns->samples).median;
    free(values);
    return middle;
}

double bench_turns_median(const bench_turns_t *turns, int way)
{
    return median(turns, way, NULL);
}

double bench_turns_gain(const bench_turns_t *turns, int way)
{
    return median(turns, way, turns->seconds[0]);
}
