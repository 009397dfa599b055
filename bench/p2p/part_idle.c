/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that calls no partitioned function. It shows what the presence of a component costs
 * those who do not use it: how long MPI_Init takes, how old the process is then, the latency of an
 * ordinary ping-pong, and how many threads, descriptors, sockets and progress functions it has.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/machine.h"
#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"

static const bench_column_t columns[] = {
    {"size", "B", 0},          {"latency", "us", 3},        {"p5", "us", 3},
    {"p95", "us", 3},          {"MPI_Init", "ms", 2},       {"since exec", "ms", 1},
    {"threads", "count", 0},   {"descriptors", "count", 0}, {"sockets", "count", 0},
    {"callbacks", "count", 0}, {"resident", "KiB", 0}};

enum { EXCHANGES = 1000, COLUMNS = 11 };

/* One-way seconds per message, averaged over EXCHANGES ping-pongs. */
static double ping_pong(int rank, char *buffer, int size)
{
    const double begin = bench_now();
    for (int i = 0; i < EXCHANGES; ++i) {
        if (0 == rank) {
            MPI_Send(buffer, size, MPI_BYTE, 1, BENCH_TAG_DATA, MPI_COMM_WORLD);
            MPI_Recv(buffer, size, MPI_BYTE, 1, BENCH_TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, size, MPI_BYTE, 0, BENCH_TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, size, MPI_BYTE, 0, BENCH_TAG_DATA, MPI_COMM_WORLD);
        }
    }
    return (bench_now() - begin) / (2.0 * EXCHANGES);
}

static void measure(const bench_options_t *options, int rank, size_t size, char *buffer,
                    bench_report_t *report, double start_ms, double age_ms)
{
    double *seconds = bench_list((size_t) options->samples, sizeof(*seconds));
    for (int i = -options->warmup; i < options->samples; ++i) {
        seconds[(i < 0) ? 0 : i] = ping_pong(rank, buffer, (int) size);
    }
    if (0 == rank) {
        const bench_process_t state = bench_process_state();
        const bench_stats_t stats = bench_stats(seconds, options->samples);
        /* The table of results may be a file of its own: not a descriptor of the library. */
        const int own = (NULL == report->csv) ? 0 : 1;
        bench_report_row(report, (double[]){(double) size, stats.median * 1e6, stats.p5 * 1e6,
                                            stats.p95 * 1e6, start_ms, age_ms, state.threads,
                                            state.descriptors - own, state.sockets, state.callbacks,
                                            (double) state.resident_bytes / 1024.0});
    }
    free(seconds);
}

int main(int argc, char **argv)
{
    bench_options_t options;
    bench_report_t report;
    bench_options_defaults(&options);
    options.program = "part_idle";
    options.purpose = "a program without partitioned calls: start-up, ping-pong, resources";
    options.shape = "rank 0's figures; callbacks -1: Open MPI's symbols are stripped";
    options.min_size = 8;
    options.max_size = 8;
    options.unused = "rBSpPwtcME";
    const int rank = bench_begin(&options, NULL, 0, argc, argv, false);
    const double start_ms = bench_init_seconds() * 1e3;
    const double age_ms = bench_process_age() * 1e3;
    char *buffer = bench_buffer(options.max_size);
    bench_report_open(&report, rank, &options, columns, COLUMNS);
    for (size_t size = options.min_size; size <= options.max_size; size *= 2) {
        measure(&options, rank, size, buffer, &report, start_ms, age_ms);
    }
    bench_report_close(&report);
    free(buffer);
    return bench_end();
}
