/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who are a rank's neighbours. Every rank has as many, and each is the other's neighbour.
 */
#ifndef BENCH_COLL_NEIGHBORHOOD_H
#define BENCH_COLL_NEIGHBORHOOD_H

#include <stdbool.h>

/* The neighbours' ranks; the place of this rank among those of neighbour b is back[b]. */
typedef struct {
    int count;
    int *rank;
    int *back;
} bench_neighborhood_t;

/* Is there such a kind: ring, torus (of two dimensions), all (every other rank)? */
bool bench_neighborhood_is_known(const char *kind);

/* For `rank` of `size`. A neighbour on both sides is one neighbour. */
void bench_neighborhood_make(bench_neighborhood_t *hood, const char *kind, int rank, int size);
void bench_neighborhood_free(bench_neighborhood_t *hood);

#endif
