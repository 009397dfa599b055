/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What every benchmark does first and last: start MPI, read the command line, say what runs; at
 * the end show how many bytes each path of part/ucx carried.
 */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include <stdbool.h>

#include "options.h"

/* For all ranks together: rank 0 says why this program cannot do what it was told, and it ends. */
__attribute__((format(printf, 2, 3))) _Noreturn void bench_refuse(const char *program,
                                                                 const char *format, ...);

/* Tags of the benchmarks' own messages; channels use tags from BENCH_TAG_DATA up. */
enum { BENCH_TAG_ACK = 1, BENCH_TAG_SYNC, BENCH_TAG_COUNTERS, BENCH_TAG_DATA = 1000 };

/*
 * Starts MPI (MPI_THREAD_MULTIPLE when threads is set or -t asks for more than one), reads the
 * options and prints the heading on rank 0. Ends the program itself for -h, for a wrong command
 * line, and when there are not exactly two ranks (of a collective, at least two; of a program that
 * may run in pairs, an even number). Returns the rank, in pairs that in the pair (pairs.h).
 */
int bench_begin(bench_options_t *options, const bench_extra_t *extras, int extra_count, int argc,
                char **argv, bool threads);

/*
 * For programs with a command line of their own: the heading that bench_begin prints. When shape is
 * set, only program, purpose and collective are used besides. Collective, after
 * bench_machine_open().
 */
void bench_heading(const bench_options_t *options, int rank, int size);

/* How long MPI_Init_thread has taken in bench_begin(). */
double bench_init_seconds(void);

/* Prints the bytes per path of every rank, ends MPI. */
int bench_end(void);

/*
 * Programs for two ranks: waits until both have come here, asleep except for a look every 200 us,
 * so that a rank that waits long leaves the processor to the other one.
 */
void bench_meet_asleep(int rank);

/* Programs for two ranks: both leave within about the time of one small message of each other. */
void bench_meet(int rank);

/* Programs for two ranks: rank 0 waits for rank 1's word that everything has arrived there. */
void bench_acknowledge(int rank);

/* The threads of a program with one message, or a blocking call, must join before it. */
void bench_join_threads(int threads);

/* The largest of what the ranks have; on all of them. */
double bench_most(double mine);

#endif
