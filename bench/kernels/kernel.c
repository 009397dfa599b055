/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the application kernels have in common.
 */
#include "kernel.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../coll/mpix.h"
#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/sampling.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"

enum { COMPUTING_ROUNDS = 3 };

/* How long a thread that finds nothing leaves the processor to the others. */
#define NAP_SECONDS 50e-6

static const bench_column_t columns[] = {{"size", "B", 0},     {"time", "ms", 3},
                                         {"p5", "ms", 3},      {"p95", "ms", 3},
                                         {"compute", "ms", 3}, {"exchange", "%", 1}};

/* The communicator's size and this process's place in it. */
static void find_place(kernel_t *kernel)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &kernel->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &kernel->size);
}

static double run_rounds(kernel_t *kernel, kernel_exchange_t exchange, int rounds, bool check)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = bench_now();
    for (int i = 0; i < rounds; ++i) {
        kernel->round(kernel->context, exchange, kernel->next_round++, check);
    }
    return bench_most(bench_now() - begin);
}

static double run_batch(void *context, int rounds, bool check)
{
    kernel_t *kernel = context;
    const bool part = BENCH_MODE_PART == kernel->options->mode;
    return run_rounds(kernel, part ? KERNEL_PARTITIONED : KERNEL_BLOCKING, rounds, check);
}

int kernel_next_arrived(MPI_Request request)
{
    int partition = MPI_UNDEFINED, flag = 0;
    for (;;) {
        MPIX_Parrived_any(request, &partition, &flag);
        if (flag) {
            return partition;
        }
        bench_sleep_until(bench_now() + NAP_SECONDS);
    }
}

/* How many seconds of a round are not the exchange: the median of rounds without it. */
static double computing_seconds(kernel_t *kernel)
{
    double seconds[COMPUTING_ROUNDS];
    for (int i = 0; i < COMPUTING_ROUNDS; ++i) {
        seconds[i] = run_rounds(kernel, KERNEL_NOTHING, 1, false);
    }
    return bench_stats(seconds, COMPUTING_ROUNDS).median;
}

static void measure(kernel_t *kernel, size_t bytes, bench_report_t *report)
{
    const bench_options_t *o = kernel->options;
    double *seconds = bench_list((size_t) o->samples, sizeof(*seconds));
    const bench_plan_t plan = bench_sample(o, kernel->rank, run_batch, kernel, seconds);
    const double computing = computing_seconds(kernel);
    if (0 == kernel->rank) {
        const bench_stats_t s = bench_stats(seconds, plan.samples);
        bench_report_row(report, (double[]){(double) bytes, s.median * 1e3, s.p5 * 1e3,
                                            s.p95 * 1e3, computing * 1e3,
                                            100.0 * (1.0 - computing / s.median)});
    }
    free(seconds);
}

int kernel_main(bench_options_t *options, const bench_extra_t *extras, int extra_count, int argc,
                char **argv, kernel_t *kernel, void *(*create)(kernel_t *kernel, size_t bytes),
                void (*destroy)(void *context))
{
    bench_report_t report;
    options->collective = true;
    options->unused = "E";
    const int rank = bench_begin(options, extras, extra_count, argc, argv, false);
    kernel->options = options;
    find_place(kernel);
    if (0 == rank) {
        printf("# compute: a round without its exchange; exchange: the rest, of the time\n");
    }
    bench_report_open(&report, rank, options, columns, (int) (sizeof(columns) / sizeof(*columns)));
    for (size_t bytes = options->min_size; bytes <= options->max_size; bytes *= 2) {
        kernel->context = create(kernel, bytes);
        if (NULL != kernel->context) {
            measure(kernel, bytes, &report);
            MPI_Barrier(MPI_COMM_WORLD);
            destroy(kernel->context);
        } else if (0 == rank) {
            printf("# %zu bytes do not divide, or are too many: left out\n", bytes);
        }
    }
    bench_report_close(&report);
    return bench_end();
}
