/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * See neighborhood.h. The kinds look the same from every rank, so places among the neighbours of
 * another rank are known without asking it.
 */
#include "neighborhood.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../common/pattern.h"

bool bench_neighborhood_is_known(const char *kind)
{
    return 0 == strcmp(kind, "ring") || 0 == strcmp(kind, "torus") || 0 == strcmp(kind, "all");
}

static void add(bench_neighborhood_t *hood, int rank, int back)
{
    hood->rank[hood->count] = rank;
    hood->back[hood->count] = back;
    ++hood->count;
}

/* Before and after this rank, in a dimension of `extent` ranks that are `stride` apart. */
static void add_dimension(bench_neighborhood_t *hood, int rank, int extent, int stride)
{
    const int own = rank / stride % extent;
    const int first = rank - own * stride;
    const int next = first + (own + 1) % extent * stride;
    const int place = hood->count;
    if (2 == extent) {
        add(hood, next, place);
    } else if (2 < extent) {
        add(hood, first + (own + extent - 1) % extent * stride, place + 1);
        add(hood, next, place);
    }
}

static void add_all(bench_neighborhood_t *hood, int rank, int size)
{
    for (int distance = 1; distance < size; ++distance) {
        add(hood, (rank + distance) % size, size - distance - 1);
    }
}

void bench_neighborhood_make(bench_neighborhood_t *hood, const char *kind, int rank, int size)
{
    int extent[2] = {1, size};
    hood->count = 0;
    hood->rank = bench_list((size_t) size + 4, sizeof(*hood->rank));
    hood->back = bench_list((size_t) size + 4, sizeof(*hood->back));
    if (0 == strcmp(kind, "all")) {
        add_all(hood, rank, size);
        return;
    }
    if (0 == strcmp(kind, "torus")) {
        extent[0] = extent[1] = 0;
        MPI_Dims_create(size, 2, extent);
    }
    add_dimension(hood, rank, extent[0], extent[1]);
    add_dimension(hood, rank, extent[1], 1);
}

void bench_neighborhood_free(bench_neighborhood_t *hood)
{
    free(hood->rank);
    free(hood->back);
    *hood = (bench_neighborhood_t){0};
}
