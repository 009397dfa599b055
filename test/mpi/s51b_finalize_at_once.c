/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S51. MPI_Finalize right after the requests are freed succeeds without extra synchronisation: one
 * side is in MPI_Finalize while the other has not yet looked at its data or not yet freed its
 * request; also after a channel that never moved anything, and when the one that is in MPI_Finalize
 * has freed its receive before the send was initialised. (The watchdog stays armed through
 * MPI_Finalize, in every test.) Under Slurm's srun it waits for nobody: what is freed there may
 * have a peer that has left. Everywhere else the thread gets the same signals afterwards as before.
 */

#include "../support/side.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define TAG 51

enum { USED, USED_RECEIVER_LATE, UNUSED, UNUSED_RECEIVER_LATE, ANNOUNCED_LATE };

static int end(void)
{
    int status = mt_end();
    sigset_t blocked;

    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    if (NULL == getenv("SLURM_JOB_ID") && sigismember(&blocked, SIGPIPE)) {
        puts("# SIGPIPE is blocked after MPI_Finalize");
        status = EXIT_FAILURE;
    }
    return status;
}

/* The case comes as the first argument. */
int main(int argc, char **argv)
{
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    int kind = argc > 1 ? atoi(argv[1]) : USED;
    size_t bytes = USED == kind ? 16 : 400000;
    int late = USED_RECEIVER_LATE == kind || UNUSED_RECEIVER_LATE == kind ? 1 : 0;

    if (ANNOUNCED_LATE == kind && late == mt_rank()) {
        mt_sleep(0.15);
    }
    mt_one_way(&side, 4, bytes, TAG, MPI_COMM_WORLD);
    mt_result("case %d: what follows ends in MPI_Finalize", kind);
    if (kind < UNUSED) {
        mt_cycle(&side, 0);
        mt_start(&side);
        if (side.sending) {
            mt_side_fill(&side, -1, 1);
            mt_ready(&side, -1);
        } else {
            mt_sleep(0.1);
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        if (!side.sending) {
            mt_side_verify(&side, -1, 1);
        }
    }
    if (ANNOUNCED_LATE != kind && late == mt_rank()) {
        mt_sleep(0.15);
    }
    mt_drop(&side);
    return end();
}
