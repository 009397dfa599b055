/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many rounds a sample has, how many samples there are, and taking them.
 */
#ifndef BENCH_SAMPLING_H
#define BENCH_SAMPLING_H

#include <stdbool.h>

#include "options.h"

/*
 * Runs so many rounds on all ranks together, comparing every byte where check is set, and returns
 * the seconds they took; what rank 0 returns counts.
 */
typedef double (*bench_batch_fn_t)(void *context, int rounds, bool check);

typedef struct {
    int rounds; /* per sample */
    int samples;
} bench_plan_t;

/*
 * All ranks: compares some rounds, finds how many rounds fill a sample, throws warm-up samples
 * away, and writes the seconds of a round of each sample to seconds, which has room for
 * options->samples values. Returns what was run, the same on all ranks.
 */
bench_plan_t bench_sample(const bench_options_t *options, int rank, bench_batch_fn_t run,
                          void *context, double *seconds);

#endif
