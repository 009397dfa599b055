/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A trial: one operation in one form with one size, the same on all ranks. Any MPI 3 library can
 * compile it; persistent collectives and partitioned calls are left out where there are none.
 */
#ifndef BENCH_LIBRARIES_TRIAL_H
#define BENCH_LIBRARIES_TRIAL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Open MPI 5 has persistent collectives and partitioned calls, and says that it is MPI 3.1. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#    define TRIAL_HAVE_MPI4 1
#else
#    define TRIAL_HAVE_MPI4 0
#endif
#if defined(BENCH_HAVE_MPIX) && BENCH_HAVE_MPIX
#    define TRIAL_HAVE_MPIX 1
#else
#    define TRIAL_HAVE_MPIX 0
#endif

/* How MPI is asked. Point-to-point, "blocking" has non-blocking calls where several messages are
 * under way. */
typedef enum { TRIAL_BLOCKING, TRIAL_PERSISTENT, TRIAL_PARTITIONED, TRIAL_FORMS } trial_form_t;

extern const char *const trial_form_names[TRIAL_FORMS];

/* Messages under way at the same time in tests of bandwidth: so many, but no more than these bytes
 * hold, and two at least. */
enum { TRIAL_WINDOW = 64, TRIAL_WINDOW_BYTES = 4 << 20 };

struct trial_operation;

typedef struct {
    const struct trial_operation *operation;
    trial_form_t form;
    size_t bytes; /* of a message, or of what a rank contributes to another or to the result */
    int rank;
    int size;
    int partner;    /* point-to-point */
    bool first;     /* likewise: of the half of the ranks that send first */
    int partitions; /* of a block, in the partitioned form */
    char *out;
    char *in;
    MPI_Request request[2 * TRIAL_WINDOW];
    int requests;
} trial_t;

/* Where a buffer is, and how many blocks of `bytes` it has. */
typedef enum { TRIAL_NOWHERE, TRIAL_AT_ROOT, TRIAL_AT_ALL } trial_where_t;
typedef enum { TRIAL_ONE, TRIAL_PER_RANK } trial_blocks_t;

/* What block k of a rank's result is. */
typedef enum {
    TRIAL_NOTHING,
    TRIAL_FROM_ROOT,   /* the root's only block */
    TRIAL_FROM_EACH,   /* the only block of rank k */
    TRIAL_ROOT_SHARE,  /* the root's block for this rank */
    TRIAL_EACH_SHARE,  /* rank k's block for this rank */
    TRIAL_SUM,         /* the sum of all ranks' only block */
    TRIAL_SHARE_OF_SUM /* the sum of all ranks' block for this rank */
} trial_source_t;

typedef struct trial_operation {
    const char *name;
    bool pairs;    /* point-to-point, between the two halves of the ranks */
    bool sized;    /* not a barrier */
    size_t unit;   /* sizes are multiples of it */
    bool window;   /* several messages in a round, one way; else one */
    int both_ways; /* 2 if both halves send at the same time, else 1 */
    trial_where_t out_where;
    trial_blocks_t out_blocks;
    trial_where_t in_where;
    trial_blocks_t in_blocks;
    trial_source_t source;
    int (*blocking)(trial_t *trial);    /* a whole round */
    int (*persistent)(trial_t *trial);  /* makes requests; NULL: there is no such form */
    int (*partitioned)(trial_t *trial); /* likewise */
    void (*round)(trial_t *trial);      /* with requests; NULL: start all, mark all, wait for all */
} trial_operation_t;

extern const trial_operation_t trial_pairs[], trial_collectives[];

/* Does this library have the form? */
bool trial_has(const trial_operation_t *operation, trial_form_t form);

/* Messages in a round, one way. */
int trial_messages(const trial_operation_t *operation, size_t bytes);

/* Bytes of both buffers of the rank that has most. */
double trial_memory(const trial_operation_t *operation, size_t bytes, int size);

/* All ranks: buffers, contents, requests. False, on all, if the library refuses the call. */
bool trial_create(trial_t *trial, const trial_operation_t *operation, trial_form_t form,
                  size_t bytes, int partitions);
void trial_destroy(trial_t *trial);

/* One round of this rank. */
void trial_round(trial_t *trial);

/* Starts all requests, and marks all partitions of those that send. */
void trial_start(trial_t *trial, int first, int count, bool sends);
void trial_wait(trial_t *trial, int first, int count);

/* Forgets the result, or aborts the job unless it is right. */
void trial_clear(trial_t *trial);
void trial_check(const trial_t *trial);

#endif
