/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of a round of a collective.
 */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/sampling.h"
#include "../common/session.h"
#include "../common/timing.h"

typedef struct {
    bench_collective_t collective;
    unsigned next_round; /* counted over the whole run: the seed of the contents */
} course_t;

static void run_round(bench_collective_t *collective, unsigned round, bool check)
{
    if (check) {
        bench_collective_fill(collective, round);
    }
    bench_collective_start(collective);
    bench_collective_ready(collective);
    bench_collective_wait(collective);
    if (check) {
        bench_collective_check(collective, round, 0, bench_collective_elements(collective));
    }
}

double bench_measure_rounds(bench_collective_t *collective, unsigned first, int rounds, bool check)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = bench_now();
    for (int i = 0; i < rounds; ++i) {
        run_round(collective, first + (unsigned) i, check);
    }
    return bench_most(bench_now() - begin);
}

static double run_batch(void *context, int rounds, bool check)
{
    course_t *course = context;
    const unsigned first = course->next_round;
    course->next_round += (unsigned) rounds;
    return bench_measure_rounds(&course->collective, first, rounds, check);
}

bench_measured_t bench_measure(const bench_options_t *options, const bench_operation_t *operation,
                               int rank, size_t bytes)
{
    course_t course = {.next_round = 0};
    double *seconds = bench_list((size_t) options->samples, sizeof(*seconds));
    bench_collective_create(&course.collective, options, operation, bytes);
    const bench_plan_t plan = bench_sample(options, rank, run_batch, &course, seconds);
    const bench_measured_t measured = {
        .seconds = bench_stats(seconds, plan.samples),
        .wire_bytes = bench_collective_wire_bytes(&course.collective),
        .rounds = plan.rounds,
    };
    MPI_Barrier(MPI_COMM_WORLD);
    bench_collective_destroy(&course.collective);
    free(seconds);
    return measured;
}

static const bench_column_t columns[] = {
    {"size", "B", 0},  {"time", "ms", 3},    {"p5", "ms", 3},
    {"p95", "ms", 3},  {"wire", "MB/s", 2},  {"rounds", "per sample", 0}};

static void print_row(bench_report_t *report, size_t bytes, bench_measured_t m)
{
    bench_report_row(report, (double[]){(double) bytes, m.seconds.median * 1e3,
                                        m.seconds.p5 * 1e3, m.seconds.p95 * 1e3,
                                        m.wire_bytes * 1e-6 / m.seconds.median,
                                        (double) m.rounds});
}

int bench_measure_main(bench_options_t *options, const bench_operation_t *operation, int argc,
                       char **argv)
{
    bench_report_t report;
    options->collective = true;
    const int rank = bench_begin(options, NULL, 0, argc, argv, false);
    if (0 == rank) {
        printf("# time: of a round, on the rank where it took longest; wire: the bytes that some "
               "rank must\n# send or receive, over this time\n");
    }
    bench_report_open(&report, rank, options, columns, (int) (sizeof(columns) / sizeof(*columns)));
    for (size_t bytes = options->min_size; bytes <= options->max_size; bytes *= 2) {
        if (bench_collective_fits_or_says(options, operation, rank, bytes)) {
            print_row(&report, bytes, bench_measure(options, operation, rank, bytes));
        }
    }
    bench_report_close(&report);
    return bench_end();
}
