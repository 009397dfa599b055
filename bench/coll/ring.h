/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An allreduce (sum of floats) by a ring of plain partitioned requests: MPI_Psend_init to the next
 * rank and MPI_Precv_init from the one before, for each step. Only calls of MPI 4, so the same code
 * runs over any implementation of partitioned communication.
 */
#ifndef BENCH_COLL_RING_H
#define BENCH_COLL_RING_H

#include <mpi.h>
#include <stddef.h>

typedef struct {
    int rank;
    int size;
    int partitions;
    int steps;    /* size - 1 to reduce, as many to hand the sums on */
    size_t count; /* elements of a partition of a chunk */
    float *in;    /* all elements, rounded up to full chunks, of which each rank reduces one */
    float *out;
    float *arriving;    /* of the steps that reduce: a chunk each */
    float *partial;     /* sums that travel on: a chunk each */
    MPI_Request *sends; /* one per step */
    MPI_Request *receives;
    int *next; /* of each partition: the step whose arrival it waits for */
} bench_ring_t;

/* All ranks of MPI_COMM_WORLD. Makes the buffers, of at least so many elements, and requests. */
void bench_ring_create(bench_ring_t *ring, size_t elements, int partitions);
void bench_ring_destroy(bench_ring_t *ring);

/* One allreduce from ring->in to ring->out. */
void bench_ring_round(bench_ring_t *ring);

#endif
