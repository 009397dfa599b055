/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S51. Ranks that never use partitioned calls are unaffected: two ranks communicate while the
 * third one computes, and while it is already in MPI_Finalize (#12969: part/persist hangs in both
 * forms).
 */

#include "../support/side.h"

#define TAG 51

static void exchange(int iterations)
{
    mt_side_t side;

    mt_one_way(&side, 4, 3000, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < iterations; iteration++) {
        mt_cycle(&side, iteration);
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    int token = 0;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 3);
    if (mt_rank() < 2) {
        exchange(5);
        if (1 == mt_rank()) {
            for (int rank = 2; rank < mt_size(); rank++) {
                MPI_Send(&token, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD);
            }
        }
    } else {
        mt_sleep(0.2);
        MPI_Recv(&token, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    mt_result("two ranks communicate while the others know nothing of it");
    if (mt_rank() < 2) {
        mt_sleep(0.2); /* the others are in MPI_Finalize */
        exchange(5);   /* a failure shows in the exit status */
    }
    return mt_end();
}
