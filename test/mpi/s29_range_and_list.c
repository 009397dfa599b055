/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S29. MPI_Pready_range is inclusive at both ends; MPI_Pready_list takes a length and an array; a
 * list of length 0 does nothing, also with a NULL array.
 */

#include "../support/side.h"

#define TAG        29
#define PARTITIONS 10

/* The receiver tells the sender when it has looked. */
static void expect_exactly(mt_side_t *side, const int *there, int iteration, const char *when)
{
    for (int p = 0; p < PARTITIONS; p++) {
        if (there[p]) {
            mt_check(mt_arrives(side->request, p, 5.0), "%s: partition %d is not there", when, p);
            mt_side_verify(side, p, iteration);
        }
    }
    mt_progress(0.03);
    for (int p = 0; p < PARTITIONS; p++) {
        if (!there[p]) {
            mt_check(!mt_arrived(side->request, p), "%s: partition %d has arrived", when, p);
        }
    }
    mt_sync();
}

static void receive(mt_side_t *side, int iteration)
{
    mt_start(side);
    expect_exactly(side, (int[PARTITIONS]){0}, iteration, "after lists of length 0");
    expect_exactly(side, (int[PARTITIONS]){0, 0, 0, 1, 1, 1}, iteration, "after range 3..5");
    expect_exactly(side, (int[PARTITIONS]){0, 0, 0, 1, 1, 1, 0, 1}, iteration, "after range 7..7");
    expect_exactly(side, (int[PARTITIONS]){1, 0, 0, 1, 1, 1, 0, 1, 0, 1}, iteration,
                   "after list {9, 0}");
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    mt_side_verify(side, -1, iteration);
    mt_side_wipe(side);
}

static void send(mt_side_t *side, int iteration)
{
    mt_start(side);
    mt_side_fill(side, -1, iteration);
    mt_success(MPI_Pready_list(0, (int[]){1, 2}, side->request), "MPI_Pready_list(0)");
    mt_success(MPI_Pready_list(0, NULL, side->request), "MPI_Pready_list(0, NULL)");
    mt_sync();
    mt_success(MPI_Pready_range(3, 5, side->request), "MPI_Pready_range(3, 5)");
    mt_sync();
    mt_success(MPI_Pready_range(7, 7, side->request), "MPI_Pready_range(7, 7)");
    mt_sync();
    mt_success(MPI_Pready_list(2, (int[]){9, 0, 1}, side->request), "MPI_Pready_list(2)");
    mt_sync();
    mt_success(MPI_Pready_list(4, (int[]){8, 1, 6, 2}, side->request), "MPI_Pready_list(4)");
    mt_finish(&side->request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int large = 0; large <= 1; large++) {
        size_t bytes = large ? 50000 : 8;
        mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
        for (int iteration = 0; iteration < 2; iteration++) {
            if (side.sending) {
                send(&side, iteration);
            } else {
                receive(&side, iteration);
            }
        }
        mt_drop(&side);
        mt_result("ranges are inclusive, lists exact, empty lists no-ops: partitions of %zu bytes",
                  bytes);
    }
    return mt_end();
}
