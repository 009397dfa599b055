/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S1. Psend_init and Precv_init are local: each returns although the peer has not called its own.
 *
 * The peer calls its init only after a message that the first process sends when its own init has
 * returned: an init that waits for the peer never gets there.
 */

#include "../support/side.h"

#define TAG       1
#define TOKEN_TAG 100
#define TRIES     3
#define SLEEP     0.4

/* The rank named by first initialises, and only then lets the other rank do the same. */
static void init_in_turn(int first, int iteration)
{
    mt_side_t side;
    int token = 17;

    if (mt_rank() != first) {
        MPI_Recv(&token, 1, MPI_INT, first, TOKEN_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    mt_one_way(&side, 4, 1000, TAG, MPI_COMM_WORLD);
    if (mt_rank() == first) {
        MPI_Send(&token, 1, MPI_INT, 1 - first, TOKEN_TAG, MPI_COMM_WORLD);
    }
    mt_cycle(&side, iteration);
    mt_drop(&side);
}

/* The sleeper is outside MPI the whole time. What waits for it takes that long always; a busy
 * machine holds a call up now and then. */
static void init_while_peer_sleeps(int sleeper)
{
    double quickest = 1e9;

    for (int try = 0; try < TRIES; try++) {
        mt_side_t side;

        mt_sync();
        if (mt_rank() == sleeper) {
            mt_sleep(SLEEP);
        }
        double start = mt_now();
        if (0 == mt_rank()) {
            mt_precv(&side, 4, 1000, 1, TAG, MPI_COMM_WORLD);
        } else {
            mt_psend(&side, 4, 1000, 0, TAG, MPI_COMM_WORLD);
        }
        double took = mt_now() - start;
        quickest = took < quickest ? took : quickest;
        mt_cycle(&side, 2);
        mt_drop(&side);
    }
    mt_check(mt_rank() == sleeper || quickest < SLEEP / 2,
             "the init call took %.3f s while the peer slept %.1f s, at best", quickest, SLEEP);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    init_in_turn(0, 0);
    mt_result("MPI_Psend_init returns before the peer has called MPI_Precv_init");
    init_in_turn(1, 1);
    mt_result("MPI_Precv_init returns before the peer has called MPI_Psend_init");
    init_while_peer_sleeps(0);
    mt_result("MPI_Psend_init does not wait for a peer that is outside MPI");
    init_while_peer_sleeps(1);
    mt_result("MPI_Precv_init does not wait for a peer that is outside MPI");
    return mt_end();
}
