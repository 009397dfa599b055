/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Contents of the buffers of a collective: what each rank contributes, and what each must get.
 */
#include <mpi.h>
#include <stdio.h>

#include "../common/pattern.h"
#include "collective.h"

/* A rank adds its number to what all ranks' element has in common, so that the contribution of
 * another rank is noticed. */
void bench_collective_fill(bench_collective_t *collective, unsigned round)
{
    const size_t count = bench_collective_extent(collective, collective->blocks_out);
    for (size_t i = 0; i < count; ++i) {
        collective->out[i] = (float) (bench_pattern_number(i, round) + (unsigned) collective->rank);
    }
}

size_t bench_collective_elements(const bench_collective_t *collective)
{
    return bench_collective_extent(collective, collective->blocks_in);
}

/* An element of the result is the sum of element `index` of the ranks [low, high). */
typedef struct {
    int low;
    int high;
    size_t index;
} origin_t;

static origin_t find_origin(const bench_collective_t *c, size_t j)
{
    const size_t stride = (size_t) c->stride;
    const size_t b = j / stride;
    const size_t k = j % stride;
    const size_t mine = bench_collective_place(c, c->rank);
    const bool near = b < (size_t) c->hood.count;
    const int peer = near ? c->hood.rank[b] : 0;
    const size_t back = near ? (size_t) c->hood.back[b] : 0; /* of this rank, with that peer */
    if (c->uneven && 1 < c->blocks_in && k >= (size_t) bench_collective_length(c, (int) b)) {
        return (origin_t){0, 0, 0}; /* between two blocks */
    }
    switch (c->operation->source) {
    case BENCH_FROM_ROOT:
        return (origin_t){c->root, c->root + 1, j};
    case BENCH_FROM_EACH:
        return (origin_t){(int) b, (int) b + 1, k};
    case BENCH_SHARE_OF_ROOT:
        return (origin_t){c->root, c->root + 1, mine + k};
    case BENCH_SHARE_OF_EACH:
        return (origin_t){(int) b, (int) b + 1, mine + k};
    case BENCH_SUM:
        return (origin_t){0, c->size, j};
    case BENCH_SHARE_OF_SUM:
        return (origin_t){0, c->size, mine + j};
    case BENCH_SUM_TO_SELF:
        return (origin_t){0, c->rank + 1, j};
    case BENCH_SUM_BEFORE_SELF:
        return (origin_t){0, c->rank, j};
    case BENCH_FROM_NEIGHBOR:
        return (origin_t){peer, peer + 1, k};
    case BENCH_SHARE_OF_NEIGHBOR:
        return (origin_t){peer, peer + 1, back * stride + k};
    }
    return (origin_t){0, 0, 0};
}

static float expected_value(origin_t origin, unsigned round)
{
    const unsigned ranks = (unsigned) (origin.high - origin.low);
    const unsigned numbers = ranks * (unsigned) (origin.low + origin.high - 1) / 2u;
    return (float) (ranks * bench_pattern_number(origin.index, round) + numbers);
}

void bench_collective_check(const bench_collective_t *collective, unsigned round, size_t first,
                            size_t count)
{
    for (size_t j = first; j < first + count; ++j) {
        const origin_t origin = find_origin(collective, j);
        if (origin.low == origin.high) {
            continue; /* rank 0 of an exscan, or nobody's */
        }
        const float expected = expected_value(origin, round);
        if (collective->in[j] != expected) {
            fprintf(stderr,
                    "benchmark: wrong data in round %u of %s: rank %d, element %zu of %zu is %g, "
                    "not %g\n",
                    round, collective->operation->name, collective->rank, j,
                    bench_collective_elements(collective), (double) collective->in[j],
                    (double) expected);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
}
