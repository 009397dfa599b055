/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S10. Partition counts may differ on the two sides, in both directions, also when neither divides
 * the other; every order of Pready gives the same bytes.
 */

#include "../support/side.h"

#include <stdlib.h>

#define TAG 10

/* Elements of 4 bytes: a partition of the sender has recv_partitions x unit of them and the
 * other way round, so that the totals agree for any two counts. */
static void run(int send_partitions, int recv_partitions, int unit)
{
    mt_side_t side;
    int mine = 0 == mt_rank() ? send_partitions : recv_partitions;
    int other = 0 == mt_rank() ? recv_partitions : send_partitions;
    size_t bytes = (size_t) other * (size_t) unit;
    mt_random_t random;
    int *order = mt_alloc((size_t) mine * sizeof(*order));

    mt_stage("%d -> %d partitions, unit %d", send_partitions, recv_partitions, unit);
    mt_one_way(&side, mine, bytes, TAG, MPI_COMM_WORLD);
    mt_random_seed(&random, 10);
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_start(&side);
        for (int i = 0; i < mine; i++) {
            order[i] = 0 == iteration ? i : mine - 1 - i;
        }
        if (2 == iteration) {
            mt_random_shuffle(&random, order, mine);
        }
        for (int i = 0; side.sending && i < mine; i++) {
            mt_send_partition(&side, order[i], iteration);
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        if (!side.sending) {
            mt_side_verify(&side, -1, iteration);
            mt_side_wipe(&side);
        }
    }
    mt_drop(&side);
    free(order);
}

int main(int argc, char **argv)
{
    static const int counts[][2] = {{1, 1},  {4, 2},   {2, 4},   {33, 17}, {17, 33}, {18, 5},
                                    {5, 18}, {1, 7},   {7, 1},   {64, 1},  {1, 64},  {100, 99},
                                    {3, 2},  {16, 12}, {128, 8}, {8, 128}, {127, 31}};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        run(counts[i][0], counts[i][1], 1);
        run(counts[i][0], counts[i][1], 24);
        mt_result("%d partitions sent, %d received", counts[i][0], counts[i][1]);
    }
    run(3, 7, 40000);
    run(7, 3, 40000);
    mt_result("large partitions: 3 against 7 and 7 against 3, 840 kB");
    return mt_end();
}
