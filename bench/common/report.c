/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table a benchmark prints, and the same rows as CSV.
 */
#include "report.h"

#include <mpi.h>

#include "pairs.h"

enum { COLUMN_WIDTH = 13 };

static void print_heads(const bench_report_t *report)
{
    for (int line = 0; line < 2; ++line) {
        for (int i = 0; i < report->count; ++i) {
            const bench_column_t *column = &report->columns[i];
            const int width = (0 == i) ? COLUMN_WIDTH - 1 : COLUMN_WIDTH;
            printf("%s%*s", (0 == i) ? "#" : " ", width, (0 == line) ? column->name : column->unit);
        }
        printf("\n");
    }
    fflush(stdout);
}

static void open_csv(bench_report_t *report)
{
    const bench_options_t *o = report->options;
    report->csv = fopen(o->csv, "a");
    if (NULL == report->csv) {
        perror(o->csv);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    fseek(report->csv, 0, SEEK_END);
    if (0 != ftell(report->csv)) {
        return;
    }
    fprintf(report->csv, "program,mode,partitions,recv_partitions,threads,window,prepare");
    for (int i = 0; i < report->count; ++i) {
        fprintf(report->csv, ",%s [%s]", report->columns[i].name, report->columns[i].unit);
    }
    fprintf(report->csv, "\n");
}

void bench_report_open(bench_report_t *report, int rank, const bench_options_t *options,
                       const bench_column_t *columns, int count)
{
    *report = (bench_report_t){.options = NULL};
    if (0 != rank || !bench_pairs_first()) {
        return;
    }
    *report = (bench_report_t){.options = options, .columns = columns, .count = count};
    print_heads(report);
    if (NULL != options->csv) {
        open_csv(report);
    }
}

void bench_report_row(bench_report_t *report, const double *values)
{
    const bench_options_t *o = report->options;
    if (NULL == o) {
        return;
    }
    for (int i = 0; i < report->count; ++i) {
        printf("%s%*.*f", (0 == i) ? "" : " ", COLUMN_WIDTH, report->columns[i].decimals,
               values[i]);
    }
    printf("%s%s\n", (NULL == report->note) ? "" : "  ",
           (NULL == report->note) ? "" : report->note);
    fflush(stdout);
    if (NULL == report->csv) {
        return;
    }
    fprintf(report->csv, "%s,%s,%d,%d,%d,%d,%d", o->program, bench_mode_name(o->mode),
            o->partitions, o->recv_partitions, o->threads, o->window, o->prepare ? 1 : 0);
    for (int i = 0; i < report->count; ++i) {
        fprintf(report->csv, ",%.*f", report->columns[i].decimals, values[i]);
    }
    fprintf(report->csv, "\n");
    fflush(report->csv);
}

void bench_report_close(bench_report_t *report)
{
    if (NULL != report->csv) {
        fclose(report->csv);
    }
    *report = (bench_report_t){0};
}
