/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S44. Data of iteration n is never visible as arrival in iteration n+1: flags belong to one
 * iteration, also when the sender is already in n+1 while the receiver is in n, and when only some
 * partitions of the new iteration were sent.
 */

#include "../support/side.h"

#define TAG        44
#define PARTITIONS 12

/* The sender never waits for the receiver except through the channel itself. */
static void fast_sender(size_t bytes, int iterations)
{
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < iterations; iteration++) {
        if (side.sending) {
            mt_cycle(&side, iteration);
            continue;
        }
        mt_start(&side);
        for (int p = 0; p < PARTITIONS; p++) {
            mt_check(mt_arrives(side.request, p, 10.0), "partition %d missing", p);
            mt_side_verify(&side, p, iteration); /* data of the last iteration would be wrong */
        }
        if (0 == iteration % 10) {
            mt_progress(0.002); /* the sender gets ahead */
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        mt_side_verify(&side, -1, iteration);
    }
    mt_drop(&side);
}

/* One partition per iteration is held back until the receiver has looked. */
static void held_back(size_t bytes, int iterations)
{
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < iterations; iteration++) {
        int held = (iteration * 5) % PARTITIONS;
        mt_start(&side);
        for (int p = 0; p < PARTITIONS; p++) {
            if (p == held) {
                continue;
            }
            if (side.sending) {
                mt_send_partition(&side, p, iteration);
            } else {
                mt_check(mt_arrives(side.request, p, 10.0), "partition %d missing", p);
                mt_side_verify(&side, p, iteration);
            }
        }
        if (!side.sending) {
            mt_check(!mt_arrived(side.request, held),
                     "partition %d of iteration %d is reported as part of iteration %d", held,
                     iteration - 1, iteration);
            mt_check(!mt_complete(side.request), "complete with partition %d missing", held);
        }
        mt_sync();
        if (side.sending) {
            mt_send_partition(&side, held, iteration);
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    static const struct {
        size_t bytes;
        int iterations;
    } cases[] = {{8, 300}, {3000, 200}, {60000, 60}};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < 3; i++) {
        fast_sender(cases[i].bytes, cases[i].iterations);
        mt_result("12 x %zu bytes: a fast sender's iterations stay apart", cases[i].bytes);
        held_back(cases[i].bytes, cases[i].iterations / 4);
        mt_result("12 x %zu bytes: a partition held back is not taken from the last iteration",
                  cases[i].bytes);
    }
    return mt_end();
}
