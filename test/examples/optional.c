/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In a library, as an option: sums of pieces that leave as they are ready where partitioned
 * collectives are in use, and one MPI_Allreduce elsewhere. docs/optional.md is about this program.
 *
 *     mpicc -DHAVE_MPIX_PARTITIONED optional.c $(pkg-config --cflags --libs mpix_partitioned)
 *     mpicc optional.c                                    # where it is not installed
 */
#include <mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_MPIX_PARTITIONED
#    include <mpix_partitioned.h>
#endif

/* ---- the library ---- */

typedef struct sum_t {
    MPI_Comm comm;       /* its own, so that the handler of errors is its own, too */
    MPI_Request request; /* MPI_REQUEST_NULL: without partitions */
    float *data;
    int pieces, length;
} sum_t;

/* Collective. Errors other than "not in use" go where the caller's communicator sends them. */
static int sum_init(sum_t *sum, float *data, int pieces, int length, MPI_Comm comm)
{
    int error = MPI_SUCCESS;

    *sum = (sum_t) {.request = MPI_REQUEST_NULL, .data = data, .pieces = pieces, .length = length};
    MPI_Comm_dup(comm, &sum->comm);
#ifdef HAVE_MPIX_PARTITIONED
    MPI_Comm_set_errhandler(sum->comm, MPI_ERRORS_RETURN);
    error = MPIX_Pallreduce_init(MPI_IN_PLACE, data, pieces, length, MPI_FLOAT, MPI_SUM, sum->comm,
                                 MPI_INFO_NULL, &sum->request);
    if (MPI_SUCCESS != error) {
        MPI_Error_class(error, &error);
        if (MPI_ERR_UNSUPPORTED_OPERATION == error) {
            error = MPI_SUCCESS; /* on all ranks: they go on without */
        } else {
            MPI_Comm_call_errhandler(comm, error);
        }
    }
#endif
    return error;
}

static int sum_start(sum_t *sum)
{
    return MPI_REQUEST_NULL != sum->request ? MPI_Start(&sum->request) : MPI_SUCCESS;
}

static int sum_ready(sum_t *sum, int piece)
{
    return MPI_REQUEST_NULL != sum->request ? MPI_Pready(piece, sum->request) : MPI_SUCCESS;
}

/* All sums are there when it returns. */
static int sum_finish(sum_t *sum)
{
    return MPI_REQUEST_NULL != sum->request
               ? MPI_Wait(&sum->request, MPI_STATUS_IGNORE)
               : MPI_Allreduce(MPI_IN_PLACE, sum->data, sum->pieces * sum->length, MPI_FLOAT,
                               MPI_SUM, sum->comm);
}

static void sum_free(sum_t *sum)
{
    if (MPI_REQUEST_NULL != sum->request) {
        MPI_Request_free(&sum->request);
    }
    MPI_Comm_free(&sum->comm);
}

/* ---- its user ---- */

enum { PIECES = 8, LENGTH = 1000, STEPS = 3 };

int main(int argc, char **argv)
{
    int rank, size, wrong = 0;
    float *data = malloc(sizeof(float) * PIECES * LENGTH);
    sum_t sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (NULL == data || MPI_SUCCESS != sum_init(&sum, data, PIECES, LENGTH, MPI_COMM_WORLD)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int step = 0; step < STEPS; step++) {
        sum_start(&sum);
        for (int piece = 0; piece < PIECES; piece++) {
            for (int i = 0; i < LENGTH; i++) {
                data[piece * LENGTH + i] = (float) (rank + step + piece);
            }
            sum_ready(&sum, piece);
        }
        if (MPI_SUCCESS != sum_finish(&sum)) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        for (int i = 0; i < PIECES * LENGTH; i++) {
            const int each = step + i / LENGTH;

            wrong += data[i] != (float) (size * (size - 1) / 2 + size * each);
        }
    }
    printf("rank %d: %s, %d wrong sums\n", rank,
           MPI_REQUEST_NULL != sum.request ? "partitioned" : "MPI_Allreduce", wrong);
    sum_free(&sum);
    MPI_Finalize();
    free(data);
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
