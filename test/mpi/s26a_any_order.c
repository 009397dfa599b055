/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S26. The order of the Pready calls is free: forward, backward, odd before even, random, as
 * single calls, ranges and lists.
 */

#include "../support/side.h"

#define TAG        26
#define PARTITIONS 33

static void make_order(int *order, int kind)
{
    mt_random_t random;

    mt_random_seed(&random, (uint64_t) kind);
    for (int i = 0; i < PARTITIONS; i++) {
        switch (kind) {
        case 0:
            order[i] = i;
            break;
        case 1:
            order[i] = PARTITIONS - 1 - i;
            break;
        case 2: /* odd numbers, then even ones */
            order[i] = i < PARTITIONS / 2 ? 2 * i + 1 : 2 * (i - PARTITIONS / 2);
            break;
        default:
            order[i] = i;
            break;
        }
    }
    if (kind > 2) {
        mt_random_shuffle(&random, order, PARTITIONS);
    }
}

static void mark(mt_side_t *side, int *order, int kind)
{
    if (kind < 4) {
        for (int i = 0; i < PARTITIONS; i++) {
            mt_ready(side, order[i]);
        }
    } else if (kind == 4) {
        mt_success(MPI_Pready_list(PARTITIONS, order, side->request), "MPI_Pready_list");
    } else {
        mt_success(MPI_Pready_range(20, 32, side->request), "MPI_Pready_range");
        mt_success(MPI_Pready_list(3, (int[]){7, 0, 19}, side->request), "MPI_Pready_list");
        mt_success(MPI_Pready_range(8, 18, side->request), "MPI_Pready_range");
        mt_ready(side, 6);
        mt_success(MPI_Pready_range(1, 5, side->request), "MPI_Pready_range");
    }
}

static void run(size_t bytes)
{
    mt_side_t side;
    int order[PARTITIONS];

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    for (int kind = 0; kind < 6; kind++) {
        mt_start(&side);
        if (side.sending) {
            mt_side_fill(&side, -1, kind);
            make_order(order, kind);
            mark(&side, order, kind);
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        if (!side.sending) {
            mt_side_verify(&side, -1, kind);
            mt_side_wipe(&side);
        }
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    run(3);
    mt_result("six orders of MPI_Pready on 33 partitions of 3 bytes");
    run(4096);
    mt_result("six orders of MPI_Pready on 33 partitions of 4096 bytes");
    run(70000);
    mt_result("six orders of MPI_Pready on 33 partitions of 70000 bytes");
    return mt_end();
}
