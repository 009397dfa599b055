/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of floating-point numbers that depend on the order of the additions are equal in every bit:
 * on all ranks, in every iteration, whatever the order of marks and delays, and in every run: the
 * lines "SUM" are compared by test/jobs.sh.
 *
 * Argument "allreduce": no other reduction.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUT        6
#define ITERATIONS 12

/* Numbers of very different sizes. */
static void fill(float *values, int count, int rank)
{
    for (int i = 0; i < count; i++) {
        uint64_t draw = pc_mix(16, (uint64_t) rank, (uint64_t) i, 0);
        float scale = (float) (1ull << (draw % 40));

        values[i] = ((float) (draw >> 40) / 7.0f - 1000000.0f) / scale;
    }
}

static uint64_t hash(const void *data, size_t bytes)
{
    const unsigned char *in = data;
    uint64_t value = 1469598103934665603u;

    for (size_t i = 0; i < bytes; i++) {
        value = (value ^ in[i]) * 1099511628211u;
    }
    return value;
}

static int init(pc_kind_t kind, float *from, float *to, MPI_Count count, MPI_Request *request)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    switch (kind) {
    case PC_REDUCE:
        return MPIX_Preduce_init(from, to, CUT, count, MPI_FLOAT, MPI_SUM, 0, comm, MPI_INFO_NULL,
                                 request);
    case PC_REDUCE_SCATTER_BLOCK:
        return MPIX_Preduce_scatter_block_init(from, to, CUT, count, MPI_FLOAT, MPI_SUM, comm,
                                               MPI_INFO_NULL, request);
    case PC_SCAN:
        return MPIX_Pscan_init(from, to, CUT, count, MPI_FLOAT, MPI_SUM, comm, MPI_INFO_NULL,
                               request);
    default:
        return MPIX_Pallreduce_init(from, to, CUT, count, MPI_FLOAT, MPI_SUM, comm, MPI_INFO_NULL,
                                    request);
    }
}

static void iterate(MPI_Request *request, int partitions, mt_random_t *random)
{
    int order[64 * CUT];

    for (int p = 0; p < partitions; p++) {
        order[p] = p;
    }
    mt_random_shuffle(random, order, partitions);
    mt_success(MPI_Start(request), "MPI_Start");
    for (int p = 0; p < partitions; p++) {
        if (0 == mt_random_below(random, 8)) {
            mt_sleep(0.0003);
        }
        mt_success(MPI_Pready(order[p], *request), "MPI_Pready");
    }
    mt_finish(request, MPI_STATUS_IGNORE);
}

/* The same on all ranks: equal to the smallest and to the largest. */
static void expect_equal_everywhere(uint64_t mine)
{
    uint64_t least = 0;
    uint64_t most = 0;

    MPI_Allreduce(&mine, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    mt_check(least == most, "the bits of the sum differ between ranks");
}

static void run(pc_kind_t kind, MPI_Count count, mt_random_t *random)
{
    int blocks = pc_traits[kind].many_to ? mt_size() : 1;
    size_t elements = (size_t) (CUT * count);
    float *from = mt_alloc((size_t) blocks * elements * sizeof(float));
    float *to = mt_alloc(elements * sizeof(float));
    MPI_Request request = MPI_REQUEST_NULL;
    uint64_t first = 0;

    fill(from, (int) elements * blocks, mt_rank());
    mt_success(init(kind, from, to, count, &request), pc_traits[kind].name);
    for (int i = 0; i < ITERATIONS; i++) {
        memset(to, 0xff, elements * sizeof(float)); /* what was right before is not now */
        iterate(&request, CUT * blocks, random);
        uint64_t bits = hash(to, elements * sizeof(float));
        mt_check(0 == i || bits == first, "%s: iteration %d has other bits", pc_traits[kind].name,
                 i);
        first = bits;
        if (PC_ALLREDUCE == kind) {
            expect_equal_everywhere(bits);
        }
    }
    mt_free(&request);
    MPI_Reduce(0 == mt_rank() ? MPI_IN_PLACE : &first, &first, 1, MPI_UINT64_T, MPI_SUM, 0,
               MPI_COMM_WORLD);
    if (0 == mt_rank()) {
        printf("# SUM %s %d %016llx\n", pc_traits[kind].name, (int) count,
               (unsigned long long) first);
    }
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    static const pc_kind_t kinds[] = {PC_ALLREDUCE, PC_REDUCE, PC_REDUCE_SCATTER_BLOCK, PC_SCAN};
    bool alone = argc > 1 && 0 == strcmp(argv[1], "allreduce");
    int count = alone ? 1 : (int) (sizeof(kinds) / sizeof(kinds[0]));
    mt_random_t random;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&random, (uint64_t) (1e6 * mt_now()) + (uint64_t) mt_rank());
    for (int k = 0; k < count; k++) {
        if (!pc_due(kinds[k])) {
            continue;
        }
        run(kinds[k], 37, &random);
        run(kinds[k], 30000, &random);
        mt_result("%s: the same bits in every iteration", pc_traits[kinds[k]].name);
    }
    return mt_end();
}
