/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A partitioned collective and MPI's blocking one in one run, sample by sample in turn, in the same
 * buffers. For machines whose speed changes: what lasts longer than two samples slows both, so the
 * ratio of neighbouring samples does not show it, while two runs one after the other would.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/sampling.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "measure.h"

/* Seconds of a round of either, one entry for each time that both have been run. */
typedef struct {
    double *part;
    double *blocking;
    int count;
} pairs_t;

typedef struct {
    bench_collective_t collective;
    unsigned next_round; /* counted over the whole run: the seed of the contents */
    pairs_t pairs;
} course_t;

static double *longer(double *list, int count)
{
    double *more = realloc(list, ((size_t) count + 1) * sizeof(*more));
    if (NULL == more) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return more;
}

static double run_one(course_t *course, bench_mode_t mode, int rounds, bool check)
{
    const unsigned first = course->next_round;
    course->next_round += (unsigned) rounds;
    course->collective.mode = mode;
    return bench_measure_rounds(&course->collective, first, rounds, check);
}

/* Who is second finds the caches as the other has left them: they take turns in that, too. */
static double run_both(void *context, int rounds, bool check)
{
    course_t *course = context;
    pairs_t *pairs = &course->pairs;
    const bool swapped = 0 != pairs->count % 2;
    const double first
        = run_one(course, swapped ? BENCH_MODE_MPI : BENCH_MODE_PART, rounds, check);
    const double second
        = run_one(course, swapped ? BENCH_MODE_PART : BENCH_MODE_MPI, rounds, check);
    pairs->part = longer(pairs->part, pairs->count);
    pairs->blocking = longer(pairs->blocking, pairs->count);
    pairs->part[pairs->count] = (swapped ? second : first) / (double) rounds;
    pairs->blocking[pairs->count++] = (swapped ? first : second) / (double) rounds;
    return first + second;
}

static const bench_column_t columns[] = {{"size", "B", 0},        {"gain", "times", 3},
                                         {"time", "ms", 3},       {"blocking", "ms", 3},
                                         {"rounds", "per sample", 0}};

/* The last pairs are the samples; what came before were trials of how long they should be. */
static void print_row(bench_report_t *report, size_t bytes, const pairs_t *pairs, bench_plan_t plan)
{
    const int first = pairs->count - plan.samples;
    double *gains = bench_list((size_t) plan.samples, sizeof(*gains));
    for (int i = 0; i < plan.samples; ++i) {
        gains[i] = pairs->blocking[first + i] / pairs->part[first + i];
    }
    bench_report_row(report,
                     (double[]){(double) bytes, bench_stats(gains, plan.samples).median,
                                bench_stats(pairs->part + first, plan.samples).median * 1e3,
                                bench_stats(pairs->blocking + first, plan.samples).median * 1e3,
                                (double) plan.rounds});
    free(gains);
}

static void measure(const bench_options_t *options, const bench_operation_t *operation, int rank,
                    size_t bytes, bench_report_t *report)
{
    course_t course = {.next_round = 0};
    double *seconds = bench_list((size_t) options->samples, sizeof(*seconds));
    bench_collective_create(&course.collective, options, operation, bytes);
    const bench_plan_t plan = bench_sample(options, rank, run_both, &course, seconds);
    print_row(report, bytes, &course.pairs, plan);
    MPI_Barrier(MPI_COMM_WORLD);
    bench_collective_destroy(&course.collective);
    free(course.pairs.part);
    free(course.pairs.blocking);
    free(seconds);
}

int main(int argc, char **argv)
{
    const char *name = "allreduce";
    const bench_extra_t extras[] = {
        {"coll", BENCH_VALUE_STRING, &name, "a collective, as in MPI_<collective>"}};
    bench_report_t report;
    bench_options_t options;
    bench_options_defaults(&options);
    options.program = "pcoll_beside";
    options.purpose = "a partitioned collective and MPI's blocking one, sample by sample in turn";
    options.partitions = 4;
    options.min_size = 1u << 20;
    options.collective = true;
    options.unused = "M";
    const int rank = bench_begin(&options, extras, 1, argc, argv, false);
    const bench_operation_t *operation = bench_operation_find(name);
    if (NULL == operation) {
        bench_refuse(options.program, "no collective is named \"%s\"", name);
    }
    if (0 == rank) {
        printf("# gain: time of the blocking one over that of the partitioned one, median of all\n"
               "# pairs of samples; times are of a round, on the rank where it took longest\n");
    }
    options.program = operation->name; /* in the CSV file */
    bench_report_open(&report, rank, &options, columns, (int) (sizeof(columns) / sizeof(*columns)));
    for (size_t bytes = options.min_size; bytes <= options.max_size; bytes *= 2) {
        if (bench_collective_fits_or_says(&options, operation, rank, bytes)) {
            measure(&options, operation, rank, bytes, &report);
        }
    }
    bench_report_close(&report);
    return bench_end();
}
