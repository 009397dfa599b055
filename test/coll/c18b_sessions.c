/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A communicator that comes from a session: the program never calls MPI_Init. Partitioned
 * collectives, and MPI's persistent ones, also on a communicator of some of the processes only.
 * With MPIX_TEST_PERSISTENT, and coll_pschedule_persistent on, all of these must be served.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#define CUT   4
#define COUNT 100

/* All but rank 0, in the other order; there MPI_COMM_NULL. */
static MPI_Comm some_of(MPI_Session session)
{
    int range[1][3] = {{mt_size() - 1, 1, -1}};
    MPI_Group world, group;
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Group_range_incl(world, 1, range, &group);
    if (0 != mt_rank()) {
        MPI_Comm_create_from_group(group, "mpix-partitioned.test.c18.some", MPI_INFO_NULL,
                                   MPI_ERRORS_RETURN, &comm);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
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

/* Two at a time. The communicator is freed first where all are served: Open MPI's own component
 * does not keep it. */
static void run_persistent(MPI_Comm comm)
{
    static int from[COUNT], sum[COUNT], spread[COUNT];
    long long served = pc_served();
    MPI_Request request[2];
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mt_success(MPI_Allreduce_init(from, sum, COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                  &request[0]),
               "MPI_Allreduce_init");
    mt_success(MPI_Bcast_init(spread, COUNT, MPI_INT, size - 1, comm, MPI_INFO_NULL, &request[1]),
               "MPI_Bcast_init");
    mt_check(!pc_is_persistent() || pc_served() == served + 2, "%lld were served",
             pc_served() - served);
    if (pc_is_persistent()) {
        MPI_Comm_free(&comm);
    }
    for (int iteration = 0; iteration < 3; iteration++) {
        for (int i = 0; i < COUNT; i++) {
            from[i] = rank + i + iteration;
            spread[i] = size - 1 == rank ? 3 * i + iteration : -1;
        }
        mt_success(MPI_Startall(2, request), "MPI_Startall");
        mt_success(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), "MPI_Waitall");
        for (int i = 0; i < COUNT; i++) {
            mt_check(sum[i] == size * (size - 1) / 2 + size * (i + iteration)
                         && spread[i] == 3 * i + iteration,
                     "iteration %d: elements %d are %d and %d", iteration, i, sum[i], spread[i]);
        }
    }
    mt_free(&request[0]);
    mt_free(&request[1]);
    if (MPI_COMM_NULL != comm) {
        MPI_Comm_free(&comm);
    }
}

int main(void)
{
    MPI_Session session;
    MPI_Comm comm, some;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    comm = mt_session_world(session, "mpix-partitioned.test.c18");
    mt_begin_on(comm);
    run(comm);
    mt_result("an allreduce on a communicator of a session");
    run_persistent(mt_session_world(session, "mpix-partitioned.test.c18"));
    mt_result("MPI's persistent collectives on such a communicator");
    some = some_of(session);
    if (MPI_COMM_NULL != some) {
        run_persistent(some);
    }
    mt_result("the same on one of some processes");
    int status = mt_end();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return status;
}
