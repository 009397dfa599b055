/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S47. Requests are freed unstarted, and their communicator at once, by one rank before the other
 * has made its own. What they tell each other then comes late. It must not get into the next
 * communicator, which has the same number in Open MPI: that one's messages would be lost. And
 * communicators must go in the end, or the numbers would be used up.
 */

#include "../support/side.h"

#define TAG    47
#define ROUNDS 60

/* Who is late, and by how much: the sender, the receiver, or both about the same. */
static void be_late(mt_random_t *own, int round)
{
    if (mt_rank() == round % 3) {
        mt_sleep(0.01);
    } else if (2 == round % 3) {
        mt_sleep(1e-5 * mt_random_below(own, 30));
    }
}

static void free_unstarted(mt_random_t *own, int round)
{
    int requests = 1 + round % 2;
    MPI_Comm comm;
    mt_side_t side[2];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    be_late(own, round);
    for (int i = 0; i < requests; ++i) {
        mt_one_way(&side[i], 4, 1000, TAG, comm);
    }
    if (0 == mt_random_below(own, 3)) {
        mt_progress(0.0002);
    }
    for (int i = 0; i < requests; ++i) {
        mt_drop(&side[i]);
    }
    MPI_Comm_free(&comm);
}

/* Traffic on the next one. Its handle is a small number, if the others are gone. */
static void use_next(int round)
{
    int mine = 1000 * round + mt_rank(), theirs = -1;
    MPI_Comm comm;

    mt_progress(0.0005);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 5; ++i) {
        MPI_Sendrecv(&mine, 1, MPI_INT, 1 - mt_rank(), TAG, &theirs, 1, MPI_INT, 1 - mt_rank(),
                     TAG, comm, MPI_STATUS_IGNORE);
        mt_check(theirs == 1000 * round + 1 - mt_rank(), "got %d in round %d", theirs, round);
    }
    mt_check(MPI_Comm_c2f(comm) < ROUNDS / 2, "communicators stay: the next one is number %d",
             (int) MPI_Comm_c2f(comm));
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    mt_random_t own;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&own, (uint64_t) (4704 + mt_rank()));
    for (int round = 0; round < ROUNDS; ++round) {
        mt_stage("round %d", round);
        free_unstarted(&own, round);
        use_next(round);
    }
    mt_result("%d communicators, freed with requests that were never started", ROUNDS);
    return mt_end();
}
