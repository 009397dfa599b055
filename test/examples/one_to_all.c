/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One to all: the root calculates a table chunk by chunk, and all other ranks look every chunk up
 * as soon as it has come. docs/collectives.md quotes this program.
 *
 *     mpicc -fopenmp one_to_all.c $(pkg-config --cflags --libs mpix_partitioned) -lm
 *     mpirun -n 4 --mca part ucx ./a.out
 */
#include <mpix_partitioned.h>

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOT = 0, CHUNKS = 16, ENTRIES = 10000, ITERATIONS = 3 };

static void calculate(double *entry, int chunk, int iteration)
{
    for (int i = 0; i < ENTRIES; i++) {
        entry[i] = sqrt((double) chunk * ENTRIES + i) + iteration;
    }
}

/* Wait for one partition. MPI_Parrived makes progress, so the loop ends. */
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
    int provided, rank, wrong = 0;
    MPI_Request request;
    double *table = malloc(sizeof(double) * CHUNKS * ENTRIES);

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (NULL == table || provided < MPI_THREAD_MULTIPLE) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    /* CHUNKS partitions of ENTRIES elements each. Collective; made once, started many times. */
    MPIX_Pbcast_init(table, CHUNKS, ENTRIES, MPI_DOUBLE, ROOT, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        MPI_Start(&request);
        if (ROOT == rank) {
#pragma omp parallel for schedule(dynamic)
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                calculate(table + chunk * ENTRIES, chunk, iteration);
                MPI_Pready(chunk, request); /* it may travel from here on */
            }
        } else {
#pragma omp parallel for schedule(dynamic) reduction(+ : wrong)
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                double expected[ENTRIES];

                await(request, chunk); /* others may still be on their way, or not calculated */
                calculate(expected, chunk, iteration);
                for (int i = 0; i < ENTRIES; i++) {
                    wrong += table[chunk * ENTRIES + i] != expected[i];
                }
            }
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);

    printf("rank %d: %d wrong entries\n", rank, wrong);
    MPI_Finalize();
    free(table);
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
