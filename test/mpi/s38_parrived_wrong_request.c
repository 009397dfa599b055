/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S38. Parrived on anything but a partitioned receive is MPI_ERR_REQUEST, also on a partitioned
 * send; an index out of range is MPI_ERR_ARG. Nothing is disturbed.
 */

#include "../support/side.h"

#include <limits.h>

#define TAG        38
#define PARTITIONS 3

static void foreign_requests(MPI_Comm comm)
{
    int value = 0;
    int flag = 0;
    int peer = 1 - mt_rank();
    MPI_Request request;

    MPI_Recv_init(&value, 1, MPI_INT, peer, TAG, comm, &request);
    mt_expect_class(MPI_Parrived(request, 0, &flag), MPI_ERR_REQUEST, "a persistent receive");
    MPI_Request_free(&request);
    MPI_Irecv(&value, 1, MPI_INT, peer, TAG, comm, &request);
    mt_expect_class(MPI_Parrived(request, 0, &flag), MPI_ERR_REQUEST, "an ordinary receive");
    MPI_Send(&value, 1, MPI_INT, peer, TAG, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* For every inactive partitioned request all has arrived: of a send, too, whatever the index. */
static void inactive_send(mt_side_t *side, const char *what)
{
    for (int p = 0; p <= PARTITIONS; p++) {
        int flag = 0;

        mt_success(MPI_Parrived(side->request, p, &flag), what);
        mt_check(1 == flag, "%s: the flag of partition %d is %d", what, p, flag);
    }
}

static void send(mt_side_t *side, MPI_Comm comm)
{
    int flag = 0;

    inactive_send(side, "an inactive send");
    mt_start(side);
    mt_expect(comm, MPI_Parrived(side->request, 0, &flag), MPI_ERR_REQUEST, "an active send");
    mt_send_partition(side, -1, 0);
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    inactive_send(side, "a completed send");
}

static void receive(mt_side_t *side, MPI_Comm comm)
{
    static const int wrong[] = {-1, PARTITIONS, INT_MAX, INT_MIN};
    int flag = 0;

    mt_start(side);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        mt_expect(comm, MPI_Parrived(side->request, wrong[i], &flag), MPI_ERR_ARG,
                  "MPI_Parrived out of range");
    }
    mt_check(mt_arrives(side->request, PARTITIONS - 1, 10.0), "the last partition is missing");
    mt_expect(comm, MPI_Parrived(side->request, PARTITIONS, &flag), MPI_ERR_ARG,
              "MPI_Parrived out of range, later");
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    mt_side_verify(side, -1, 0);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    foreign_requests(comm);
    mt_result("MPI_Parrived refuses ordinary requests");
    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, 100, 1, TAG, comm);
        send(&side, comm);
    } else {
        mt_precv(&side, PARTITIONS, 100, 0, TAG, comm);
        receive(&side, comm);
    }
    mt_result("MPI_Parrived refuses partitioned sends and indices out of range");
    mt_cycle(&side, 1);
    mt_drop(&side);
    mt_expect_quiet("the channel afterwards");
    mt_result("the channel works afterwards");
    MPI_Comm_free(&comm);
    return mt_end();
}
