/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A dense matrix-vector product, y = A x. Every rank has some rows of A, and its share of x, which
 * all ranks need.
 *
 *   mode part   the columns of a partition are multiplied as soon as it has come (MPIX_Pallgather,
 *               MPIX_Parrived_any)
 *   mode mpi    MPI_Allgather, then the product
 *
 * Elements are small whole numbers, so that y is exact in any order.
 */
#include <mpi.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/mpix.h"
#include "../common/pattern.h"
#include "../common/session.h"
#include "kernel.h"

typedef struct {
    const kernel_t *kernel;
    int rows;
    int threads;
    int parts;     /* partitions of a rank's share */
    int columns;   /* of a partition */
    size_t share;  /* columns of a rank */
    size_t width;  /* of all ranks */
    float *matrix; /* rows x width */
    float *mine;   /* this rank's share of x */
    float *vector; /* x */
    float *result; /* y: rows of each thread, then their sum in the first */
    MPI_Request request;
} matvec_t;

static int rows_option = 8;

static unsigned mix(uint64_t number)
{
    number *= UINT64_C(0x9e3779b97f4a7c15);
    number ^= number >> 29;
    number *= UINT64_C(0xbf58476d1ce4e5b9);
    return (unsigned) (number >> 40);
}

/* -1, 0 or 1. */
static float matrix_value(int rank, int row, size_t column)
{
    return (float) (mix(((uint64_t) (rank * 4096 + row) << 32) + column) % 3u) - 1.0f;
}

/* 0 to 3, other ones in every round. */
static float vector_value(size_t column, unsigned round)
{
    return (float) (mix(((uint64_t) (round + 1) << 40) + column) & 3u);
}

/* Adds to y what the columns of one partition contribute. */
static void multiply(const matvec_t *m, int partition, float *result)
{
    const size_t first = (size_t) partition * (size_t) m->columns;
    const float *x = m->vector + first;
    for (int r = 0; r < m->rows; ++r) {
        const float *a = m->matrix + (size_t) r * m->width + first;
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < m->columns; ++c) {
            sum += a[c] * x[c];
        }
        result[r] += sum;
    }
}

/* Multiplies whatever has come until nothing is missing. */
static void multiply_arrived(const matvec_t *m, float *result)
{
    int partition;
    while (MPI_UNDEFINED != (partition = kernel_next_arrived(m->request))) {
        multiply(m, partition, result);
    }
}

static void sum_up_threads(matvec_t *m)
{
    for (int t = 1; t < m->threads; ++t) {
        for (int r = 0; r < m->rows; ++r) {
            m->result[r] += m->result[t * m->rows + r];
        }
    }
}

static void multiply_all(matvec_t *m)
{
    const int partitions = m->kernel->size * m->parts;
#pragma omp parallel num_threads(m->threads)
    {
        float *own = m->result + omp_get_thread_num() * m->rows;
#pragma omp for schedule(static)
        for (int partition = 0; partition < partitions; ++partition) {
            multiply(m, partition, own);
        }
    }
}

static void exchange_partitioned(matvec_t *m)
{
    MPI_Start(&m->request);
    for (int i = 0; i < m->parts; ++i) {
        MPI_Pready(i, m->request);
    }
#pragma omp parallel num_threads(m->threads)
    multiply_arrived(m, m->result + omp_get_thread_num() * m->rows);
    MPI_Wait(&m->request, MPI_STATUS_IGNORE);
}

static void fill(matvec_t *m, unsigned round)
{
    const size_t first = (size_t) m->kernel->rank * m->share;
    for (size_t i = 0; i < m->share; ++i) {
        m->mine[i] = vector_value(first + i, round);
    }
}

/* y from the formula of x, and not from what has come. */
static void compare(const matvec_t *m, unsigned round)
{
    for (int r = 0; r < m->rows; ++r) {
        int64_t sum = 0;
        for (size_t c = 0; c < m->width; ++c) {
            sum += (int64_t) m->matrix[(size_t) r * m->width + c]
                   * (int64_t) vector_value(c, round);
        }
        if ((float) sum != m->result[r]) {
            fprintf(stderr, "matvec: rank %d, row %d of round %u is %g, not %g\n", m->kernel->rank,
                    r, round, (double) m->result[r], (double) sum);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
}

static void run_round(void *context, kernel_exchange_t exchange, unsigned round, bool check)
{
    matvec_t *m = context;
    const int count = (int) m->share;
    if (check) {
        fill(m, round);
    }
    memset(m->result, 0, (size_t) (m->threads * m->rows) * sizeof(*m->result));
    if (KERNEL_PARTITIONED == exchange) {
        exchange_partitioned(m);
    } else {
        if (KERNEL_BLOCKING == exchange) {
            MPI_Allgather(m->mine, count, MPI_FLOAT, m->vector, count, MPI_FLOAT, MPI_COMM_WORLD);
        }
        multiply_all(m);
    }
    sum_up_threads(m);
    if (check) {
        compare(m, round);
    }
}

static void fill_matrix(matvec_t *m)
{
    for (int r = 0; r < m->rows; ++r) {
        for (size_t c = 0; c < m->width; ++c) {
            m->matrix[(size_t) r * m->width + c] = matrix_value(m->kernel->rank, r, c);
        }
    }
}

static void make_request(matvec_t *m)
{
    m->request = MPI_REQUEST_NULL;
    if (BENCH_MODE_PART == m->kernel->options->mode) {
        MPIX_Pallgather_init(m->mine, m->parts, m->columns, MPI_FLOAT, m->vector, m->parts,
                             m->columns, MPI_FLOAT, MPI_COMM_WORLD, MPI_INFO_NULL, &m->request);
    }
}

static void *create(kernel_t *kernel, size_t bytes)
{
    const bench_options_t *o = kernel->options;
    const size_t share = bytes / sizeof(float);
    if (1 > rows_option || 4096 <= rows_option) {
        bench_refuse(o->program, "--rows wants 1 to 4095");
    }
    if (0 == share || 0 != share % (size_t) o->partitions) {
        return NULL;
    }
    matvec_t *m = bench_list(1, sizeof(*m));
    *m = (matvec_t){.kernel = kernel, .rows = rows_option, .threads = o->threads,
                    .parts = o->partitions, .columns = (int) (share / (size_t) o->partitions),
                    .share = share, .width = share * (size_t) kernel->size};
    m->matrix = (float *) (void *) bench_buffer((size_t) m->rows * m->width * sizeof(float));
    m->mine = (float *) (void *) bench_buffer(share * sizeof(float));
    m->vector = (float *) (void *) bench_buffer(m->width * sizeof(float));
    m->result = bench_list((size_t) (m->threads * m->rows), sizeof(*m->result));
    fill_matrix(m);
    make_request(m);
    return m;
}

static void destroy(void *context)
{
    matvec_t *m = context;
    if (MPI_REQUEST_NULL != m->request) {
        MPI_Request_free(&m->request);
    }
    free(m->matrix);
    free(m->mine);
    free(m->vector);
    free(m->result);
    free(m);
}

int main(int argc, char **argv)
{
    kernel_t kernel = {.round = run_round};
    bench_options_t options;
    const bench_extra_t extras[] = {
        {"rows", BENCH_VALUE_INT, &rows_option, "of the matrix, on each rank; 1 to 4095"}};
    bench_options_defaults(&options);
    options.program = "matvec";
    options.purpose = "matrix-vector product, the vector gathered from all ranks";
    options.size_means = "a rank's share of the vector";
    options.min_size = 256u << 10;
    options.max_size = 256u << 10;
    options.samples = 5;
    options.warmup = 1;
    options.partitions = 4;
    return kernel_main(&options, extras, 1, argc, argv, &kernel, create, destroy);
}
