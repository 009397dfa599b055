/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S46. Hundreds of requests between one pair at the same time, of random sizes and partition
 * counts, marked partition by partition in a random order over all of them.
 */

#include "../support/side.h"

#include <stdlib.h>

#define TAG            46
#define CHANNELS       200
#define MAX_PARTITIONS 6

static int partitions_of(int channel)
{
    return 1 + channel % MAX_PARTITIONS;
}

/* All partitions of all channels, shuffled: channel * MAX_PARTITIONS + partition. */
static int make_order(int *order, int iteration)
{
    mt_random_t random;
    int count = 0;

    for (int c = 0; c < CHANNELS; c++) {
        for (int p = 0; p < partitions_of(c); p++) {
            order[count++] = c * MAX_PARTITIONS + p;
        }
    }
    mt_random_seed(&random, (uint64_t) (46 + iteration));
    mt_random_shuffle(&random, order, count);
    return count;
}

int main(int argc, char **argv)
{
    mt_side_t *side = mt_alloc(CHANNELS * sizeof(*side));
    MPI_Request *requests = mt_alloc(CHANNELS * sizeof(MPI_Request));
    int *order = mt_alloc(CHANNELS * MAX_PARTITIONS * sizeof(*order));

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int c = 0; c < CHANNELS; c++) {
        size_t bytes = (size_t) 1 << (c % 15);
        if (0 == mt_rank()) {
            mt_psend(&side[c], partitions_of(c), bytes, 1, c % 7, MPI_COMM_WORLD);
        } else {
            mt_precv(&side[c], partitions_of(c), bytes, 0, c % 7, MPI_COMM_WORLD);
        }
        side[c].seed = (uint64_t) c;
        requests[c] = side[c].request;
    }
    for (int iteration = 0; iteration < 4; iteration++) {
        mt_success(MPI_Startall(CHANNELS, requests), "MPI_Startall");
        int count = make_order(order, iteration);
        for (int i = 0; 0 == mt_rank() && i < count; i++) {
            mt_send_partition(&side[order[i] / MAX_PARTITIONS], order[i] % MAX_PARTITIONS,
                              iteration);
        }
        mt_success(MPI_Waitall(CHANNELS, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
        for (int c = 0; 1 == mt_rank() && c < CHANNELS; c++) {
            mt_side_verify(&side[c], -1, iteration);
            mt_side_wipe(&side[c]);
        }
    }
    for (int c = 0; c < CHANNELS; c++) {
        mt_drop(&side[c]);
    }
    mt_result("%d channels between one pair at once", CHANNELS);
    free(side);
    free(requests);
    free(order);
    return mt_end();
}
