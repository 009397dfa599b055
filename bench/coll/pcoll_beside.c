/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A partitioned collective and MPI's blocking one in one run, sample by sample in turn: for
 * machines whose speed changes.
 */
#include <mpi.h>
#include <stdio.h>

#include "../common/report.h"
#include "../common/session.h"
#include "turns.h"

static const bench_column_t columns[] = {{"size", "B", 0},        {"gain", "times", 3},
                                         {"time", "ms", 3},       {"blocking", "ms", 3},
                                         {"rounds", "per sample", 0}};

static void measure(const bench_options_t *options, const bench_operation_t *operation, int rank,
                    size_t bytes, bench_report_t *report)
{
    static const bench_mode_t modes[] = {BENCH_MODE_PART, BENCH_MODE_MPI};
    bench_turns_t turns = bench_measure_turns(options, operation, rank, bytes, modes, 2);
    bench_report_row(report, (double[]){(double) bytes, bench_turns_gain(&turns, 1),
                                        bench_turns_median(&turns, 0) * 1e3,
                                        bench_turns_median(&turns, 1) * 1e3,
                                        (double) turns.rounds});
    bench_turns_free(&turns);
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
