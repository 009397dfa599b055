/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S5. Several requests with an equal key match in the order of the init calls, not of Start or
 * Pready.
 *
 * Both sides start and mark in random orders of their own; the data says which init call it is
 * from.
 */

#include "../support/side.h"

#define TAG      5
#define CHANNELS 8

static void shuffled(int *order, uint64_t seed)
{
    mt_random_t random;

    mt_random_seed(&random, seed);
    for (int i = 0; i < CHANNELS; i++) {
        order[i] = i;
    }
    mt_random_shuffle(&random, order, CHANNELS);
}

/* Partition sizes differ from channel to channel, so a crossed pair is also a size mismatch; equal
 * sizes in the second run leave nothing but the data to tell. */
static void run(bool equal_sizes, int round)
{
    mt_side_t side[CHANNELS];
    int order[CHANNELS];

    for (int c = 0; c < CHANNELS; c++) {
        size_t bytes = equal_sizes ? 128 : (size_t) (c + 1) * 24;
        mt_one_way(&side[c], 2, bytes, TAG, MPI_COMM_WORLD);
        side[c].seed = (uint64_t) c;
    }
    shuffled(order, (uint64_t) (10 * round + mt_rank()));
    for (int i = 0; i < CHANNELS; i++) {
        mt_start(&side[order[i]]);
    }
    shuffled(order, (uint64_t) (10 * round + mt_rank() + 5));
    for (int i = 0; i < CHANNELS; i++) {
        mt_side_t *now = &side[order[i]];
        if (now->sending) {
            mt_side_fill(now, -1, round);
            mt_ready(now, -1);
        }
    }
    for (int c = 0; c < CHANNELS; c++) {
        mt_finish(&side[c].request, MPI_STATUS_IGNORE);
        if (!side[c].sending) {
            mt_side_verify(&side[c], -1, round);
        }
        mt_drop(&side[c]);
    }
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int round = 0; round < 3; round++) {
        run(true, round);
    }
    mt_result("%d channels of one key and size match in the order of init", CHANNELS);
    for (int round = 3; round < 6; round++) {
        run(false, round);
    }
    mt_result("%d channels of one key and different sizes match in the order of init", CHANNELS);
    return mt_end();
}
