/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned requests on a grid of four dimensions, while blocking neighbourhood collectives go on
 * there. Of their tags pml/ucx carries 24 bits, in which those of the fourth dimension are small
 * negative numbers: neither may see a message of the other.
 */

#include "../support/side.h"

#define TAG        121
#define PARTITIONS 4
#define ROUNDS     20

/* In each of four dimensions one neighbour before, and one behind. */
enum { NEIGHBORS = 8 };

static void exchange(MPI_Comm grid, int round)
{
    int mine = 100 * round + mt_rank(), of[NEIGHBORS], rank, from, to;

    for (int i = 0; i < NEIGHBORS; i++) {
        of[i] = -1;
    }
    mt_success(MPI_Neighbor_allgather(&mine, 1, MPI_INT, of, 1, MPI_INT, grid),
               "MPI_Neighbor_allgather");
    for (int i = 0; i < NEIGHBORS; i++) {
        MPI_Cart_shift(grid, i / 2, 1, &from, &to);
        rank = 0 == i % 2 ? from : to;
        mt_check((MPI_PROC_NULL == rank ? -1 : 100 * round + rank) == of[i],
                 "round %d: neighbour %d has sent %d", round, i, of[i]);
    }
}

int main(int argc, char **argv)
{
    int dims[] = {2, 1, 1, 1}, periods[] = {0, 0, 0, 1};
    mt_side_t side;
    MPI_Comm grid;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Cart_create(MPI_COMM_WORLD, 4, dims, periods, 0, &grid);
    for (int round = 0; round < ROUNDS; round++) { /* each one meets anew */
        mt_one_way(&side, PARTITIONS, 100, TAG, grid);
        exchange(grid, 2 * round);
        mt_cycle(&side, round);
        exchange(grid, 2 * round + 1);
        mt_drop(&side);
    }
    MPI_Comm_free(&grid);
    mt_result("requests and neighbourhood collectives on a grid of four dimensions");
    return mt_end();
}
