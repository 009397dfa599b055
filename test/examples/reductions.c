/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reductions: the gradients of a network of layers are summed over all ranks. They are calculated
 * from the last layer to the first; while those of one layer are summed, those of the next are
 * calculated, and each layer is updated as soon as its sum is there. docs/collectives.md quotes
 * this program.
 *
 *     mpicc -fopenmp reductions.c $(pkg-config --cflags --libs mpix_partitioned)
 *     mpirun -n 4 --mca part ucx ./a.out
 */
#include <mpix_partitioned.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 8, WEIGHTS = 20000, STEPS = 5 };

/* Whole numbers: their sum is exact in any order. */
static float gradient(int rank, int step, int layer, int weight)
{
    return (float) ((rank + step + layer + weight) % 97);
}

static void calculate(float *of_layer, int rank, int step, int layer)
{
    for (int i = 0; i < WEIGHTS; i++) {
        of_layer[i] = gradient(rank, step, layer, i);
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

static int count_wrong(const float *sum, int size, int step, int layer)
{
    int wrong = 0;

    for (int i = 0; i < WEIGHTS; i++) {
        float expected = 0;

        for (int rank = 0; rank < size; rank++) {
            expected += gradient(rank, step, layer, i);
        }
        wrong += sum[i] != expected;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int provided, rank, size, wrong = 0;
    float *gradients = malloc(sizeof(float) * LAYERS * WEIGHTS);
    MPI_Request request;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (NULL == gradients || provided < MPI_THREAD_MULTIPLE) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    /* In place: partition i is this rank's contribution until it is marked, and the sum when it has
     * arrived. */
    MPIX_Pallreduce_init(MPI_IN_PLACE, gradients, LAYERS, WEIGHTS, MPI_FLOAT, MPI_SUM,
                         MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int step = 0; step < STEPS; step++) {
        MPI_Start(&request);
#pragma omp parallel reduction(+ : wrong)
        {
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < LAYERS; i++) {
                int layer = LAYERS - 1 - i;

                calculate(gradients + layer * WEIGHTS, rank, step, layer);
                MPI_Pready(layer, request);
            }
#pragma omp for schedule(dynamic)
            for (int i = 0; i < LAYERS; i++) {
                int layer = LAYERS - 1 - i;

                await(request, layer);
                wrong += count_wrong(gradients + layer * WEIGHTS, size, step, layer);
            }
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);

    printf("rank %d: %d wrong sums\n", rank, wrong);
    MPI_Finalize();
    free(gradients);
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
