/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several collectives at sizes of their own in one run, each a row: partitioned, or with --mode mpi
 * the blocking ones.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/report.h"
#include "../common/session.h"
#include "measure.h"

enum { ROW_LENGTH = 96 };

static const bench_column_t columns[] = {{"row", "", 0},  {"time", "ms", 4},   {"p5", "ms", 4},
                                         {"p95", "ms", 4}, {"block", "B", 0}};

/* Reads "name:size" from the list and moves on; ends the job for a list that is wrong. */
static const bench_operation_t *next_row(const char **list, size_t *bytes)
{
    char row[ROW_LENGTH] = "";
    const size_t length = strcspn(*list, ",");
    const bench_operation_t *operation = NULL;
    *bytes = 0;
    if (length < sizeof(row)) {
        memcpy(row, *list, length);
    }
    char *colon = strchr(row, ':');
    if (NULL != colon) {
        *colon = '\0';
        operation = bench_operation_find(row);
    }
    if (NULL == operation || 0 != bench_parse_size(colon + 1, bytes) || 0 == *bytes) {
        bench_refuse("pcoll_rows", "--rows wants collective:bytes[,...], not \"%s\"", *list);
    }
    *list += length + ((',' == (*list)[length]) ? 1 : 0);
    return operation;
}

static void measure_row(bench_options_t *options, const bench_operation_t *operation, int row,
                        int rank, size_t bytes, bench_report_t *report)
{
    if (!bench_collective_fits(options, operation, bytes)) {
        bench_refuse("pcoll_rows",
                     "%zu bytes do not divide into %d partitions of floats, or are too many", bytes,
                     options->partitions);
    }
    const bench_measured_t m = bench_measure(options, operation, rank, bytes);
    if (0 == rank) {
        report->note = operation->name;
        options->program = operation->name; /* in the CSV file */
        bench_report_row(report,
                         (double[]){(double) row, m.seconds.median * 1e3, m.seconds.p5 * 1e3,
                                    m.seconds.p95 * 1e3, (double) bytes});
    }
}

int main(int argc, char **argv)
{
    const char *rows = "allreduce:1M";
    bench_options_t options;
    bench_report_t report;
    const bench_extra_t extras[] = {
        {"rows", BENCH_VALUE_STRING, &rows,
         "collective:bytes[,...]; bytes of a block, with K, M or G"}};
    bench_options_defaults(&options);
    options.program = "pcoll_rows";
    options.purpose = "several collectives, each at its size; time: of a round";
    options.partitions = 4;
    options.samples = 5;
    options.collective = true;
    options.unused = "m";
    const int rank = bench_begin(&options, extras, 1, argc, argv, false);
    bench_report_open(&report, rank, &options, columns, (int) (sizeof(columns) / sizeof(*columns)));
    for (int row = 0; '\0' != *rows; ++row) {
        size_t bytes = 0;
        const bench_operation_t *operation = next_row(&rows, &bytes);
        measure_row(&options, operation, row, rank, bytes, &report);
    }
    bench_report_close(&report);
    return bench_end();
}
