/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A peer that makes its first partitioned call long after the other side has started is late, not
 * absent: nobody fails. Ranks 0 and 1: the receive waits; ranks 2 and 3: the send waits. Before
 * that the two have not said a word to each other, so PMIx may know nothing of the late one.
 *
 * Arguments: how many seconds the send, and the receive, is late.
 */

#include "../support/mpitest.h"

#include <stdlib.h>
#include <time.h>

enum { PARTITIONS = 4, COUNT = 100, TAG = 112 };

static int partition_of(int rank, int i)
{
    return 1000 * rank + i;
}

int main(int argc, char **argv)
{
    int rank, size, buffer[PARTITIONS * COUNT], wrong = 0, status;
    struct timespec pause = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank < size / 2 * 2) {
        int peer = rank ^ 1;
        bool sends = rank / 2 % 2 != rank % 2; /* 1 and 2 */

        pause.tv_sec = 1 == rank % 2 ? atoi(argv[1 + rank / 2 % 2]) : 0;
        nanosleep(&pause, NULL); /* not inside MPI */
        for (int i = 0; i < PARTITIONS * COUNT; i++) {
            buffer[i] = sends ? partition_of(rank, i) : -1;
        }
        if (sends) {
            MPI_Psend_init(buffer, PARTITIONS, COUNT, MPI_INT, peer, TAG, MPI_COMM_WORLD,
                           MPI_INFO_NULL, &request);
        } else {
            MPI_Precv_init(buffer, PARTITIONS, COUNT, MPI_INT, peer, TAG, MPI_COMM_WORLD,
                           MPI_INFO_NULL, &request);
        }
        MPI_Start(&request);
        if (sends) {
            MPI_Pready_range(0, PARTITIONS - 1, request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; !sends && i < PARTITIONS * COUNT; i++) {
            wrong += partition_of(peer, i) != buffer[i];
        }
        MPI_Request_free(&request);
    }
    mt_begin_on(MPI_COMM_WORLD);
    mt_check(0 == wrong, "%d numbers are wrong", wrong);
    mt_result("peers that are %s and %s seconds late are waited for", argv[1], argv[2]);
    status = mt_end();
    MPI_Finalize();
    return status;
}
