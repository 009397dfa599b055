/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs with a row for each of the collectives that a list names, and for each size.
 */
#ifndef BENCH_COLL_LISTED_H
#define BENCH_COLL_LISTED_H

#include "../common/report.h"
#include "collective.h"

/* All ranks: measures a collective with blocks of so many bytes, and adds its row. */
typedef void (*bench_row_fn_t)(bench_options_t *options, const bench_operation_t *operation,
                               int rank, size_t bytes, bench_report_t *report);

/* Refuses a list with a name that is no collective or there twice, and an unknown neighbourhood. */
void bench_listed_check(const bench_options_t *options, const char *list);

/* The rows of all sizes that fit. */
void bench_listed_rows(bench_options_t *options, const char *list, int rank, bench_row_fn_t row,
                       bench_report_t *report);

#endif
