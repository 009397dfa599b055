/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S34. Parrived true means exactly that partition's bytes are readable, at that moment: every byte
 * is compared the moment the flag is true, the last ones first, while other partitions are still
 * moving.
 */

#include "../support/side.h"

#include <stdlib.h>

#define TAG 34

static void poll_all(mt_side_t *side, int iteration, mt_random_t *random)
{
    int open = side->partitions;
    int *left = mt_alloc((size_t) open * sizeof(*left));
    double end = mt_now() + 45.0;

    for (int p = 0; p < open; p++) {
        left[p] = p;
    }
    while (open > 0 && mt_check(mt_now() < end, "%d partitions are missing after 45 s", open)) {
        int i = mt_random_below(random, open);
        if (mt_arrived(side->request, left[i])) {
            size_t from = (size_t) left[i] * side->bytes;
            size_t to = from + side->bytes;
            mt_side_verify_bytes(side, to - 1, to, iteration);
            mt_side_verify_bytes(side, from, to, iteration);
            left[i] = left[--open];
        }
    }
    free(left);
}

static void run(int partitions, size_t bytes, int iterations)
{
    mt_side_t side;
    mt_random_t random;
    int *order = mt_alloc((size_t) partitions * sizeof(*order));

    mt_random_seed(&random, 34);
    mt_one_way(&side, partitions, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < iterations; iteration++) {
        mt_start(&side);
        for (int p = 0; p < partitions; p++) {
            order[p] = p;
        }
        if (side.sending) {
            mt_random_shuffle(&random, order, partitions);
            for (int p = 0; p < partitions; p++) {
                mt_send_partition(&side, order[p], iteration);
            }
        } else {
            poll_all(&side, iteration, &random);
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        if (!side.sending) {
            mt_side_verify(&side, -1, iteration);
            mt_side_wipe(&side);
        }
    }
    mt_drop(&side);
    free(order);
}

int main(int argc, char **argv)
{
    static const struct {
        int partitions;
        size_t bytes;
        int iterations;
    } cases[] = {{64, 8, 40},     {64, 512, 40},   {32, 4096, 20}, {32, 8192, 20},
                 {16, 65536, 10}, {8, 300000, 10}, {2, 4000000, 4}};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run(cases[i].partitions, cases[i].bytes, cases[i].iterations);
        mt_result("%d partitions of %zu bytes are readable when reported", cases[i].partitions,
                  cases[i].bytes);
    }
    return mt_end();
}
