/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S47 and S5. Sends are freed unstarted whose receives have been started already. These wait for
 * the next sends, each in its old place: all of them get their data in the order of their init
 * calls, and younger ones do not overtake.
 */

#include "../support/side.h"

#define TAG      47
#define RECEIVES 4
#define ROUNDS   16 /* every choice of withdrawn sends */

static bool is_withdrawn(int round, int send)
{
    return 0 != (round >> send & 1);
}

/* The sends that are started in the end, oldest first; those withdrawn are made once more. */
static int sends(int round, mt_side_t side[RECEIVES])
{
    mt_side_t first[RECEIVES];
    int kept = 0;

    for (int i = 0; i < RECEIVES; i++) {
        mt_psend(&first[i], 2, 1000, 1, TAG, MPI_COMM_WORLD);
    }
    mt_sync();
    mt_progress(0.01); /* matched now, and the receives started */
    mt_sync();
    for (int i = 0; i < RECEIVES; i++) {
        if (is_withdrawn(round, i)) {
            mt_drop(&first[i]);
        } else {
            side[kept++] = first[i];
        }
    }
    return kept;
}

static void send(int round)
{
    mt_side_t side[RECEIVES];
    int kept = sends(round, side);

    mt_sync();
    mt_progress(0.01); /* the withdrawals have come */
    mt_sync();
    for (int i = kept; i < RECEIVES; i++) {
        mt_psend(&side[i], 2, 1000, 1, TAG, MPI_COMM_WORLD);
    }
    for (int i = 0; i < RECEIVES; i++) {
        side[i].seed = (uint64_t) i;
        mt_start(&side[i]);
        mt_side_fill(&side[i], -1, 0);
        mt_ready(&side[i], -1);
    }
    for (int i = 0; i < RECEIVES; i++) {
        mt_finish(&side[i].request, MPI_STATUS_IGNORE);
        mt_cycle(&side[i], 1);
        mt_drop(&side[i]);
    }
}

/* Whose data a receive gets: its own send's, or those of the next one made afterwards. */
static uint64_t expected(int round, int receive)
{
    uint64_t kept = 0, before = 0;

    for (int i = 0; i < RECEIVES; i++) {
        kept += is_withdrawn(round, i) ? 0 : 1;
        before += i < receive && is_withdrawn(round, i) == is_withdrawn(round, receive) ? 1 : 0;
    }
    return before + (is_withdrawn(round, receive) ? kept : 0);
}

static void receive(int round)
{
    mt_side_t side[RECEIVES];

    for (int i = 0; i < RECEIVES; i++) {
        mt_precv(&side[i], 2, 1000, 0, TAG, MPI_COMM_WORLD);
        side[i].seed = expected(round, i);
    }
    for (int i = 0; i < RECEIVES; i++) {
        mt_start(&side[i]);
    }
    mt_sync();
    mt_progress(0.01);
    mt_sync();
    mt_sync();
    mt_progress(0.01);
    mt_sync();
    for (int i = 0; i < RECEIVES; i++) {
        mt_finish(&side[i].request, MPI_STATUS_IGNORE);
        mt_side_verify(&side[i], -1, 0);
    }
    for (uint64_t next = 0; next < RECEIVES; next++) {
        for (int i = 0; i < RECEIVES; i++) {
            if (next == side[i].seed) {
                mt_cycle(&side[i], 1);
                mt_drop(&side[i]);
            }
        }
    }
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int round = 0; round < ROUNDS; round++) {
        mt_stage("round %d", round);
        if (0 == mt_rank()) {
            send(round);
        } else {
            receive(round);
        }
    }
    mt_result("receives that run when their sends are freed unstarted get the next sends' data, in "
              "the order of their init calls");
    return mt_end();
}
