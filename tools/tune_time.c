/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounds of collectives against the clock (see tune_time.h).
 */
#include "tune_time.h"

#include <mpix_partitioned.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT = 4, MOST_SAMPLES = 9, MOST_ROUNDS = 10000 };

/* ---- the collectives, and the same of MPI ---- */

#define END comm, MPI_INFO_NULL, request

#define TIMED(name, Name, partitioned, whole)                                                     \
    static int name(const void *in, void *out, int partitions, MPI_Count count, MPI_Comm comm,    \
                    MPI_Request *request)                                                         \
    {                                                                                             \
        (void) in;                                                                                \
        return MPIX_P##name##_init partitioned;                                                   \
    }                                                                                             \
    static int mpi_##name(const void *in, void *out, int count, MPI_Comm comm,                    \
                          MPI_Request *request)                                                   \
    {                                                                                             \
        (void) in;                                                                                \
        return MPI_##Name##_init whole;                                                           \
    }

#define MOVED(name, Name, ...)                                                                    \
    TIMED(name, Name,                                                                             \
          (in, partitions, count, MPI_INT, out, partitions, count, MPI_INT, __VA_ARGS__),         \
          (in, count, MPI_INT, out, count, MPI_INT, __VA_ARGS__))

#define REDUCED(name, Name, ...)                                                                  \
    TIMED(name, Name, (in, out, partitions, count, MPI_INT, MPI_SUM, __VA_ARGS__),                \
          (in, out, count, MPI_INT, MPI_SUM, __VA_ARGS__))

TIMED(bcast, Bcast, (out, partitions, count, MPI_INT, 0, END), (out, count, MPI_INT, 0, END))
MOVED(gather, Gather, 0, END)
MOVED(scatter, Scatter, 0, END)
MOVED(allgather, Allgather, END)
MOVED(alltoall, Alltoall, END)
REDUCED(reduce, Reduce, 0, END)
REDUCED(allreduce, Allreduce, END)
REDUCED(reduce_scatter_block, Reduce_scatter_block, END)
REDUCED(scan, Scan, END)

const tune_collective_t tune_collectives[] = {
    {.name = "allgather", .recv_per_rank = true, .init = allgather, .persistent = mpi_allgather},
    {.name = "allreduce", .init = allreduce, .persistent = mpi_allreduce},
    {.name = "bcast", .rooted = true, .init = bcast, .persistent = mpi_bcast},
    {.name = "alltoall", .send_per_rank = true, .recv_per_rank = true, .init = alltoall,
     .persistent = mpi_alltoall},
    {.name = "reduce_scatter_block", .send_per_rank = true, .whole = true,
     .init = reduce_scatter_block, .persistent = mpi_reduce_scatter_block},
    {.name = "reduce", .init = reduce, .persistent = mpi_reduce},
    {.name = "gather", .recv_per_rank = true, .init = gather, .persistent = mpi_gather},
    {.name = "scatter", .send_per_rank = true, .rooted = true, .init = scatter,
     .persistent = mpi_scatter},
    {.name = "scan", .init = scan, .persistent = mpi_scan},
    {.name = NULL}};

const tune_collective_t *tune_collective(const char *name)
{
    const tune_collective_t *at = tune_collectives;

    while (NULL != at->name && 0 != strcmp(name, at->name)) {
        ++at;
    }
    return at;
}

/* ---- time ---- */

typedef struct course_t {
    MPI_Comm comm;
    MPI_Request request;
    int marks; /* partitions that this rank marks */
} course_t;

static double run(course_t *course, int rounds)
{
    double seconds, most;

    MPI_Barrier(course->comm);
    seconds = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
        MPI_Start(&course->request);
        if (course->marks > 0) {
            MPI_Pready_range(0, course->marks - 1, course->request);
        }
        MPI_Wait(&course->request, MPI_STATUS_IGNORE);
    }
    seconds = MPI_Wtime() - seconds;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, course->comm);
    return most / rounds;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return x < y ? -1 : x > y;
}

/* All ranks have the same times, so all decide alike. */
static double median_of(course_t *course, const tune_patience_t *patience)
{
    double seconds[MOST_SAMPLES];
    double once = run(course, 1); /* connects */
    int samples = patience->samples < MOST_SAMPLES ? patience->samples : MOST_SAMPLES;
    double rounds;

    if (once > 10 * patience->limit) {
        return once;
    }
    once = run(course, 1);
    if (once > patience->limit) {
        return once;
    }
    rounds = patience->sample / (once > 1e-6 ? once : 1e-6);
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    for (int i = 0; i < samples; ++i) {
        seconds[i] = run(course, (int) rounds);
    }
    qsort(seconds, (size_t) samples, sizeof(*seconds), by_size);
    return seconds[samples / 2];
}

static int marks_of(const tune_collective_t *collective, int rank, int size, int partitions)
{
    if (collective->rooted && 0 != rank) {
        return 0;
    }
    return collective->send_per_rank ? partitions * size : partitions;
}

void *tune_memory(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);

    if (NULL == memory) {
        (void) fputs("pschedule_tune: out of memory\n", stderr);
        (void) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    } else {
        /* What is only read would else be one page for all: the kernel's, which holds zeros. */
        memset(memory, 1, count * bytes);
    }
    return memory;
}

double tune_time(const tune_collective_t *collective, MPI_Comm comm, size_t bytes, int partitions,
                 const tune_patience_t *patience)
{
    course_t course = {.comm = comm};
    double seconds = -1.0;
    void *in, *out;
    int rank, size, error;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    course.marks = marks_of(collective, rank, size, partitions);
    in = tune_memory(collective->send_per_rank ? (size_t) size : 1, bytes);
    out = tune_memory(collective->recv_per_rank ? (size_t) size : 1, bytes);
    error = 0 == partitions
                ? collective->persistent(in, out, (int) (bytes / ELEMENT), comm, &course.request)
                : collective->init(in, out, partitions,
                                   (MPI_Count) (bytes / (size_t) partitions / ELEMENT), comm,
                                   &course.request);
    if (MPI_SUCCESS == error) {
        seconds = median_of(&course, patience);
        MPI_Request_free(&course.request);
    }
    free(in);
    free(out);
    return seconds;
}
