/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Order statistics of samples.
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

typedef struct {
    double median;
    double p5;
    double p95;
    double min;
    double max;
} bench_stats_t;

/* Sorts values in place. Percentiles are interpolated between neighbouring samples. */
bench_stats_t bench_stats(double *values, int count);

/* The statistics of amount / value: a rate from times. p5 is then the slow end. */
bench_stats_t bench_stats_rate(double *seconds, int count, double amount);

#endif
