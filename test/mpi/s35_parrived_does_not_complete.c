/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S35. Parrived does not complete or inactivate the request: after all partitions are reported,
 * the request is still active (it cannot be started or freed), Wait and Test still complete it
 * with a proper status, and only then it may be started again.
 */

#include "../support/side.h"

#define TAG        35
#define PARTITIONS 5

static void complete_and_look(mt_side_t *side, int iteration)
{
    MPI_Status status = {.MPI_SOURCE = -5, .MPI_TAG = -5};
    int count = -1;
    int flag = 0;

    if (iteration % 2) {
        mt_success(MPI_Wait(&side->request, &status), "MPI_Wait");
    } else {
        double end = mt_now() + 45.0;
        while (!flag && mt_now() < end) {
            mt_success(MPI_Test(&side->request, &flag, &status), "MPI_Test");
        }
        mt_check(flag, "MPI_Test is false 45 s after all partitions were reported");
    }
    MPI_Get_count(&status, MPI_BYTE, &count);
    mt_check(0 == status.MPI_SOURCE && TAG == status.MPI_TAG
                 && count == PARTITIONS * (int) side->bytes,
             "status: source %d, tag %d, count %d", status.MPI_SOURCE, status.MPI_TAG, count);
}

static void receive(mt_side_t *side, int iteration)
{
    mt_start(side);
    for (int p = 0; p < PARTITIONS; p++) {
        mt_check(mt_arrives(side->request, p, 10.0), "partition %d missing", p);
    }
    mt_progress(0.02);
    mt_expect_class(MPI_Start(&side->request), MPI_ERR_REQUEST, "MPI_Start after all arrived");
    mt_check(mt_arrived(side->request, 0), "partition 0 is no longer reported");
    complete_and_look(side, iteration);
    mt_side_verify(side, -1, iteration);
    mt_side_wipe(side);
}

int main(int argc, char **argv)
{
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_errors_watch(MPI_COMM_WORLD);
    mt_one_way(&side, PARTITIONS, 600, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < 6; iteration++) {
        if (side.sending) {
            mt_cycle(&side, iteration);
        } else {
            receive(&side, iteration);
        }
    }
    mt_drop(&side);
    mt_result("a receive whose partitions have all arrived is active until Wait or Test");
    return mt_end();
}
