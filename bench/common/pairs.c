/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several pairs of ranks at the same time.
 */
#include "pairs.h"

MPI_Comm bench_pair = MPI_COMM_NULL;

static int pairs = 1;
static bool first = true;

int bench_pairs_open(void)
{
    int rank;
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pairs = size / 2;
    if (1 == pairs) {
        bench_pair = MPI_COMM_WORLD;
        return rank;
    }
    first = 0 == rank % pairs;
    MPI_Comm_split(MPI_COMM_WORLD, rank % pairs, rank, &bench_pair);
    return rank / pairs;
}

void bench_pairs_close(void)
{
    if (1 < pairs) {
        MPI_Comm_free(&bench_pair);
    }
}

int bench_pairs(void)
{
    return pairs;
}

bool bench_pairs_first(void)
{
    return first;
}

void bench_pairs_begin(void)
{
    if (1 < pairs) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

void bench_pairs_slowest(double *seconds, int count)
{
    if (1 < pairs) {
        MPI_Allreduce(MPI_IN_PLACE, seconds, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
}
