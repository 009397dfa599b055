/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S47. Freeing an inactive request is legal: never started and unmatched, never started and
 * matched, or completed; the next operation with the same key is not disturbed (part/persist
 * #14155: the freed request's posted receive took the next set-up). The handle becomes
 * MPI_REQUEST_NULL.
 */

#include "../support/side.h"

#define TAG 47

static void open_side(mt_side_t *side, int number)
{
    mt_one_way(side, 3, 200, TAG, MPI_COMM_WORLD);
    side->seed = (uint64_t) number;
}

static void next_operation(int number)
{
    mt_side_t side;

    open_side(&side, number);
    mt_cycle(&side, 0);
    mt_cycle(&side, 1);
    mt_drop(&side);
}

/* Only the ranks of the mask initialise, and free at once; the others have never heard of it. */
static void free_unmatched(int mask, bool progress_between)
{
    mt_side_t side;

    for (int round = 0; round < 5; round++) {
        if (mask & (1 << mt_rank())) {
            open_side(&side, 0);
            if (progress_between) {
                mt_progress(0.01);
            }
            mt_drop(&side);
        }
        mt_sync();
        next_operation(round);
    }
}

static void free_matched(bool sender_first)
{
    mt_side_t side;

    for (int round = 0; round < 5; round++) {
        open_side(&side, 0);
        mt_sync();
        mt_progress(0.01); /* matched now */
        if (sender_first != (0 == mt_rank())) {
            mt_sync();
        }
        mt_drop(&side);
        if (sender_first == (0 == mt_rank())) {
            mt_sync();
        }
        next_operation(round);
    }
}

static void free_completed(void)
{
    mt_side_t side;

    for (int round = 0; round < 20; round++) {
        open_side(&side, round);
        mt_cycle(&side, 0);
        mt_drop(&side);
    }
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    free_unmatched(1, false);
    free_unmatched(1, true);
    mt_result("an unmatched send is freed, the next operation works");
    free_unmatched(2, false);
    free_unmatched(2, true);
    mt_result("an unmatched receive is freed, the next operation works");
    free_matched(true);
    mt_result("a matched pair is freed unstarted, sender first, the next operation works");
    free_matched(false);
    mt_result("a matched pair is freed unstarted, receiver first, the next operation works");
    free_completed();
    mt_result("a completed pair is freed, the next operation works");
    return mt_end();
}
