/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All 21 partitioned collectives, or those named, beside MPI's blocking ones on the same data: a
 * row for each and for each size of a block. With --persistent 1 also MPI's persistent ones, as
 * this package makes them, and as Open MPI's other components do.
 */
#include <mpi.h>

#include "../common/report.h"
#include "../common/session.h"
#include "listed.h"
#include "measure.h"

static const bench_column_t columns[] = {
    {"block", "B", 0},   {"partitioned", "ms", 6}, {"blocking", "ms", 6}, {"ratio", "times", 2},
    {"wire", "MB/s", 2}, {"persistent", "ms", 6},  {"others", "ms", 6},   {"gain", "times", 2}};

/* Without the last three, which only --persistent measures. */
#define SHORT_COLUMNS 5

static bench_measured_t measure(bench_options_t *options, const bench_operation_t *operation,
                                int rank, size_t bytes, bench_mode_t mode)
{
    options->mode = mode;
    return bench_measure(options, operation, rank, bytes);
}

static void add_row(bench_options_t *options, const bench_operation_t *operation, int rank,
                    size_t bytes, bool persistent, bench_report_t *report)
{
    const bench_measured_t part = measure(options, operation, rank, bytes, BENCH_MODE_PART);
    const bench_measured_t mpi = measure(options, operation, rank, bytes, BENCH_MODE_MPI);
    double ours = 0.0, others = 0.0;
    if (persistent) {
        ours = measure(options, operation, rank, bytes, BENCH_MODE_PERSISTENT).seconds.median;
        others = measure(options, operation, rank, bytes, BENCH_MODE_OTHERS).seconds.median;
    }
    options->mode = BENCH_MODE_PART; /* which the row begins with */
    bench_report_row(report, (double[]){(double) bytes, part.seconds.median * 1e3,
                                        mpi.seconds.median * 1e3,
                                        mpi.seconds.median / part.seconds.median,
                                        part.wire_bytes * 1e-6 / part.seconds.median, ours * 1e3,
                                        others * 1e3, persistent ? others / ours : 0.0});
}

static void two_forms(bench_options_t *options, const bench_operation_t *operation, int rank,
                      size_t bytes, bench_report_t *report)
{
    add_row(options, operation, rank, bytes, false, report);
}

static void all_forms(bench_options_t *options, const bench_operation_t *operation, int rank,
                      size_t bytes, bench_report_t *report)
{
    add_row(options, operation, rank, bytes, true, report);
}

int main(int argc, char **argv)
{
    const char *names = "all";
    int persistent = 0;
    bench_options_t options;
    bench_report_t report;
    const bench_extra_t extras[] = {
        BENCH_LISTED_EXTRAS(options, names),
        {"persistent", BENCH_VALUE_INT, &persistent, "1: also MPI's persistent ones"}};
    bench_listed_defaults(&options);
    options.program = "pcoll";
    options.purpose = "partitioned collectives beside the blocking ones; wire: of the partitioned";
    options.partitions = 4;
    options.unused = "M";
    const int rank = bench_begin(&options, extras, BENCH_LISTED_EXTRA_COUNT + 1, argc, argv, false);
    bench_listed_check(&options, names);
    bench_report_open(&report, rank, &options, columns,
                      persistent ? (int) (sizeof(columns) / sizeof(*columns)) : SHORT_COLUMNS);
    bench_listed_rows(&options, names, rank, persistent ? all_forms : two_forms, &report);
    bench_report_close(&report);
    return bench_end();
}
