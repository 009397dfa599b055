/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S6. Once matched, a pair stays matched for all later iterations, even when the channels of one
 * key are started in another order each time and further channels of that key come and go.
 */

#include "../support/side.h"

#define TAG        6
#define CHANNELS   4
#define ITERATIONS 30

static void open_side(mt_side_t *side, int number)
{
    mt_one_way(side, 3, 200, TAG, MPI_COMM_WORLD);
    side->seed = (uint64_t) number;
}

static void iterate(mt_side_t *side, int iteration, mt_random_t *random)
{
    int order[CHANNELS] = {0, 1, 2, 3};

    mt_random_shuffle(random, order, CHANNELS);
    for (int i = 0; i < CHANNELS; i++) {
        mt_side_t *now = &side[order[i]];
        mt_start(now);
        if (now->sending) {
            mt_side_fill(now, -1, iteration);
            mt_ready(now, -1);
        }
    }
    for (int c = 0; c < CHANNELS; c++) {
        mt_finish(&side[c].request, MPI_STATUS_IGNORE);
        if (!side[c].sending) {
            mt_side_verify(&side[c], -1, iteration);
            mt_side_wipe(&side[c]);
        }
    }
}

int main(int argc, char **argv)
{
    mt_side_t side[CHANNELS];
    mt_side_t visitor;
    mt_random_t random;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&random, (uint64_t) mt_rank() + 60); /* another order on each side */
    for (int c = 0; c < CHANNELS; c++) {
        open_side(&side[c], c);
    }
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        iterate(side, iteration, &random);
        if (0 == iteration % 7) {
            open_side(&visitor, 77);
            mt_cycle(&visitor, iteration);
            mt_drop(&visitor);
        }
    }
    for (int c = 0; c < CHANNELS; c++) {
        mt_drop(&side[c]);
    }
    mt_result("%d pairs stay matched for %d iterations", CHANNELS, ITERATIONS);
    return mt_end();
}
