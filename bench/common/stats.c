/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Order statistics of samples.
 */
#include "stats.h"

#include <stdlib.h>

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *) left;
    const double b = *(const double *) right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, int count, double q)
{
    const double position = q * (double) (count - 1);
    const int index = (int) position;
    if (index + 1 >= count) {
        return sorted[count - 1];
    }
    const double share = position - (double) index;
    return sorted[index] * (1.0 - share) + sorted[index + 1] * share;
}

bench_stats_t bench_stats(double *values, int count)
{
    bench_stats_t stats = {0};
    if (count < 1) {
        return stats;
    }
    qsort(values, (size_t) count, sizeof(*values), compare_doubles);
    stats.median = quantile(values, count, 0.5);
    stats.p5 = quantile(values, count, 0.05);
    stats.p95 = quantile(values, count, 0.95);
    stats.min = values[0];
    stats.max = values[count - 1];
    return stats;
}

bench_stats_t bench_stats_rate(double *seconds, int count, double amount)
{
    for (int i = 0; i < count; ++i) {
        seconds[i] = amount / seconds[i];
    }
    return bench_stats(seconds, count);
}
