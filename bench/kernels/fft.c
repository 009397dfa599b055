/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A Fourier transform of a square, complex field: the rows by FFTW, a transposition between all
 * ranks, the columns by FFTW. Every rank has some rows, and then some columns.
 *
 *   mode part   rows are handed in as soon as some of them are transformed, and put into columns as
 *               soon as they have come (MPIX_Palltoall, MPIX_Parrived_any)
 *   mode mpi    all rows, then MPI_Alltoall, then all columns
 *
 * The field is a sum of waves, so that every element of the result is known.
 */
#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/mpix.h"
#include "../common/pattern.h"
#include "kernel.h"

enum { WAVES = 3 };
/* Of the largest element. */
#define TOLERANCE 1e-11

typedef double complex value_t;

typedef struct {
    const kernel_t *kernel;
    int edge;    /* elements of a row and of a column */
    int rows;    /* of a rank, and its columns */
    int parts;   /* of what goes from one rank to another */
    int group;   /* rows of a partition */
    int threads;
    value_t *field;   /* rows x edge */
    value_t *work;    /* rows x edge: transformed rows */
    value_t *out;     /* for each rank, partition by partition: group x rows */
    value_t *in;      /* the same from each rank */
    value_t *columns; /* rows x edge: the result, transposed */
    value_t *waves;   /* the edge-th roots of 1 */
    fftw_plan plan;   /* of one line */
    MPI_Request request;
} fft_t;

/* Wave w of a round: how often it goes up and down along x and along y. */
static void wave_numbers(const fft_t *f, int w, unsigned round, int *x, int *y)
{
    *x = (int) ((7u * (unsigned) w + round) % (unsigned) f->edge);
    *y = (int) ((11u * (unsigned) w + 3u * round + 1u) % (unsigned) f->edge);
}

static void fill(fft_t *f, unsigned round)
{
    memset(f->field, 0, (size_t) f->rows * (size_t) f->edge * sizeof(*f->field));
    for (int w = 0; w < WAVES; ++w) {
        int x = 0, y = 0;
        wave_numbers(f, w, round, &x, &y);
        for (int r = 0; r < f->rows; ++r) {
            const long row = (long) f->kernel->rank * f->rows + r;
            for (int c = 0; c < f->edge; ++c) {
                const long phase = (y * row + (long) x * c) % f->edge;
                f->field[(size_t) r * (size_t) f->edge + (size_t) c] += (w + 1) * f->waves[phase];
            }
        }
    }
}

/* Element (y, x) of the result: how strong that wave is. */
static value_t expected(const fft_t *f, unsigned round, int y, int x)
{
    double sum = 0.0;
    for (int w = 0; w < WAVES; ++w) {
        int wave_x = 0, wave_y = 0;
        wave_numbers(f, w, round, &wave_x, &wave_y);
        sum += (x == wave_x && y == wave_y) ? (w + 1) : 0.0;
    }
    return sum * (double) f->edge * (double) f->edge;
}

static void compare(const fft_t *f, unsigned round)
{
    const double most = WAVES * (double) f->edge * (double) f->edge * TOLERANCE;
    for (int c = 0; c < f->rows; ++c) {
        for (int y = 0; y < f->edge; ++y) {
            const int x = f->kernel->rank * f->rows + c;
            const value_t found = f->columns[(size_t) c * (size_t) f->edge + (size_t) y];
            if (!(cabs(found - expected(f, round, y, x)) <= most)) {
                fprintf(stderr, "fft: element (%d, %d) of round %u is %g%+gi, not %g\n", y, x,
                        round, creal(found), cimag(found), creal(expected(f, round, y, x)));
                MPI_Abort(MPI_COMM_WORLD, 2);
            }
        }
    }
}

/* Where a partition to or from a rank is. */
static value_t *block_of(const fft_t *f, value_t *buffer, int rank, int part)
{
    return buffer + ((size_t) rank * (size_t) f->parts + (size_t) part) * (size_t) f->group
                        * (size_t) f->rows;
}

/* Transforms the rows of one partition and lays them out for all ranks. */
static void transform_rows(const fft_t *f, int part)
{
    for (int g = 0; g < f->group; ++g) {
        const size_t start = (size_t) (part * f->group + g) * (size_t) f->edge;
        fftw_execute_dft(f->plan, f->field + start, f->work + start);
        for (int rank = 0; rank < f->kernel->size; ++rank) {
            memcpy(block_of(f, f->out, rank, part) + (size_t) g * (size_t) f->rows,
                   f->work + start + (size_t) rank * (size_t) f->rows,
                   (size_t) f->rows * sizeof(value_t));
        }
    }
}

/* Puts what one partition from a rank has into the columns. */
static void place(const fft_t *f, int partition)
{
    const int rank = partition / f->parts, part = partition % f->parts;
    const value_t *block = block_of(f, f->in, rank, part);
    const size_t row = (size_t) rank * (size_t) f->rows + (size_t) part * (size_t) f->group;
    for (int c = 0; c < f->rows; ++c) {
        for (int g = 0; g < f->group; ++g) {
            f->columns[(size_t) c * (size_t) f->edge + row + (size_t) g] =
                block[(size_t) g * (size_t) f->rows + (size_t) c];
        }
    }
}

static void transform_columns(const fft_t *f)
{
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (int c = 0; c < f->rows; ++c) {
        value_t *column = f->columns + (size_t) c * (size_t) f->edge;
        value_t *result = f->work + (size_t) c * (size_t) f->edge;
        fftw_execute_dft(f->plan, column, result);
        memcpy(column, result, (size_t) f->edge * sizeof(value_t));
    }
}

static void hand_in(const fft_t *f)
{
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (int part = 0; part < f->parts; ++part) {
        transform_rows(f, part);
        for (int rank = 0; rank < f->kernel->size; ++rank) {
            MPI_Pready(rank * f->parts + part, f->request);
        }
    }
}

static void place_arrived(const fft_t *f)
{
    int partition;
    while (MPI_UNDEFINED != (partition = kernel_next_arrived(f->request))) {
        place(f, partition);
    }
}

static void transpose_partitioned(fft_t *f)
{
    MPI_Start(&f->request);
    hand_in(f);
#pragma omp parallel num_threads(f->threads)
    place_arrived(f);
    MPI_Wait(&f->request, MPI_STATUS_IGNORE);
}

static void transpose_blocking(fft_t *f, bool exchange)
{
    const int count = f->rows * f->rows;
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (int part = 0; part < f->parts; ++part) {
        transform_rows(f, part);
    }
    if (exchange) {
        MPI_Alltoall(f->out, count, MPI_C_DOUBLE_COMPLEX, f->in, count, MPI_C_DOUBLE_COMPLEX,
                     MPI_COMM_WORLD);
    }
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (int partition = 0; partition < f->kernel->size * f->parts; ++partition) {
        place(f, partition);
    }
}

static void run_round(void *context, kernel_exchange_t exchange, unsigned round, bool check)
{
    fft_t *f = context;
    if (check) {
        fill(f, round);
    }
    if (KERNEL_PARTITIONED == exchange) {
        transpose_partitioned(f);
    } else {
        transpose_blocking(f, KERNEL_BLOCKING == exchange);
    }
    transform_columns(f);
    if (check) {
        compare(f, round);
    }
}

static value_t *make_lines(const fft_t *f)
{
    return (value_t *) (void *) bench_buffer((size_t) f->rows * (size_t) f->edge * sizeof(value_t));
}

static void make_buffers(fft_t *f)
{
    f->field = make_lines(f);
    f->work = make_lines(f);
    f->out = make_lines(f);
    f->in = make_lines(f);
    f->columns = make_lines(f);
    f->waves = bench_list((size_t) f->edge, sizeof(*f->waves));
    for (int k = 0; k < f->edge; ++k) {
        f->waves[k] = cexp(2.0 * M_PI * I * (double) k / (double) f->edge);
    }
    f->plan = fftw_plan_dft_1d(f->edge, f->field, f->work, FFTW_FORWARD,
                               FFTW_ESTIMATE | FFTW_UNALIGNED);
}

static void make_request(fft_t *f)
{
    const int count = f->group * f->rows;
    f->request = MPI_REQUEST_NULL;
    if (BENCH_MODE_PART == f->kernel->options->mode) {
        MPIX_Palltoall_init(f->out, f->parts, count, MPI_C_DOUBLE_COMPLEX, f->in, f->parts, count,
                            MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD, MPI_INFO_NULL, &f->request);
    }
}

static void *create(kernel_t *kernel, size_t bytes)
{
    const bench_options_t *o = kernel->options;
    const int edge = (int) (bytes / sizeof(value_t));
    if (bytes > (1u << 20) || 0 == edge || 0 != edge % (kernel->size * o->partitions)) {
        return NULL;
    }
    fft_t *f = bench_list(1, sizeof(*f));
    *f = (fft_t){.kernel = kernel, .edge = edge, .rows = edge / kernel->size,
                 .parts = o->partitions, .threads = o->threads};
    f->group = f->rows / f->parts;
    make_buffers(f);
    make_request(f);
    return f;
}

static void destroy(void *context)
{
    fft_t *f = context;
    if (MPI_REQUEST_NULL != f->request) {
        MPI_Request_free(&f->request);
    }
    fftw_destroy_plan(f->plan);
    free(f->field);
    free(f->work);
    free(f->out);
    free(f->in);
    free(f->columns);
    free(f->waves);
    free(f);
}

int main(int argc, char **argv)
{
    kernel_t kernel = {.round = run_round};
    bench_options_t options;
    bench_options_defaults(&options);
    options.program = "fft";
    options.purpose = "Fourier transform of a square field, transposed between all ranks";
    options.size_means = "a row, 16 for each element";
    options.min_size = 32u << 10;
    options.max_size = 32u << 10;
    options.samples = 5;
    options.warmup = 1;
    options.partitions = 4;
    return kernel_main(&options, NULL, 0, argc, argv, &kernel, create, destroy);
}
