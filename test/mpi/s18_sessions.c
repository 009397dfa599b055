/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S18. Communicators that come from a session work; the program never calls MPI_Init and has no
 * MPI_COMM_WORLD.
 */

#include "../support/side.h"


#define TAG 18

static void exchange(MPI_Comm comm)
{
    mt_side_t out;
    mt_side_t in;
    int right = (mt_rank() + 1) % mt_size();
    int left = (mt_rank() + mt_size() - 1) % mt_size();

    mt_psend(&out, 4, 3000, right, TAG, comm);
    mt_precv(&in, 6, 2000, left, TAG, comm);
    for (int i = 0; i < 3; i++) {
        mt_start(&in);
        mt_cycle(&out, i);
        mt_finish(&in.request, MPI_STATUS_IGNORE);
        mt_side_verify(&in, -1, i);
        mt_side_wipe(&in);
    }
    mt_drop(&out);
    mt_drop(&in);
}

int main(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Comm comm;

    comm = mt_session_open(&session, "mpix-partitioned.test.s18");
    if (MPI_COMM_NULL == comm) {
        return 0;
    }
    mt_begin_on(comm);
    exchange(comm);
    mt_result("a ring of channels on a communicator from a session");
    int status = mt_end();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return status;
}
