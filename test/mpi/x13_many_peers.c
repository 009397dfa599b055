/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All to all with many ranks: every rank has a channel to and from every other one, at the same
 * time, and the data are right. Says what that takes: descriptors and resident memory per peer.
 *
 * Argument: descriptors that a peer may take at most.
 */

#include "../support/mpitest.h"
#include "../support/usage.h"

#include <stdio.h>
#include <stdlib.h>

enum { PARTITIONS = 4, COUNT = 64, ITERATIONS = 3, TAG = 113 };

typedef struct {
    int to[PARTITIONS * COUNT];
    int from[PARTITIONS * COUNT];
    MPI_Request request[2];
} peer_t;

static int value(int from, int to, int i, int iteration)
{
    return ((from * 1000 + to) * ITERATIONS + iteration) * 1000 + i;
}

static void connect_all(peer_t *peer, int me, int size)
{
    for (int distance = 0; distance < size; distance++) {
        int to = (me + distance) % size, from = (me + size - distance) % size;

        MPI_Psend_init(peer[to].to, PARTITIONS, COUNT, MPI_INT, to, TAG, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &peer[to].request[0]);
        MPI_Precv_init(peer[from].from, PARTITIONS, COUNT, MPI_INT, from, TAG, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &peer[from].request[1]);
    }
}

static int exchange(peer_t *peer, int me, int size, int iteration)
{
    int wrong = 0;

    for (int other = 0; other < size; other++) {
        for (int i = 0; i < PARTITIONS * COUNT; i++) {
            peer[other].to[i] = value(me, other, i, iteration);
            peer[other].from[i] = -1;
        }
        MPI_Startall(2, peer[other].request);
        MPI_Pready_range(0, PARTITIONS - 1, peer[other].request[0]);
    }
    for (int other = 0; other < size; other++) {
        MPI_Waitall(2, peer[other].request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < PARTITIONS * COUNT; i++) {
            wrong += value(other, me, i, iteration) != peer[other].from[i];
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    int me = mt_rank(), size = mt_size(), wrong = 0;
    peer_t *peer = mt_alloc((size_t) size * sizeof(*peer));
    mt_usage_t before, after;
    long more[2], most[2];

    /* What Open MPI itself takes for a peer comes first. */
    MPI_Alltoall(peer[0].to, 1, MPI_INT, peer[0].from, 1, MPI_INT, MPI_COMM_WORLD);
    for (int other = 0; other < size; other++) {
        MPI_Sendrecv(&me, 1, MPI_INT, (me + other) % size, TAG, &wrong, 1, MPI_INT,
                     (me + size - other) % size, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    wrong = 0;
    before = mt_usage();
    connect_all(peer, me, size);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        wrong += exchange(peer, me, size, iteration);
    }
    mt_check(0 == wrong, "%d numbers are wrong", wrong);
    after = mt_usage();
    more[0] = after.files - before.files;
    more[1] = ((long) after.resident - (long) before.resident) / 1024;
    MPI_Allreduce(more, most, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    mt_check(most[0] < 64 + (long) size * atoi(argv[1]), "%ld descriptors more", most[0]);
    mt_result("all to all, %d ranks: at most %ld descriptors and %ld KiB more in a rank", size,
              most[0], most[1]);
    for (int other = 0; other < size; other++) {
        MPI_Request_free(&peer[other].request[0]);
        MPI_Request_free(&peer[other].request[1]);
    }
    free(peer);
    return mt_end();
}
