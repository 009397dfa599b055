/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One side of a channel with its buffer: what most tests need, so that a test shows only its
 * property. Also a team of threads.
 */

#ifndef MPIX_TEST_SIDE_H
#define MPIX_TEST_SIDE_H

#include "mpitest.h"

typedef struct mt_side {
    MPI_Request request;
    unsigned char *buffer;
    int partitions;
    size_t bytes;  /* of one partition */
    uint64_t seed; /* names the data; both sides take it from the tag unless the test sets it */
    bool sending;
} mt_side_t;

/* Only the buffer and its description, without a request. */
void mt_buffer(mt_side_t *side, int partitions, size_t bytes, int tag, bool sending);

/* MPI_Psend_init / MPI_Precv_init on a new buffer of MPI_BYTE; a receive buffer starts as
 * sentinels. */
void mt_psend(mt_side_t *side, int partitions, size_t bytes, int dest, int tag, MPI_Comm comm);
void mt_precv(mt_side_t *side, int partitions, size_t bytes, int source, int tag, MPI_Comm comm);

/* A channel from rank 0 to rank 1: the side of this rank, which is one of the two. */
void mt_one_way(mt_side_t *side, int partitions, size_t bytes, int tag, MPI_Comm comm);

/* MPI_Start. */
void mt_start(mt_side_t *side);

/* Stream of one iteration. */
uint64_t mt_stream(const mt_side_t *side, int iteration);

/* Fills one partition (or all: -1) for an iteration. */
void mt_side_fill(mt_side_t *side, int partition, int iteration);

/* MPI_Pready of one partition (or all, one by one: -1). */
void mt_ready(mt_side_t *side, int partition);

/* Fills, then marks. */
void mt_send_partition(mt_side_t *side, int partition, int iteration);

/* All bytes of the partition (or all: -1) must be those of the iteration. */
bool mt_side_verify(const mt_side_t *side, int partition, int iteration);

/* Same for a range of bytes, wherever partitions end. */
bool mt_side_verify_bytes(const mt_side_t *side, size_t from, size_t to, int iteration);

/* The whole buffer must (still) be sentinels. */
bool mt_side_untouched(const mt_side_t *side, const char *when);
void mt_side_wipe(mt_side_t *side);

/* One whole iteration: start, fill and mark or receive and verify, complete. */
void mt_cycle(mt_side_t *side, int iteration);

/* Of two processes: some iterations of a send to and a receive from the other one at the same time.
 * `me`: 0 or 1, which of the two; `peer`: the other's rank in `comm`. */
void mt_both_ways(MPI_Comm comm, int me, int peer, int tag);

/* Waits for the request: the error class with which it ends. The job ends if it takes longer than
 * that many seconds. */
int mt_outcome(mt_side_t *side, double seconds);

/* Frees the request and the buffer. */
void mt_drop(mt_side_t *side);

/* Runs work(thread, argument) on that many threads, the caller being thread 0, and joins them. */
void mt_team(int threads, void (*work)(int thread, void *argument), void *argument);

#endif
