/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's persistent collectives as programs get them (coll_pschedule_persistent), beside those of
 * Open MPI's other components and the blocking ones, sample by sample in turn. A request that
 * coll/pschedule has handed on is one of the other components: it is not measured against itself.
 */
#include <mpi.h>
#include <stdio.h>

#include "../common/machine.h"
#include "../common/report.h"
#include "../common/session.h"
#include "listed.h"
#include "turns.h"

static const bench_column_t columns[] = {
    {"block", "B", 0},      {"served", "", 0},      {"persistent", "ms", 6}, {"others", "ms", 6},
    {"blocking", "ms", 6},  {"gain", "times", 3},   {"over-blocking", "times", 3}};

/* All ranks decide the same, so each may ask for itself. */
static bool is_served(const bench_options_t *options, const bench_operation_t *operation,
                      size_t bytes)
{
    bench_options_t own = *options;
    bench_collective_t collective;
    const unsigned long long before = bench_served();
    own.mode = BENCH_MODE_PERSISTENT;
    bench_collective_create(&collective, &own, operation, bytes);
    bench_collective_destroy(&collective);
    return bench_served() > before;
}

static void measure(bench_options_t *options, const bench_operation_t *operation, int rank,
                    size_t bytes, bench_report_t *report)
{
    static const bench_mode_t modes[]
        = {BENCH_MODE_PERSISTENT, BENCH_MODE_OTHERS, BENCH_MODE_MPI};
    options->mode = BENCH_MODE_PERSISTENT;
    if (!is_served(options, operation, bytes)) {
        bench_report_row(report, (double[]){(double) bytes, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0});
        return;
    }
    bench_turns_t turns = bench_measure_turns(options, operation, rank, bytes, modes, 3);
    bench_report_row(report, (double[]){(double) bytes, 1.0, bench_turns_median(&turns, 0) * 1e3,
                                        bench_turns_median(&turns, 1) * 1e3,
                                        bench_turns_median(&turns, 2) * 1e3,
                                        bench_turns_gain(&turns, 1), bench_turns_gain(&turns, 2)});
    bench_turns_free(&turns);
}

int main(int argc, char **argv)
{
    const char *names = "all";
    bench_options_t options;
    bench_report_t report;
    const bench_extra_t extras[] = {BENCH_LISTED_EXTRAS(options, names)};
    bench_listed_defaults(&options);
    options.program = "pcoll_persistent";
    options.purpose = "MPI's persistent collectives, beside Open MPI's own and the blocking ones";
    options.partitions = 1;
    options.unused = "MEpt";
    const int rank = bench_begin(&options, extras, BENCH_LISTED_EXTRA_COUNT, argc, argv, false);
    bench_listed_check(&options, names);
    if (0 == rank) {
        printf("# served 0: handed on to the other components, and not measured; gain: time of\n"
               "# the others over that of the persistent one, median of all turns\n");
    }
    bench_report_open(&report, rank, &options, columns, (int) (sizeof(columns) / sizeof(*columns)));
    bench_listed_rows(&options, names, rank, measure, &report);
    bench_report_close(&report);
    return bench_end();
}
