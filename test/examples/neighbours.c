/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Neighbours: diffusion along rods that are cut between the ranks. Each rank exchanges its outer
 * cells with the ranks beside it; at the ends of the rods there is nobody (MPI_PROC_NULL). In every
 * step the outer cells come first, so that they have the rest of the step to travel.
 * docs/collectives.md quotes this program.
 *
 *     mpicc -fopenmp neighbours.c $(pkg-config --cflags --libs mpix_partitioned)
 *     mpirun -n 4 --mca part ucx ./a.out
 */
#include <mpix_partitioned.h>

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 8, CELLS = 400, WIDTH = 256, STEPS = 20 }; /* ROWS * WIDTH independent rods */

/* Cells 1 to CELLS are this rank's; 0 and CELLS + 1 are copies of the neighbours' nearest. */
typedef double rods_t[CELLS + 2][ROWS][WIDTH];

static void diffuse(rods_t to, rods_t from, int cell, int row)
{
    for (int i = 0; i < WIDTH; i++) {
        to[cell][row][i] = 0.5 * from[cell][row][i]
                           + 0.25 * (from[cell - 1][row][i] + from[cell + 1][row][i]);
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

/* Block 0 is for, or from, the rank before this one, block 1 the one behind it; each block has one
 * partition per row. Displacements count from cell 1 on the sending side, from 0 on the other. */
static MPI_Request exchange(rods_t rods, MPI_Comm comm)
{
    const int partitions[2] = {ROWS, ROWS};
    const MPI_Count counts[2] = {WIDTH, WIDTH};
    const MPI_Aint inner[2] = {0, (MPI_Aint) (CELLS - 1) * ROWS * WIDTH};
    const MPI_Aint outer[2] = {0, (MPI_Aint) (CELLS + 1) * ROWS * WIDTH};
    MPI_Request request;

    MPIX_Pneighbor_alltoallv_init(rods[1], partitions, counts, inner, MPI_DOUBLE, rods[0],
                                  partitions, counts, outer, MPI_DOUBLE, comm, MPI_INFO_NULL,
                                  &request);
    return request;
}

static void step(rods_t to, rods_t from, MPI_Request arriving, MPI_Request leaving)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int p = 0; p < 2 * ROWS; p++) {
            await(arriving, p); /* it left at the beginning of the step before */
            diffuse(to, from, p < ROWS ? 1 : CELLS, p % ROWS);
            MPI_Pready(p, leaving);
        }
#pragma omp for
        for (int cell = 2; cell < CELLS; cell++) {
            for (int row = 0; row < ROWS; row++) {
                diffuse(to, from, cell, row);
            }
        }
    }
}

/* The same without MPI, for one rod: all ranks' cells, and the nothing at its ends. */
static int count_wrong(rods_t rods, int rank, int size)
{
    int cells = size * CELLS, wrong = 0;
    double *now = calloc((size_t) cells + 2, sizeof(double));
    double *next = calloc((size_t) cells + 2, sizeof(double));

    for (int i = 0; i < size; i++) {
        now[1 + i * CELLS] = 1.0;
    }
    for (int i = 0; i < STEPS; i++) {
        double *old = now;

        for (int cell = 1; cell <= cells; cell++) {
            next[cell] = 0.5 * now[cell] + 0.25 * (now[cell - 1] + now[cell + 1]);
        }
        now = next;
        next = old;
    }
    for (int cell = 1; cell <= CELLS; cell++) {
        for (int i = 0; i < ROWS * WIDTH; i++) {
            wrong += fabs(rods[cell][i / WIDTH][i % WIDTH] - now[rank * CELLS + cell]) > 1e-12;
        }
    }
    free(now);
    free(next);
    return wrong;
}

int main(int argc, char **argv)
{
    int provided, rank, size, wrong, periodic = 0;
    MPI_Request request[2];
    MPI_Comm line;
    rods_t *rods = calloc(2, sizeof(*rods));

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (NULL == rods || provided < MPI_THREAD_MULTIPLE) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    request[0] = exchange(rods[0], line);
    request[1] = exchange(rods[1], line);
    for (int i = 0; i < ROWS * WIDTH; i++) {
        rods[0][1][i / WIDTH][i % WIDTH] = 1.0; /* the heat is in the first cell of each rank */
    }

    MPI_Start(&request[0]);
    MPI_Pready_range(0, 2 * ROWS - 1, request[0]);
    for (int i = 0; i < STEPS; i++) {
        MPI_Request *arriving = &request[i % 2], *leaving = &request[(i + 1) % 2];

        MPI_Start(leaving);
        step(rods[(i + 1) % 2], rods[i % 2], *arriving, *leaving);
        MPI_Wait(arriving, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request[STEPS % 2], MPI_STATUS_IGNORE);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Comm_free(&line);

    wrong = count_wrong(rods[STEPS % 2], rank, size);
    printf("rank %d: %d wrong cells\n", rank, wrong);
    MPI_Finalize();
    free(rods);
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
