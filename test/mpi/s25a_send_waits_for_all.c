/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S25. After Start each partition must be marked once per iteration before completion: neither
 * MPI_Test nor MPI_Request_get_status reports the send complete earlier, in the first iteration
 * and in all later ones (part/persist #12328), whether the receiver is there or not.
 */

#include "../support/side.h"

#define TAG        25
#define PARTITIONS 5

static void expect_open(mt_side_t *side, int marked, int iteration)
{
    int flag = 0;

    mt_success(MPI_Test(&side->request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    mt_check(!flag, "iteration %d: MPI_Test is true with %d of %d marked", iteration, marked,
             PARTITIONS);
    mt_check(!mt_complete(side->request),
             "iteration %d: MPI_Request_get_status is true with %d of %d marked", iteration, marked,
             PARTITIONS);
}

static void send(mt_side_t *side, int iteration, double pause)
{
    mt_start(side);
    for (int p = 0; p < PARTITIONS; p++) {
        mt_progress(pause);
        expect_open(side, p, iteration);
        mt_send_partition(side, (p * 3) % PARTITIONS, iteration);
    }
    mt_finish(&side->request, MPI_STATUS_IGNORE);
}

static void run(size_t bytes, bool late_receiver)
{
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < 4; iteration++) {
        if (side.sending) {
            send(&side, iteration, iteration < 2 ? 0.01 : 0.0);
        } else {
            mt_sleep(late_receiver ? 0.1 : 0.0);
            mt_cycle(&side, iteration);
        }
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {4, 2000, 100000};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < 3; i++) {
        run(sizes[i], false);
        mt_result("a send of 5 x %zu bytes is open until its last MPI_Pready", sizes[i]);
    }
    run(2000, true);
    mt_result("the same with a receiver that comes late");
    return mt_end();
}
