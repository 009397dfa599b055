/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S15. MPI_PROC_NULL as destination or source: Start and every Pready succeed, Parrived is true,
 * Wait returns at once, the status has source MPI_PROC_NULL, tag MPI_ANY_TAG and count 0, the
 * buffer stays as it is; restart and free work. Partitions may be marked in any order with the
 * completion.
 */

#include "../support/side.h"

#include <string.h>

#define TAG        15
#define PARTITIONS 4

/* A busy machine holds a call up now and then. */
#define TRIES   3
#define AT_ONCE 0.2

static void expect_at_once(double quickest, const char *call)
{
    mt_check(quickest < AT_ONCE, "%s took %.3f s, at best", call, quickest);
}

static void send(void)
{
    mt_side_t side;
    double quickest = 1e9;

    mt_psend(&side, PARTITIONS, 100, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
    for (int i = 0; i < TRIES; i++) {
        mt_start(&side);
        mt_ready(&side, 0);
        mt_success(MPI_Pready_range(1, 2, side.request), "MPI_Pready_range");
        mt_success(MPI_Pready_list(1, (int[]){3}, side.request), "MPI_Pready_list");
        double start = mt_now();
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        quickest = mt_now() - start < quickest ? mt_now() - start : quickest;
    }
    expect_at_once(quickest, "the completion of a send");
    mt_drop(&side);
}

/* A program that completes all its requests while it marks, or another thread of it does: it sees
 * the send to nobody complete before its partitions are marked. */
static void marks_after_completion(void)
{
    mt_side_t side;
    int flag = 0;

    mt_psend(&side, PARTITIONS, 100, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
    mt_expect(MPI_COMM_WORLD, MPI_Pready(0, side.request), MPI_ERR_REQUEST,
              "MPI_Pready before MPI_Start");
    for (int i = 0; i < TRIES; i++) {
        mt_start(&side);
        mt_ready(&side, 0);
        mt_success(MPI_Test(&side.request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
        mt_ready(&side, 1);
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        mt_success(MPI_Pready_range(2, 3, side.request), "MPI_Pready_range");
        mt_expect(MPI_COMM_WORLD, MPI_Pready(1, side.request), MPI_ERR_ARG,
                  "the same once more");
    }
    mt_drop(&side);
}

static void receive(void)
{
    mt_side_t side;
    double quickest = 1e9;

    mt_precv(&side, PARTITIONS, 100, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
    for (int i = 0; i < TRIES; i++) {
        MPI_Status status;
        int count = -1;
        memset(&status, 0x55, sizeof(status));
        mt_start(&side);
        for (int p = 0; p < PARTITIONS; p++) {
            mt_check(mt_arrived(side.request, p), "MPI_Parrived(%d) is false", p);
        }
        double start = mt_now();
        mt_success(MPI_Wait(&side.request, &status), "MPI_Wait");
        quickest = mt_now() - start < quickest ? mt_now() - start : quickest;
        MPI_Get_count(&status, MPI_BYTE, &count);
        mt_check(MPI_PROC_NULL == status.MPI_SOURCE, "source is %d", status.MPI_SOURCE);
        mt_check(MPI_ANY_TAG == status.MPI_TAG, "tag is %d", status.MPI_TAG);
        mt_check(0 == count, "count is %d", count);
        mt_check(MPI_REQUEST_NULL != side.request, "MPI_Wait took the request away");
        mt_side_untouched(&side, "MPI_PROC_NULL");
    }
    expect_at_once(quickest, "MPI_Wait for a receive");
    mt_drop(&side);
}

static void all_in_one_startall(void)
{
    mt_side_t side[2];
    MPI_Request requests[2];
    MPI_Status statuses[2];

    mt_psend(&side[0], PARTITIONS, 8, MPI_PROC_NULL, TAG, MPI_COMM_SELF);
    mt_precv(&side[1], PARTITIONS, 8, MPI_PROC_NULL, TAG, MPI_COMM_SELF);
    requests[0] = side[0].request;
    requests[1] = side[1].request;
    mt_success(MPI_Startall(2, requests), "MPI_Startall");
    mt_ready(&side[0], -1);
    mt_success(MPI_Waitall(2, requests, statuses), "MPI_Waitall");
    mt_check(MPI_PROC_NULL == statuses[1].MPI_SOURCE, "source is %d", statuses[1].MPI_SOURCE);
    mt_drop(&side[0]);
    mt_drop(&side[1]);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    mt_errors_watch(MPI_COMM_WORLD);
    send();
    mt_result("a send to MPI_PROC_NULL completes at once, and restarts");
    marks_after_completion();
    mt_result("its partitions may be marked after it has been completed, each once");
    receive();
    mt_result("a receive from MPI_PROC_NULL: arrived, status, buffer; it restarts");
    all_in_one_startall();
    mt_result("MPI_Startall and MPI_Waitall with MPI_PROC_NULL");
    return mt_end();
}
