/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A row for each collective of a list, and for each size.
 */
#include "listed.h"

#include "../common/session.h"

/* How many collectives the list names. */
static int count_listed(const char *list)
{
    int count = 0;
    for (int i = 0; i < bench_operation_count; ++i) {
        count += bench_is_listed(list, bench_operations[i].name) ? 1 : 0;
    }
    return count;
}

void bench_listed_defaults(bench_options_t *options)
{
    bench_options_defaults(options);
    options->size_means = "a block";
    options->min_size = 1u << 20;
    options->max_size = 1u << 20;
    options->samples = 5;
    options->collective = true;
}

void bench_listed_check(const bench_options_t *options, const char *list)
{
    if (!bench_list_is_known(list, count_listed(list))) {
        bench_refuse(options->program, "a name in \"%s\" is no collective, or there twice", list);
    }
    if (!bench_neighborhood_is_known(options->neighbors)) {
        bench_refuse(options->program, "--neighbors is ring, torus or all, not \"%s\"",
                     options->neighbors);
    }
}

void bench_listed_rows(bench_options_t *options, const char *list, int rank, bench_row_fn_t row,
                       bench_report_t *report)
{
    for (int i = 0; i < bench_operation_count; ++i) {
        const bench_operation_t *operation = &bench_operations[i];
        for (size_t bytes = options->min_size;
             bench_is_listed(list, operation->name) && bytes <= options->max_size; bytes *= 2) {
            if (bench_collective_fits_or_says(options, operation, rank, bytes)) {
                report->note = operation->name;
                options->program = operation->name; /* in the CSV file */
                row(options, operation, rank, bytes, report);
            }
        }
    }
}
