/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S32. Send completion means that the whole buffer is reusable and the request restartable or
 * freeable: overwriting the buffer, restarting, or freeing the request and the memory right after
 * completion does not change what the receiver gets, however late it comes.
 */

#include "../support/side.h"

#define TAG        32
#define PARTITIONS 4
#define ITERATIONS 10

static void overwrite_and_restart(size_t bytes, double receiver_delay)
{
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        if (!side.sending) {
            mt_sleep(receiver_delay);
        }
        mt_cycle(&side, iteration);
        mt_side_wipe(&side); /* on the sender: overwrites what was sent */
    }
    mt_drop(&side);
}

static void free_at_once(size_t bytes)
{
    for (int round = 0; round < 5; round++) {
        mt_side_t side;
        if (0 == mt_rank()) {
            mt_psend(&side, PARTITIONS, bytes, 1, TAG, MPI_COMM_WORLD);
            mt_cycle(&side, round);
            mt_side_wipe(&side);
            mt_drop(&side); /* the receiver may not have looked yet */
        } else {
            mt_precv(&side, PARTITIONS, bytes, 0, TAG, MPI_COMM_WORLD);
            mt_start(&side);
            mt_sleep(0.02);
            mt_finish(&side.request, MPI_STATUS_IGNORE);
            mt_side_verify(&side, -1, round);
            mt_drop(&side);
        }
    }
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {16, 3000, 250000};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < 3; i++) {
        overwrite_and_restart(sizes[i], 0.0);
        overwrite_and_restart(sizes[i], 0.01);
        mt_result("4 x %zu bytes: the buffer is overwritten right after completion", sizes[i]);
        free_at_once(sizes[i]);
        mt_result("4 x %zu bytes: request and buffer are freed right after completion", sizes[i]);
    }
    return mt_end();
}
