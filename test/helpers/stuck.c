/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests that wait for a few seconds, as those of a program that hangs (see jobs.sh): a send of
 * which some partitions are not marked, one whose receive has not been started, and a receive
 * whose send has another tag. In the end all complete but the last, whose send comes late.
 */

#include "../support/side.h"

#define TAG        120
#define PARTITIONS 12
#define SECONDS    5.0

static void some_missing(mt_side_t *side)
{
    mt_start(side);
    if (side->sending) {
        mt_success(MPI_Pready_range(0, 2, side->request), "MPI_Pready_range");
        mt_success(MPI_Pready(4, side->request), "MPI_Pready");
        mt_success(MPI_Pready_range(8, 11, side->request), "MPI_Pready_range");
    }
    mt_progress(SECONDS);
    if (side->sending) {
        mt_success(MPI_Pready(3, side->request), "MPI_Pready");
        mt_success(MPI_Pready_range(5, 7, side->request), "MPI_Pready_range");
    }
    mt_finish(&side->request, MPI_STATUS_IGNORE);
}

static void receive_not_started(mt_side_t *side)
{
    if (side->sending) {
        mt_start(side);
        mt_ready(side, -1);
    }
    mt_progress(SECONDS);
    if (!side->sending) {
        mt_start(side);
    }
    mt_finish(&side->request, MPI_STATUS_IGNORE);
}

static void send_comes_late(void)
{
    mt_side_t side;

    if (0 == mt_rank()) {
        mt_progress(SECONDS);
        mt_psend(&side, PARTITIONS, 100000, 1, TAG + 1, MPI_COMM_WORLD);
        mt_start(&side);
        mt_ready(&side, -1);
    } else {
        mt_precv(&side, PARTITIONS, 100000, 0, TAG + 1, MPI_COMM_WORLD);
        mt_start(&side);
        mt_progress(SECONDS);
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, 100000, 1, TAG, MPI_COMM_WORLD);
    } else {
        mt_precv(&side, PARTITIONS, 100000, 0, TAG, MPI_COMM_WORLD);
    }
    mt_cycle(&side, 0);
    mt_sync();
    some_missing(&side);
    mt_sync();
    receive_not_started(&side);
    mt_drop(&side);
    mt_sync();
    send_comes_late();
    mt_result("requests that wait for long");
    return mt_end();
}
