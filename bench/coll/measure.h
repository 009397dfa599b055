/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of a round of a collective.
 */
#ifndef BENCH_COLL_MEASURE_H
#define BENCH_COLL_MEASURE_H

#include "../common/stats.h"
#include "collective.h"

typedef struct {
    bench_stats_t seconds; /* of a round, on the rank where it took longest */
    double wire_bytes;     /* that some rank must send or receive in a round */
    int rounds;            /* per sample */
} bench_measured_t;

/*
 * All ranks. A round is start, all partitions ready, wait; or the blocking call. Rounds follow one
 * another; a sample begins with a barrier and ends when the last rank has ended it. Before the
 * first sample some rounds have all their elements compared.
 */
bench_measured_t bench_measure(const bench_options_t *options, const bench_operation_t *operation,
                               int rank, size_t bytes);

/* Seconds of so many rounds, on the rank where they took longest; with check every element is
 * compared, and `first` is the seed of the first round's. All ranks. */
double bench_measure_rounds(bench_collective_t *collective, unsigned first, int rounds, bool check);

/* A program for one operation: measures every size of options and prints a row for each. */
int bench_measure_main(bench_options_t *options, const bench_operation_t *operation, int argc,
                       char **argv);

#endif
