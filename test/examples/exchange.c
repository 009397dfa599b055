/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Point to point, with nothing but MPI 4: heat flows through a plate, whose strips of rows are
 * spread over the ranks, in a ring. Threads share the columns. A thread hands its part of both
 * edges over as soon as that is computed, goes on with the inner rows, and then takes its part of
 * the neighbours' edges, while other threads are still at work.
 *
 *     mpicc -fopenmp exchange.c
 *     mpirun -n 4 --mca part ucx ./a.out
 */
#include <mpi.h>

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 32, COLUMNS = 1024, PARTS = 8, WIDTH = COLUMNS / PARTS, STEPS = 50 };

typedef double strip_t[ROWS + 2][COLUMNS]; /* with the neighbours' edges: rows 0 and ROWS + 1 */

/* A corner of the plate is hot. The neighbours' edges are known, too. */
static void begin(strip_t plate, int rank, int size)
{
    for (int row = 0; row < ROWS + 2; row++) {
        int there = (rank * ROWS + row - 1 + size * ROWS) % (size * ROWS);

        for (int c = 0; c < COLUMNS; c++) {
            plate[row][c] = there < ROWS / 2 && c < COLUMNS / 2 ? 100.0 : 0.0;
        }
    }
}

static double heat_of(strip_t plate)
{
    double heat = 0.0;

    for (int row = 1; row <= ROWS; row++) {
        for (int c = 0; c < COLUMNS; c++) {
            heat += plate[row][c];
        }
    }
    return heat;
}

/* The heat is the mean of that of the four around; the plate is closed at its sides. */
static void step(strip_t next, strip_t now, int row, int part)
{
    for (int c = part * WIDTH; c < (part + 1) * WIDTH; c++) {
        int left = 0 == c ? COLUMNS - 1 : c - 1, right = c + 1 == COLUMNS ? 0 : c + 1;

        next[row][c] = 0.25 * (now[row - 1][c] + now[row + 1][c] + now[row][left]
                               + now[row][right]);
    }
}

static void take(MPI_Request request, int part)
{
    for (int arrived = 0; !arrived;) {
        MPI_Parrived(request, part, &arrived);
        if (!arrived) {
            sched_yield();
        }
    }
}

/* An edge to a neighbour, and the one that comes from the other neighbour. */
static void make(double *send, int to, double *recv, int from, int tag, MPI_Request *request)
{
    MPI_Psend_init(send, PARTS, WIDTH, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request[0]);
    MPI_Precv_init(recv, PARTS, WIDTH, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request[1]);
}

int main(int argc, char **argv)
{
    enum { UP, FROM_BELOW, DOWN, FROM_ABOVE, REQUESTS };
    static strip_t plate[2]; /* now, and the next step; which is which changes */
    MPI_Request request[2][REQUESTS];
    int provided, rank, size;
    const double expected = 100.0 * (ROWS / 2) * (COLUMNS / 2); /* none is lost */
    double heat, all = 0.0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2; i++) {
        make(plate[i][1], (rank + size - 1) % size, plate[i][ROWS + 1], (rank + 1) % size, 1,
             &request[i][UP]);
        make(plate[i][ROWS], (rank + 1) % size, plate[i][0], (rank + size - 1) % size, 2,
             &request[i][DOWN]);
    }
    begin(plate[0], rank, size);

#pragma omp parallel
    for (int s = 0; s < STEPS; s++) {
        double(*now)[COLUMNS] = plate[s % 2], (*next)[COLUMNS] = plate[(s + 1) % 2];
        MPI_Request *edges = request[(s + 1) % 2];

#pragma omp single
        MPI_Startall(REQUESTS, edges);
#pragma omp for nowait
        for (int part = 0; part < PARTS; part++) {
            step(next, now, 1, part);
            MPI_Pready(part, edges[UP]);
            step(next, now, ROWS, part);
            MPI_Pready(part, edges[DOWN]);
            for (int row = 2; row < ROWS; row++) {
                step(next, now, row, part);
            }
        }
#pragma omp for
        for (int part = 0; part < PARTS; part++) { /* all of this thread's parts have left */
            take(edges[FROM_BELOW], part);
            take(edges[FROM_ABOVE], part);
        }
#pragma omp single
        MPI_Waitall(REQUESTS, edges, MPI_STATUSES_IGNORE);
    }

    heat = heat_of(plate[STEPS % 2]);
    MPI_Allreduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("heat: %.6f of %.6f\n", all, expected);
    }
    for (int i = 0; i < 2 * REQUESTS; i++) {
        MPI_Request_free(&request[i / REQUESTS][i % REQUESTS]);
    }
    MPI_Finalize();
    return fabs(all - expected) < 1e-9 * expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
