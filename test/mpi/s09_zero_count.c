/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S9. count = 0 with partitions > 0 is legal, also with a NULL buffer: each partition must still
 * be marked ready, and Parrived and Wait work. The same for a datatype of size 0.
 */

#include "../support/side.h"

#define TAG        9
#define ITERATIONS 3

static void send(MPI_Request *request, int partitions)
{
    mt_success(MPI_Start(request), "MPI_Start");
    for (int p = 0; p < partitions; p++) {
        mt_check(!mt_complete(*request), "complete with %d of %d partitions marked", p, partitions);
        mt_success(MPI_Pready(p, *request), "MPI_Pready");
    }
    mt_finish(request, MPI_STATUS_IGNORE);
}

static void receive(MPI_Request *request, int partitions)
{
    MPI_Status status;
    int count = -1;

    mt_success(MPI_Start(request), "MPI_Start");
    for (int p = 0; p < partitions; p++) {
        mt_check(mt_arrives(*request, p, 5.0), "partition %d has not arrived", p);
    }
    mt_finish(request, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    mt_check(0 == count, "MPI_Get_count gives %d", count);
    mt_check(0 == status.MPI_SOURCE && TAG == status.MPI_TAG, "status: source %d, tag %d",
             status.MPI_SOURCE, status.MPI_TAG);
}

static void run(void *buffer, int send_partitions, int recv_partitions, MPI_Count count,
                MPI_Datatype type)
{
    MPI_Request request = MPI_REQUEST_NULL;

    if (0 == mt_rank()) {
        mt_success(MPI_Psend_init(buffer, send_partitions, count, type, 1, TAG, MPI_COMM_WORLD,
                                  MPI_INFO_NULL, &request),
                   "MPI_Psend_init");
    } else {
        mt_success(MPI_Precv_init(buffer, recv_partitions, count, type, 0, TAG, MPI_COMM_WORLD,
                                  MPI_INFO_NULL, &request),
                   "MPI_Precv_init");
    }
    for (int i = 0; i < ITERATIONS; i++) {
        if (0 == mt_rank()) {
            send(&request, send_partitions);
        } else {
            receive(&request, recv_partitions);
        }
    }
    mt_free(&request);
}

int main(int argc, char **argv)
{
    MPI_Datatype empty;
    unsigned char buffer[8];

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    run(NULL, 4, 4, 0, MPI_INT);
    mt_result("four partitions of count 0 with a NULL buffer");
    run(buffer, 3, 5, 0, MPI_DOUBLE);
    mt_result("3 and 5 partitions of count 0 with a buffer");
    run(NULL, 1, 1, 0, MPI_BYTE);
    mt_result("one partition of count 0");
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    run(buffer, 4, 2, 10, empty);
    MPI_Type_free(&empty);
    mt_result("a datatype of size 0");
    return mt_end();
}
