/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One direction of a transfer between two ranks, in any of the three modes, behind one life cycle:
 * create, then start, ready (sender), wait for every round, then destroy. Both sides of a pair call
 * create in the same order with the same tag.
 */
#ifndef BENCH_CHANNEL_H
#define BENCH_CHANNEL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "options.h"

typedef struct {
    bench_mode_t mode;
    bool sender;
    bool prepare;
    int peer;
    int tag;     /* mode multi uses tag .. tag + partitions - 1 */
    int pieces;  /* partitions of this side; in mode isend 1 */
    int threads; /* that mark partitions ready */
    size_t piece_bytes;
    size_t size;
    char *buffer;
    MPI_Request *requests; /* one, or one per piece in mode multi */
    int request_count;
    double init_seconds; /* that the init call has taken */
} bench_channel_t;

/* Tags between two channels of one pair of ranks must differ by at least this much. */
int bench_channel_tag_step(const bench_options_t *options);

/* Whether size bytes can be cut as the options say on both sides. */
bool bench_channel_fits(const bench_options_t *options, size_t size);

/* The same; rank 0 says that a size that does not is left out. */
bool bench_channel_fits_or_says(const bench_options_t *options, int rank, size_t size);

/* All ranks: the program ends, and says so, where it does not. */
void bench_channel_must_fit(const bench_options_t *options, size_t size);

void bench_channel_create(bench_channel_t *channel, const bench_options_t *options, bool sender,
                          int peer, int tag, size_t size);
void bench_channel_destroy(bench_channel_t *channel);

/* Opens a round. On the receiver the buffer may be written from here on. */
void bench_channel_start(bench_channel_t *channel);

/* Sender: marks all partitions ready with the threads asked for, or sends the message. */
void bench_channel_ready(bench_channel_t *channel);

/* Sender: marks one partition ready, or in mode multi sends its message. Any thread. */
void bench_channel_ready_one(bench_channel_t *channel, int piece);

/* Ends a round. */
void bench_channel_wait(bench_channel_t *channel);

/* Ends a round of two channels at once; either may be NULL. */
void bench_channel_wait_pair(bench_channel_t *first, bench_channel_t *second);

#endif
