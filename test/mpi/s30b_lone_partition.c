/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S30 and S34. A lone ready partition is delivered although no other is marked, also when
 * partitions are so small that the library sends several at once; and chains in which each side
 * marks a partition only when the one before has come back do not stall.
 */

#include "../support/side.h"

#define TAG        30
#define PARTITIONS 64
#define BYTES      16

static void expect_only(mt_side_t *side, const int *there)
{
    mt_progress(0.02);
    for (int p = 0; p < PARTITIONS; p++) {
        if (!there[p]) {
            mt_check(!mt_arrived(side->request, p), "partition %d has arrived unmarked", p);
        }
    }
}

static void lone(int iteration)
{
    static const int order[] = {0, 37, 63, 1, 2, 36, 20};
    int count = (int) (sizeof(order) / sizeof(order[0]));
    int there[PARTITIONS] = {0};
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, BYTES, TAG, MPI_COMM_WORLD);
    mt_start(&side);
    for (int i = 0; i < count; i++) {
        there[order[i]] = 1;
        if (side.sending) {
            mt_send_partition(&side, order[i], iteration);
        } else {
            mt_check(mt_arrives(side.request, order[i], 5.0),
                     "partition %d, the only new one, is not there", order[i]);
            mt_side_verify(&side, order[i], iteration);
            expect_only(&side, there);
        }
        mt_sync();
    }
    for (int p = 0; side.sending && p < PARTITIONS; p++) {
        if (!there[p]) {
            mt_send_partition(&side, p, iteration);
        }
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    if (!side.sending) {
        mt_side_verify(&side, -1, iteration);
    }
    mt_drop(&side);
}

/* Partition i of the answer is marked when partition i of the question is there, and partition
 * i + 1 of the question when partition i of the answer is there. Only MPI_Parrived drives
 * either side. */
static void chain(int partitions, size_t bytes, int iterations)
{
    mt_side_t out;
    mt_side_t in;
    int peer = 1 - mt_rank();

    mt_psend(&out, partitions, bytes, peer, TAG, MPI_COMM_WORLD);
    mt_precv(&in, partitions, bytes, peer, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < iterations; iteration++) {
        mt_start(&in);
        mt_start(&out);
        for (int p = 0; p < partitions; p++) {
            if (0 == mt_rank()) {
                mt_send_partition(&out, p, iteration);
            }
            mt_check(mt_arrives(in.request, p, 10.0), "link %d is missing", p);
            mt_side_verify(&in, p, iteration);
            if (1 == mt_rank()) {
                mt_send_partition(&out, p, iteration);
            }
        }
        mt_finish(&in.request, MPI_STATUS_IGNORE);
        mt_finish(&out.request, MPI_STATUS_IGNORE);
    }
    mt_drop(&out);
    mt_drop(&in);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int iteration = 0; iteration < 2; iteration++) {
        lone(iteration);
    }
    mt_result("64 partitions of 16 bytes: each lone marked one is delivered");
    chain(64, 16, 3);
    mt_result("a chain through 64 partitions of 16 bytes");
    chain(7, 30000, 3);
    mt_result("a chain through 7 partitions of 30000 bytes");
    return mt_end();
}
