/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the application kernels have in common: rounds that follow one another, the same work
 * without the exchange, and the row that is printed.
 */
#ifndef BENCH_KERNELS_KERNEL_H
#define BENCH_KERNELS_KERNEL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "../common/options.h"

/* How a round exchanges its data. */
typedef enum { KERNEL_PARTITIONED, KERNEL_BLOCKING, KERNEL_NOTHING } kernel_exchange_t;

typedef struct {
    const bench_options_t *options;
    int rank;
    int size;
    /* All ranks: a round, whose result is compared where check is set. Checked rounds of different
     * numbers have different data; in paths those of one round already differ. */
    void (*round)(void *context, kernel_exchange_t exchange, unsigned round, bool check);
    void *context;
    unsigned next_round; /* counted over the whole run */
} kernel_t;

/* The next partition of a collective that has arrived here, MPI_UNDEFINED after the last; each is
 * one thread's. A thread that finds none leaves the processor to the others meanwhile. */
int kernel_next_arrived(MPI_Request request);

/*
 * Measures kernels of so many bytes per row, rank or pair, doubled up to the options' largest, and
 * prints a row for each. create returns what round() gets; NULL: this size does not divide, or is
 * too large.
 */
int kernel_main(bench_options_t *options, const bench_extra_t *extras, int extra_count, int argc,
                char **argv, kernel_t *kernel, void *(*create)(kernel_t *kernel, size_t bytes),
                void (*destroy)(void *context));

#endif
