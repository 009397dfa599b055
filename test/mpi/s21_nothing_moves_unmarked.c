/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S21. Neither init nor Start moves any user data: what the send buffer holds at init and at Start
 * is never seen by the receiver, and nothing arrives before it is marked.
 */

#include "../support/side.h"

#define TAG        21
#define PARTITIONS 6

static void run(size_t bytes)
{
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < 3; iteration++) {
        if (side.sending) {
            mt_side_fill(&side, -1, 1000 + iteration); /* not what will be sent */
            mt_start(&side);
            mt_progress(0.05);
            mt_side_fill(&side, -1, 2000 + iteration);
            mt_sync();
            mt_progress(0.1);
            mt_sync();
            for (int p = 0; p < PARTITIONS; p++) {
                mt_send_partition(&side, p, iteration);
            }
        } else {
            mt_start(&side);
            mt_sync();
            for (int p = 0; p < PARTITIONS; p++) {
                mt_check(!mt_arrived(side.request, p), "partition %d arrived unmarked", p);
            }
            mt_check(!mt_complete(side.request), "complete with nothing marked");
            mt_progress(0.1);
            mt_side_untouched(&side, "with nothing marked");
            mt_sync();
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        if (!side.sending) {
            mt_side_verify(&side, -1, iteration);
            mt_side_wipe(&side);
        }
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    run(16);
    mt_result("6 partitions of 16 bytes: nothing moves before MPI_Pready");
    run(5000);
    mt_result("6 partitions of 5000 bytes: nothing moves before MPI_Pready");
    run(200000);
    mt_result("6 partitions of 200000 bytes: nothing moves before MPI_Pready");
    return mt_end();
}
