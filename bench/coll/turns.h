/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several ways of one collective in one run, sample by sample in turn. What disturbs the machine
 * for longer than a turn slows all of them, so ratios of the samples of a turn do not show it.
 */
#ifndef BENCH_COLL_TURNS_H
#define BENCH_COLL_TURNS_H

#include "collective.h"

enum { BENCH_MAX_WAYS = 3 };

typedef struct {
    int ways;
    int count;                       /* turns, those before the samples included */
    int samples;                     /* the last turns */
    int rounds;                      /* of each way in a turn */
    double *seconds[BENCH_MAX_WAYS]; /* of a round, for each turn */
} bench_turns_t;

/* All ranks. Each way has buffers of its own. To be freed by bench_turns_free(). */
bench_turns_t bench_measure_turns(const bench_options_t *options,
                                  const bench_operation_t *operation, int rank, size_t bytes,
                                  const bench_mode_t *modes, int ways);

void bench_turns_free(bench_turns_t *turns);

/* Seconds of a round, median of all samples. */
double bench_turns_median(const bench_turns_t *turns, int way);

/* How many times longer a way takes than the first one, median of all samples. */
double bench_turns_gain(const bench_turns_t *turns, int way);

#endif
