/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One collective operation between all ranks, partitioned or blocking, behind one life cycle:
 * create, then start, ready, wait for every round, then destroy. All ranks call create in the same
 * order.
 *
 * Elements are floats that are small whole numbers, so that sums are exact in any order. A block is
 * what one rank contributes to another (allgather, alltoall, ...) or to the result (reductions).
 */
#ifndef BENCH_COLL_COLLECTIVE_H
#define BENCH_COLL_COLLECTIVE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "../common/options.h"
#include "neighborhood.h"

typedef struct bench_collective bench_collective_t;

/* Which ranks have a buffer. */
typedef enum { BENCH_AT_ALL, BENCH_AT_ROOT, BENCH_AT_OTHERS } bench_where_t;

/* How many blocks it has. */
typedef enum { BENCH_ONE, BENCH_PER_RANK, BENCH_PER_NEIGHBOR } bench_blocks_t;

/* What element j of a rank's result is made of. Its block is b, its place in the block k. */
typedef enum {
    BENCH_FROM_ROOT,          /* the root's element j */
    BENCH_FROM_EACH,          /* element k of rank b */
    BENCH_SHARE_OF_ROOT,      /* the root's element k of this rank's block */
    BENCH_SHARE_OF_EACH,      /* rank b's element k of this rank's block */
    BENCH_SUM,                /* the sum of element j over all ranks */
    BENCH_SHARE_OF_SUM,       /* the sum of element j of this rank's block over all ranks */
    BENCH_SUM_TO_SELF,        /* the sum of element j over ranks 0 to this one */
    BENCH_SUM_BEFORE_SELF,    /* the sum of element j over the ranks before this one */
    BENCH_FROM_NEIGHBOR,      /* element k of neighbour b */
    BENCH_SHARE_OF_NEIGHBOR   /* neighbour b's element k of the block for this rank */
} bench_source_t;

/* The bytes that some rank must send or receive, whatever the algorithm, in blocks; n ranks. */
typedef enum {
    BENCH_WIRE_BLOCK,     /* 1 */
    BENCH_WIRE_OTHERS,    /* n - 1 */
    BENCH_WIRE_ALLREDUCE, /* 2 (n - 1) / n */
    BENCH_WIRE_NEIGHBORS  /* number of neighbours */
} bench_wire_t;

/* Which lengths the blocks have when they are not all equal. */
typedef enum {
    BENCH_EVEN,    /* the operation knows equal ones only */
    BENCH_BY_RANK, /* that of the rank whose block it is */
    BENCH_PACKED,  /* the same, and blocks follow each other without gaps */
    BENCH_BY_PAIR  /* that of the two ranks */
} bench_lengths_t;

typedef struct {
    const char *name;
    bench_where_t out_where; /* who marks partitions ready */
    bench_blocks_t out_blocks;
    bench_where_t in_where; /* where partitions arrive */
    bench_blocks_t in_blocks;
    bench_source_t source;
    bench_wire_t wire;
    bench_lengths_t lengths;
    int (*init)(bench_collective_t *collective);
    int (*blocking)(bench_collective_t *collective);
} bench_operation_t;

extern const bench_operation_t bench_operations[];
extern const int bench_operation_count;

/* By the place of an operation: makes the request of the persistent call of MPI-4. */
extern int (*const bench_persistent_inits[])(bench_collective_t *collective);

/* NULL when there is none of that name. */
const bench_operation_t *bench_operation_find(const char *name);

/* Every block, in the types that the calls of MPI and MPIX want. */
typedef struct {
    int *partitions;
    MPI_Count *counts; /* of a partition */
    MPI_Aint *displacements;
    MPI_Aint *byte_displacements;
    MPI_Datatype *datatypes;
    int *int_counts; /* of a block */
    int *int_displacements;
    int *int_byte_displacements;
} bench_block_lists_t;

struct bench_collective {
    const bench_operation_t *operation;
    bench_mode_t mode; /* not BENCH_MODE_ISEND, BENCH_MODE_MULTI */
    bool prepare;
    int threads; /* that mark partitions ready */
    MPI_Comm comm;
    int rank;
    int size;
    int root;
    bench_neighborhood_t hood;
    int partitions; /* of a block */
    MPI_Count count; /* elements of a partition */
    int block;       /* elements of a block, of uneven ones on average */
    bool uneven;     /* blocks of a half, one and one and a half of that, in turns */
    int stride;      /* elements from one block to the next, but for packed ones */
    MPI_Count own_count; /* of this rank's block, where it has only one: as count and block */
    int own;
    int blocks_out;  /* that this rank contributes */
    int blocks_in;   /* that arrive here */
    float *out;
    float *in; /* the same as out where the operation has one buffer */
    bench_block_lists_t lists;
    MPI_Request request;
};

/* Whether blocks of so many bytes can be cut as the options say, and MPI's int counts hold them. */
bool bench_collective_fits(const bench_options_t *options, const bench_operation_t *operation,
                           size_t bytes);

/* The same; rank 0 says that a size that does not fit is left out. */
bool bench_collective_fits_or_says(const bench_options_t *options,
                                   const bench_operation_t *operation, int rank, size_t bytes);

/* Makes the buffers, of blocks of so many bytes, and the communicator. */
void bench_collective_create(bench_collective_t *collective, const bench_options_t *options,
                             const bench_operation_t *operation, size_t bytes);
void bench_collective_destroy(bench_collective_t *collective);

/* Makes and frees the request; create does the first. Nothing in mode mpi. */
void bench_collective_init(bench_collective_t *collective);
void bench_collective_release(bench_collective_t *collective);

void bench_collective_start(bench_collective_t *collective);

/* Marks all partitions ready with the threads asked for; in mode mpi they only join. */
void bench_collective_ready(bench_collective_t *collective);

/* Ends a round; but for partitioned ones the whole collective is here. */
void bench_collective_wait(bench_collective_t *collective);

/* Elements of a block, and before it. */
int bench_collective_length(const bench_collective_t *collective, int block);
size_t bench_collective_place(const bench_collective_t *collective, int block);

/* Elements of a buffer of so many blocks. */
size_t bench_collective_extent(const bench_collective_t *collective, int blocks);

/* The bytes that some rank must send or receive; of uneven blocks, this one. */
double bench_collective_wire_bytes(const bench_collective_t *collective);

/* What this rank contributes in a round. */
void bench_collective_fill(bench_collective_t *collective, unsigned round);

/* Aborts the job, with the first wrong element named, unless [first, first + count) is right. */
void bench_collective_check(const bench_collective_t *collective, unsigned round, size_t first,
                            size_t count);

/* Elements of this rank's result. */
size_t bench_collective_elements(const bench_collective_t *collective);

#endif
