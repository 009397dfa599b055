/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shortest paths between all pairs of vertices (Floyd and Warshall). Every rank has some rows of
 * the table of distances. In step k all ranks need row k, so that a run is as many broadcasts as
 * there are vertices, each of one row, with little computing between them.
 *
 *   mode part   MPIX_Pbcast_init once for every root and for each of two buffers; a part of row k+1
 *               leaves as soon as step k has dealt with it, and travels while the others do step k
 *   mode mpi    the same order with MPI_Bcast: row k+1 first, its broadcast, then what is left of
 *               step k
 *
 * The graph is a ring whose vertices have been numbered anew, so that every distance is known.
 */
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/mpix.h"
#include "../common/pattern.h"
#include "kernel.h"

enum { STRIDE = 5, FAR = INT_MAX / 4 };

typedef struct {
    const kernel_t *kernel;
    int vertices;
    int rows; /* of a rank */
    int parts;
    int threads;
    int *distance; /* rows x vertices */
    int *pivot[2]; /* row k, and the one that is under way */
    MPI_Request *requests; /* [buffer * ranks + root] */
} paths_t;

static int place_on_ring(const paths_t *p, int vertex)
{
    return (int) ((long) vertex * STRIDE % p->vertices);
}

static int ring_distance(const paths_t *p, int from, int to)
{
    const int apart = abs(place_on_ring(p, from) - place_on_ring(p, to));
    return (apart < p->vertices - apart) ? apart : p->vertices - apart;
}

/* The edges only. */
static void fill(paths_t *p)
{
    for (int r = 0; r < p->rows; ++r) {
        for (int c = 0; c < p->vertices; ++c) {
            const int apart = ring_distance(p, p->kernel->rank * p->rows + r, c);
            p->distance[(size_t) r * (size_t) p->vertices + (size_t) c] = (2 > apart) ? apart : FAR;
        }
    }
}

static void compare(const paths_t *p)
{
    for (int r = 0; r < p->rows; ++r) {
        for (int c = 0; c < p->vertices; ++c) {
            const int from = p->kernel->rank * p->rows + r;
            const int found = p->distance[(size_t) r * (size_t) p->vertices + (size_t) c];
            if (found != ring_distance(p, from, c)) {
                fprintf(stderr, "paths: from %d to %d it is %d, not %d\n", from, c, found,
                        ring_distance(p, from, c));
                MPI_Abort(MPI_COMM_WORLD, 2);
            }
        }
    }
}

static int owner(const paths_t *p, int k)
{
    return k / p->rows;
}

static int *row_of(const paths_t *p, int k)
{
    return p->distance + (size_t) (k % p->rows) * (size_t) p->vertices;
}

static MPI_Request *request_of(const paths_t *p, int k)
{
    return &p->requests[(k % 2) * p->kernel->size + owner(p, k)];
}

/* Step k for the columns [first, last) of a row. */
static void relax(int *row, const int *pivot, int k, int first, int last)
{
    const int through = row[k];
#pragma omp simd
    for (int c = first; c < last; ++c) {
        const int other = through + pivot[c];
        row[c] = (other < row[c]) ? other : row[c];
    }
}

/* On the owner of row k: step k-1, and what has been dealt with leaves at once. */
static void send_row(paths_t *p, int k, kernel_exchange_t exchange)
{
    int *row = row_of(p, k);
    int *out = p->pivot[k % 2];
    const int part = p->vertices / p->parts;
    for (int i = 0; i < p->parts; ++i) {
        if (0 < k) {
            relax(row, p->pivot[(k - 1) % 2], k - 1, i * part, (i + 1) * part);
        }
        memcpy(out + (ptrdiff_t) i * part, row + (ptrdiff_t) i * part, (size_t) part * sizeof(int));
        if (KERNEL_PARTITIONED == exchange) {
            MPI_Pready(i, *request_of(p, k));
        }
    }
}

/* Row k begins its way. In mode mpi it has ended it, too. */
static void begin_row(paths_t *p, int k, kernel_exchange_t exchange)
{
    if (KERNEL_PARTITIONED == exchange) {
        MPI_Start(request_of(p, k));
    }
    if (owner(p, k) == p->kernel->rank) {
        send_row(p, k, exchange);
    }
    if (KERNEL_BLOCKING == exchange) {
        MPI_Bcast(p->pivot[k % 2], p->vertices, MPI_INT, owner(p, k), MPI_COMM_WORLD);
    }
}

/* Step k for all rows but row k+1, which has been sent. */
static void finish_step(paths_t *p, int k)
{
    const bool sent = k + 1 < p->vertices && owner(p, k + 1) == p->kernel->rank;
#pragma omp parallel for num_threads(p->threads) schedule(static)
    for (int r = 0; r < p->rows; ++r) {
        if (!sent || r != (k + 1) % p->rows) {
            relax(p->distance + (size_t) r * (size_t) p->vertices, p->pivot[k % 2], k, 0,
                  p->vertices);
        }
    }
}

static void run_round(void *context, kernel_exchange_t exchange, unsigned round, bool check)
{
    paths_t *p = context;
    (void) round;
    fill(p);
    begin_row(p, 0, exchange);
    for (int k = 0; k < p->vertices; ++k) {
        if (KERNEL_PARTITIONED == exchange) {
            MPI_Wait(request_of(p, k), MPI_STATUS_IGNORE);
        }
        if (k + 1 < p->vertices) {
            begin_row(p, k + 1, exchange);
        }
        finish_step(p, k);
    }
    if (check) {
        compare(p);
    }
}

static void make_requests(paths_t *p)
{
    const int ranks = p->kernel->size;
    for (int i = 0; i < 2 * ranks; ++i) {
        p->requests[i] = MPI_REQUEST_NULL;
        if (BENCH_MODE_PART == p->kernel->options->mode) {
            MPIX_Pbcast_init(p->pivot[i / ranks], p->parts, p->vertices / p->parts, MPI_INT,
                             i % ranks, MPI_COMM_WORLD, MPI_INFO_NULL, &p->requests[i]);
        }
    }
}

static void *create(kernel_t *kernel, size_t bytes)
{
    const bench_options_t *o = kernel->options;
    const int vertices = (int) (bytes / sizeof(int));
    if (bytes > (1u << 20) || 0 == vertices || 0 != vertices % kernel->size
        || 0 != vertices % o->partitions || 0 == vertices % STRIDE) {
        return NULL;
    }
    paths_t *p = bench_list(1, sizeof(*p));
    *p = (paths_t){.kernel = kernel, .vertices = vertices, .rows = vertices / kernel->size,
                   .parts = o->partitions, .threads = o->threads};
    p->distance = bench_list((size_t) p->rows * (size_t) vertices, sizeof(int));
    p->requests = bench_list(2 * (size_t) kernel->size, sizeof(MPI_Request));
    for (int i = 0; i < 2; ++i) {
        p->pivot[i] = (int *) (void *) bench_buffer(bytes);
    }
    make_requests(p);
    return p;
}

static void destroy(void *context)
{
    paths_t *p = context;
    for (int i = 0; i < 2 * p->kernel->size; ++i) {
        if (MPI_REQUEST_NULL != p->requests[i]) {
            MPI_Request_free(&p->requests[i]);
        }
    }
    free(p->requests);
    free(p->distance);
    free(p->pivot[0]);
    free(p->pivot[1]);
    free(p);
}

int main(int argc, char **argv)
{
    kernel_t kernel = {.round = run_round};
    bench_options_t options;
    bench_options_defaults(&options);
    options.program = "paths";
    options.purpose = "shortest paths between all vertices: a broadcast for each of them";
    options.size_means = "a row of the table, 4 for each vertex";
    options.min_size = 4u << 10;
    options.max_size = 4u << 10;
    options.samples = 5;
    options.warmup = 1;
    options.partitions = 1;
    return kernel_main(&options, NULL, 0, argc, argv, &kernel, create, destroy);
}
