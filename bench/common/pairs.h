/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs for two ranks, run by several pairs at the same time: of 2n ranks, r works with r + n.
 * Within a pair all is as if there were no other one; only what is measured is put together.
 */
#ifndef BENCH_PAIRS_H
#define BENCH_PAIRS_H

#include <mpi.h>
#include <stdbool.h>

/* The two ranks of the caller's pair: 0 sends, 1 receives. With two ranks MPI_COMM_WORLD. */
extern MPI_Comm bench_pair;

/* Makes the pairs of all ranks, an even number; returns the rank in the pair. Collective. */
int bench_pairs_open(void);
void bench_pairs_close(void);

/* How many there are. */
int bench_pairs(void);

/* Whether this rank's pair is the one that reports. */
bool bench_pairs_first(void);

/* All pairs go on from here together. With one pair nothing happens. */
void bench_pairs_begin(void);

/* In place, the largest of what the ranks have: a round of all pairs has ended with the slowest.
 * With one pair they stay as they are. */
void bench_pairs_slowest(double *seconds, int count);

#endif
