/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of one round of a partitioned collective, or of a persistent one of MPI.
 */
#ifndef TOOLS_TUNE_TIME_H
#define TOOLS_TUNE_TIME_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** A collective that can be timed. */
typedef struct tune_collective_t {
    const char *name;   /**< as in its MCA variable */
    bool send_per_rank; /**< a block to every rank */
    bool recv_per_rank; /**< a block from every rank */
    bool rooted;        /**< only rank 0 marks partitions */
    bool whole;         /**< the choice counts the blocks of all ranks together */
    int (*init)(const void *in, void *out, int partitions, MPI_Count count, MPI_Comm comm,
                MPI_Request *request);
    int (*persistent)(const void *in, void *out, int count, MPI_Comm comm, MPI_Request *request);
} tune_collective_t;

/** All that pschedule_tune looks at; ends with one without a name. */
extern const tune_collective_t tune_collectives[];

/** How long to measure, and what one would not wait for. */
typedef struct tune_patience_t {
    double sample; /**< seconds of a sample, at least one round */
    int samples;
    double limit; /**< a round that takes longer is not repeated */
} tune_patience_t;

const tune_collective_t *tune_collective(const char *name);

/** Memory that has been written to. Without it the job ends, or the others would wait for this
 * rank. */
void *tune_memory(size_t count, size_t bytes);

/**
 * Seconds of a round: the median of samples, of the slowest rank. Collective over comm.
 *
 * @param bytes       of a block, a multiple of 4 times partitions
 * @param partitions  of a block; 0: of MPI's persistent collective
 * @return negative when the request cannot be made
 */
double tune_time(const tune_collective_t *collective, MPI_Comm comm, size_t bytes, int partitions,
                 const tune_patience_t *patience);

#endif /* TOOLS_TUNE_TIME_H */
