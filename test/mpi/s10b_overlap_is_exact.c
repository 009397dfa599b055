/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S10 and S34. With different partition counts a receive partition has arrived exactly when every
 * send partition that overlaps it was sent: not before (the fault found in part/persist: 4 -> 2,
 * one half sent, reported as arrived), and without waiting for others.
 */

#include "../support/side.h"

#include <stdlib.h>

#define TAG  10
#define UNIT 16

/* The receiver tells which send partition it wants next, so that it knows what may have arrived. */
static void send(mt_side_t *side, int iteration)
{
    for (int i = 0; i < side->partitions; i++) {
        int next = -1;
        MPI_Recv(&next, 1, MPI_INT, 1, TAG + 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mt_send_partition(side, next, iteration);
    }
    mt_finish(&side->request, MPI_STATUS_IGNORE);
}

static bool covered(const bool *sent, int send_partitions, size_t send_bytes, size_t from,
                    size_t to)
{
    for (int i = 0; i < send_partitions; i++) {
        size_t begin = (size_t) i * send_bytes;
        if (begin < to && from < begin + send_bytes && !sent[i]) {
            return false;
        }
    }
    return true;
}

static void look(mt_side_t *side, const bool *sent, int send_partitions, int iteration)
{
    size_t send_bytes = (size_t) side->partitions * side->bytes / (size_t) send_partitions;

    for (int p = 0; p < side->partitions; p++) {
        size_t from = (size_t) p * side->bytes;
        if (covered(sent, send_partitions, send_bytes, from, from + side->bytes)) {
            mt_check(mt_arrives(side->request, p, 5.0), "partition %d sent, not there", p);
            mt_side_verify(side, p, iteration);
        } else {
            mt_check(!mt_arrived(side->request, p), "partition %d is reported before it was sent",
                     p);
        }
    }
}

static void receive(mt_side_t *side, int send_partitions, int iteration)
{
    bool *sent = calloc((size_t) send_partitions, sizeof(*sent));
    int *order = mt_alloc((size_t) send_partitions * sizeof(*order));
    mt_random_t random;

    mt_random_seed(&random, (uint64_t) (100 + iteration));
    for (int i = 0; i < send_partitions; i++) {
        order[i] = i;
    }
    if (iteration > 0) {
        mt_random_shuffle(&random, order, send_partitions);
    }
    look(side, sent, send_partitions, iteration);
    for (int i = 0; i < send_partitions; i++) {
        MPI_Send(&order[i], 1, MPI_INT, 0, TAG + 100, MPI_COMM_WORLD);
        sent[order[i]] = true;
        look(side, sent, send_partitions, iteration);
    }
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    free(sent);
    free(order);
}

static void run(int send_partitions, int recv_partitions)
{
    mt_side_t side;

    mt_stage("%d -> %d partitions", send_partitions, recv_partitions);
    if (0 == mt_rank()) {
        mt_psend(&side, send_partitions, (size_t) recv_partitions * UNIT, 1, TAG, MPI_COMM_WORLD);
    } else {
        mt_precv(&side, recv_partitions, (size_t) send_partitions * UNIT, 0, TAG, MPI_COMM_WORLD);
    }
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_start(&side);
        if (side.sending) {
            send(&side, iteration);
        } else {
            receive(&side, send_partitions, iteration);
            mt_side_wipe(&side);
        }
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    static const int counts[][2] = {{4, 2},   {2, 4}, {18, 5}, {5, 18}, {33, 17},
                                    {17, 33}, {1, 6}, {6, 1},  {3, 3}};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        run(counts[i][0], counts[i][1]);
        mt_result("%d -> %d: arrived means all overlapping partitions were sent", counts[i][0],
                  counts[i][1]);
    }
    return mt_end();
}
