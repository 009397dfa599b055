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

/* Their options, of a list `names`; for an array of bench_extra_t. */
#define BENCH_LISTED_EXTRAS(options, names)                                                    \
    {"coll", BENCH_VALUE_STRING, &(names), "collectives, separated by commas"},                \
    {"blocks", BENCH_VALUE_CHOICE, &(options).uneven,                                          \
     "even; uneven: a half, one and one and a half of -m in turns, where it can be",           \
     {"even", "uneven"}},                                                                      \
    {"neighbors", BENCH_VALUE_STRING, &(options).neighbors,                                    \
     "of the neighbourhood collectives: ring, torus (two dimensions), all"}

enum { BENCH_LISTED_EXTRA_COUNT = 3 };

/* Values that they start from. */
void bench_listed_defaults(bench_options_t *options);

/* Refuses a list with a name that is no collective or there twice, and an unknown neighbourhood. */
void bench_listed_check(const bench_options_t *options, const char *list);

/* The rows of all sizes that fit. */
void bench_listed_rows(bench_options_t *options, const char *list, int rank, bench_row_fn_t row,
                       bench_report_t *report);

#endif
