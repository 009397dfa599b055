/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table a benchmark prints, and the same rows as CSV.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "options.h"

typedef struct {
    const char *name;
    const char *unit;
    int decimals; /* digits after the point */
} bench_column_t;

typedef struct {
    const bench_options_t *options; /* NULL on ranks that print nothing */
    const bench_column_t *columns;
    int count;
    const char *note; /* printed behind the rows that follow, or NULL */
    FILE *csv;
} bench_report_t;

/*
 * Prints the names and units of the columns. columns must outlive the report. Only rank 0 prints,
 * here and below.
 */
void bench_report_open(bench_report_t *report, int rank, const bench_options_t *options,
                       const bench_column_t *columns, int count);

/* Prints one row: as many values as there are columns. */
void bench_report_row(bench_report_t *report, const double *values);

void bench_report_close(bench_report_t *report);

#endif
