/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A communicator that comes from a session: the program never calls MPI_Init.
 */

#include "../support/mpitest.h"

#include <mpix_partitioned.h>

#define CUT   4
#define COUNT 100

static MPI_Comm world_of(MPI_Session session)
{
    MPI_Group group;
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpix-partitioned.test.c18", MPI_INFO_NULL,
                               MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void run(MPI_Comm comm)
{
    int values[CUT * COUNT];
    int sum = mt_size() * (mt_size() - 1) / 2;
    MPI_Request request = MPI_REQUEST_NULL;

    mt_success(MPIX_Pallreduce_init(MPI_IN_PLACE, values, CUT, COUNT, MPI_INT, MPI_SUM, comm,
                                    MPI_INFO_NULL, &request),
               "MPIX_Pallreduce_init");
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_success(MPI_Start(&request), "MPI_Start");
        for (int p = CUT - 1; p >= 0; p--) {
            for (int i = 0; i < COUNT; i++) {
                values[p * COUNT + i] = mt_rank() + i + iteration;
            }
            mt_success(MPI_Pready(p, request), "MPI_Pready");
        }
        mt_finish(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < CUT * COUNT; i++) {
            mt_check(values[i] == sum + mt_size() * (i % COUNT + iteration),
                     "iteration %d: element %d is %d", iteration, i, values[i]);
        }
    }
    mt_free(&request);
}

int main(void)
{
    MPI_Session session;
    MPI_Comm comm;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    comm = world_of(session);
    mt_begin_on(comm);
    run(comm);
    mt_result("an allreduce on a communicator of a session");
    int status = mt_end();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return status;
}
