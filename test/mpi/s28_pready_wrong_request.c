/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S28. MPI_Pready on anything but an active partitioned send is MPI_ERR_REQUEST: a receive, an
 * inactive send (never started, or completed), an ordinary request, MPI_REQUEST_NULL. Nothing is
 * disturbed.
 */

#include "../support/side.h"

#define TAG        28
#define PARTITIONS 3

static void every_call(MPI_Comm comm, MPI_Request request, const char *what)
{
    mt_expect(comm, MPI_Pready(0, request), MPI_ERR_REQUEST, what);
    mt_expect(comm, MPI_Pready_range(0, 1, request), MPI_ERR_REQUEST, what);
    mt_expect(comm, MPI_Pready_list(1, (int[]){2}, request), MPI_ERR_REQUEST, what);
}

static void foreign_requests(MPI_Comm comm)
{
    int value = 0;
    int peer = 1 - mt_rank();
    MPI_Request request;

    mt_expect_class(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    MPI_Send_init(&value, 1, MPI_INT, peer, TAG, comm, &request);
    mt_expect_class(MPI_Pready(0, request), MPI_ERR_REQUEST, "an ordinary persistent send");
    MPI_Request_free(&request);
    MPI_Irecv(&value, 1, MPI_INT, peer, TAG, comm, &request);
    mt_expect_class(MPI_Pready(0, request), MPI_ERR_REQUEST, "an ordinary receive");
    MPI_Send(&value, 1, MPI_INT, peer, TAG, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run(MPI_Comm comm)
{
    mt_side_t side;

    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, 100, 1, TAG, comm);
        every_call(comm, side.request, "a send that was never started");
    } else {
        mt_precv(&side, PARTITIONS, 100, 0, TAG, comm);
        every_call(comm, side.request, "a receive that was never started");
    }
    mt_result("an inactive request is refused");
    mt_start(&side);
    if (side.sending) {
        mt_send_partition(&side, -1, 0);
    } else {
        every_call(comm, side.request, "an active receive");
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    if (!side.sending) {
        mt_side_verify(&side, -1, 0);
    }
    mt_result("an active receive is refused");
    every_call(comm, side.request, "a completed request");
    mt_result("a completed request is refused");
    mt_cycle(&side, 1);
    mt_drop(&side);
    mt_expect_quiet("the channel afterwards");
    mt_result("the channel works afterwards");
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    foreign_requests(comm);
    mt_result("ordinary requests and MPI_REQUEST_NULL are refused");
    run(comm);
    MPI_Comm_free(&comm);
    return mt_end();
}
