/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S17. Intercommunicators work: the rank refers to the remote group, and the remote rank is in the
 * status.
 */

#include "../support/side.h"

#define TAG 17

/* Group A is rank 0, group B are the others; the peers are A's rank 0 and B's last rank. */
static MPI_Comm make_intercomm(MPI_Comm *local)
{
    MPI_Comm inter;
    int group = 0 == mt_rank() ? 0 : 1;

    MPI_Comm_split(MPI_COMM_WORLD, group, mt_rank(), local);
    MPI_Intercomm_create(*local, 0, MPI_COMM_WORLD, 0 == group ? 1 : 0, 170, &inter);
    return inter;
}

static void open_side(mt_side_t *side, MPI_Comm inter, bool sending, int remote)
{
    if (sending) {
        mt_psend(side, 4, 1000, remote, TAG, inter);
    } else {
        mt_precv(side, 4, 1000, remote, TAG, inter);
    }
}

static void iterate(mt_side_t *side, int remote)
{
    for (int i = 0; i < 3; i++) {
        MPI_Status status;
        mt_start(side);
        if (side->sending) {
            mt_side_fill(side, -1, i);
            mt_ready(side, -1);
            mt_finish(&side->request, MPI_STATUS_IGNORE);
        } else {
            mt_check(mt_arrives(side->request, 3, 5.0), "partition 3 not there");
            mt_finish(&side->request, &status);
            mt_side_verify(side, -1, i);
            mt_check(remote == status.MPI_SOURCE && TAG == status.MPI_TAG,
                     "status has source %d and tag %d, expected %d and %d", status.MPI_SOURCE,
                     status.MPI_TAG, remote, TAG);
        }
    }
}

static void exchange(MPI_Comm inter, bool to_b)
{
    mt_side_t side;
    int last = mt_size() - 2; /* of group B */
    bool in_a = 0 == mt_rank();
    int remote = in_a ? last : 0;

    if (in_a || mt_rank() == last + 1) {
        open_side(&side, inter, in_a == to_b, remote);
        if (MPI_REQUEST_NULL != side.request) {
            iterate(&side, remote);
        }
        mt_expect_quiet("a channel on an intercommunicator");
        mt_drop(&side);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm local;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 3);
    MPI_Comm inter = make_intercomm(&local);
    mt_errors_watch(inter);
    exchange(inter, true);
    mt_result("from group A to group B of an intercommunicator");
    exchange(inter, false);
    mt_result("from group B to group A of an intercommunicator");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    return mt_end();
}
