/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Small messages: the sender may be some iterations ahead of its receiver. Each iteration has its
 * own data, whether they come before or after MPI_Start; buffers with gaps; a send that is freed
 * while its receiver still has iterations to go; MPIX_Pbuf_prepare after having run ahead.
 */

#include "../support/side.h"

#include <mpix_partitioned.h>

#define TAG 117

/* The receiver is late in every `pause`-th iteration. */
static void runs_ahead(int partitions, size_t bytes, int iterations, int pause)
{
    mt_side_t side;

    mt_one_way(&side, partitions, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < iterations; iteration++) {
        if (!side.sending && 0 == iteration % pause) {
            mt_progress(0.01);
        }
        if (!side.sending && 0 != iteration) {
            /* What has come for the next iteration is not there before that starts. */
            mt_side_verify(&side, -1, iteration - 1);
        }
        mt_cycle(&side, iteration);
    }
    mt_drop(&side);
}

/* Every second int of the receive buffer; the sender's are packed. */
static void with_gaps(int iterations)
{
    enum { PARTITIONS = 6, COUNT = 20 };
    int buffer[PARTITIONS * COUNT * 2];
    MPI_Datatype type = MPI_INT;
    MPI_Request request;
    int step = 1;

    if (1 == mt_rank()) {
        MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
        MPI_Type_commit(&type);
        step = 2;
        MPI_Precv_init(buffer, PARTITIONS, COUNT, type, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    } else {
        MPI_Psend_init(buffer, PARTITIONS, COUNT, type, 1, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    }
    for (int iteration = 0; iteration < iterations; iteration++) {
        if (1 == mt_rank() && 0 == iteration % 5) {
            mt_progress(0.01);
        }
        for (int i = 0; i < PARTITIONS * COUNT * step; i++) {
            buffer[i] = 0 == mt_rank() ? iteration * 1000 + i : -1;
        }
        MPI_Start(&request);
        for (int i = 0; 0 == mt_rank() && i < PARTITIONS; i++) {
            mt_success(MPI_Pready(i, request), "MPI_Pready");
        }
        mt_finish(&request, MPI_STATUS_IGNORE);
        for (int i = 0; 1 == mt_rank() && i < PARTITIONS * COUNT; i++) {
            mt_check(iteration * 1000 + i == buffer[2 * i] && -1 == buffer[2 * i + 1],
                     "iteration %d, element %d: %d, %d", iteration, i, buffer[2 * i],
                     buffer[2 * i + 1]);
        }
    }
    MPI_Request_free(&request);
    if (1 == mt_rank()) {
        MPI_Type_free(&type);
    }
}

/* The send is gone before the receiver starts its last iterations, where the sender may be ahead:
 * it may not with puts, for example. */
static void freed_ahead(size_t bytes)
{
    enum { AHEAD = 3 };
    mt_side_t side;

    mt_one_way(&side, 4, bytes, TAG, MPI_COMM_WORLD);
    mt_cycle(&side, 0);
    if (!side.sending) {
        mt_progress(0.1);
    }
    for (int iteration = 1; iteration <= AHEAD; iteration++) {
        mt_cycle(&side, iteration);
    }
    mt_drop(&side);
    mt_sync();
}

/* Both clocks are those of one machine, which carries the hosts of the virtual cluster, too. */
static void prepares_after_that(size_t bytes)
{
    mt_side_t side;
    double started = 0;

    mt_one_way(&side, 4, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < 12; iteration++) {
        bool prepared = iteration > 5 && 0 != iteration % 3;

        if (!side.sending) {
            mt_sleep(0 == iteration % 4 ? 0.02 : 0);
            started = mt_now();
            mt_cycle(&side, iteration);
            MPI_Send(&started, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
            continue;
        }
        mt_start(&side);
        if (prepared) {
            mt_success(MPIX_Pbuf_prepare(&side.request), "MPIX_Pbuf_prepare");
        }
        double returned = mt_now();
        mt_side_fill(&side, -1, iteration);
        mt_ready(&side, -1);
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        MPI_Recv(&started, 1, MPI_DOUBLE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mt_check(!prepared || returned >= started,
                 "iteration %d: returned %.4f s before the receiver's MPI_Start", iteration,
                 started - returned);
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    static const struct {
        int partitions;
        size_t bytes;
    } rows[] = {{1, 0}, {1, 1}, {1, 4096}, {16, 256}, {7, 8}, {32, 64}, {64, 33}, {128, 2}};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        runs_ahead(rows[i].partitions, rows[i].bytes, 100, 3 + 4 * ((int) i % 3));
    }
    mt_result("iterations that begin before their receive have their own data");
    with_gaps(60);
    mt_result("the same with gaps in the receive buffer");
    freed_ahead(0);
    freed_ahead(300);
    mt_result("a send that was freed ahead of its receiver");
    prepares_after_that(16);
    prepares_after_that(500);
    mt_result("MPIX_Pbuf_prepare after having been ahead");
    return mt_end();
}
