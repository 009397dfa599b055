/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All to all: a square matrix, whose rows are spread over the ranks, is transposed. Each rank packs
 * a tile for every other rank, row by row, and unpacks the tiles that come, row by row.
 * docs/collectives.md quotes this program.
 *
 *     mpicc -fopenmp all_to_all.c $(pkg-config --cflags --libs mpix_partitioned)
 *     mpirun -n 4 --mca part ucx ./a.out
 */
#include <mpix_partitioned.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILE = 64 }; /* rows, and columns of a tile; the matrix has TILE rows for each rank */

/* The element in row i, column j of the matrix. */
static double element(int i, int j)
{
    return i * 1e6 + j;
}

/* Row `row` of the transposed tile: column `row` of this rank's rows. */
static void pack(double *to, const double *matrix, int columns, int first, int row)
{
    for (int i = 0; i < TILE; i++) {
        to[i] = matrix[(size_t) i * columns + first + row];
    }
}

static void await(MPI_Request request, int partition)
{
    for (int arrived = 0; !arrived;) {
        MPI_Parrived(request, partition, &arrived);
        if (!arrived) {
            sched_yield();
        }
    }
}

int main(int argc, char **argv)
{
    int provided, rank, size, columns, wrong = 0;
    double *matrix, *send, *recv;
    MPI_Request request;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    columns = TILE * size;
    matrix = malloc(sizeof(double) * TILE * columns);
    send = malloc(sizeof(double) * TILE * columns);
    recv = malloc(sizeof(double) * TILE * columns);
    if (NULL == matrix || NULL == send || NULL == recv || provided < MPI_THREAD_MULTIPLE) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < TILE * columns; i++) {
        matrix[i] = element(rank * TILE + i / columns, i % columns);
    }

    /* Sending side: one partition per row of a tile, so that it leaves when it is packed. Receiving
     * side: a quarter of a tile is what a thread takes. The two sides need not be cut alike. */
    MPIX_Palltoall_init(send, TILE, TILE, MPI_DOUBLE, recv, 4, TILE * TILE / 4, MPI_DOUBLE,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
#pragma omp parallel reduction(+ : wrong)
    {
#pragma omp for schedule(dynamic, TILE) nowait
        for (int i = 0; i < size * TILE; i++) {
            int p = ((rank + 1) * TILE + i) % (size * TILE); /* row p % TILE for rank p / TILE */

            pack(send + (size_t) p * TILE, matrix, columns, p / TILE * TILE, p % TILE);
            MPI_Pready(p, request);
        }
#pragma omp for schedule(dynamic)
        for (int p = 0; p < size * 4; p++) { /* partition p: quarter p % 4 from rank p / 4 */
            await(request, p);
            for (int i = 0; i < TILE * TILE / 4; i++) {
                int row = p % 4 * (TILE / 4) + i / TILE; /* of the tile */

                wrong += recv[(size_t) p * TILE * TILE / 4 + i]
                         != element(p / 4 * TILE + i % TILE, rank * TILE + row);
            }
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);

    printf("rank %d: %d wrong elements\n", rank, wrong);
    MPI_Finalize();
    free(matrix);
    free(send);
    free(recv);
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
