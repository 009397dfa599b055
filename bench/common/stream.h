/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stream of rounds through one or more channels, in one or both directions, timed in batches.
 */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stdbool.h>

#include "options.h"

/* What differs between the programs that stream. */
typedef struct {
    bool both_ways;        /* both ranks send and receive */
    bool count_partitions; /* -m is the size of one, and the rate millions of them, not MB/s */
} bench_stream_kind_t;

/*
 * A program that streams, on a command line: measures every size of its options and prints a row
 * for each. Returns the program's status.
 *
 * A round is: start on both sides, all partitions ready, wait on both sides. With a window of w
 * requests, round n + w starts when round n is complete. A sample is a batch of rounds and ends
 * when rank 1 has told rank 0 that everything has arrived, so bytes that only left do not count.
 * Some rounds of every size have all their bytes compared before the first sample.
 *
 * The columns are: size, median, 5 % and 95 % quantile of the rate, the time of a round (or of a
 * partition) at the median, rounds per sample.
 */
int bench_stream_main(bench_options_t *options, bench_stream_kind_t kind, int argc, char **argv);

#endif
