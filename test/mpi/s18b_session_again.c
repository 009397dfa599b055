/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S18. MPI may begin again: a second session, after the first one and all of MPI with it has
 * ended, has partitioned communication too. With pml/ob1, because Open MPI 5.0.7 itself does not
 * survive the second beginning with pml/ucx.
 */

#include "../support/side.h"

#include <string.h>

#define TAG        181
#define PARTITIONS 4
#define BYTES      5000
#define ITERATIONS 3

/* A ring of channels, with nothing of the test's support that lives in one session only. */
static bool ring(MPI_Comm comm)
{
    static char out[PARTITIONS * BYTES], in[PARTITIONS * BYTES];
    MPI_Request request[2];
    bool good = true;
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Psend_init(out, PARTITIONS, BYTES, MPI_CHAR, (rank + 1) % size, TAG, comm, MPI_INFO_NULL,
                   &request[0]);
    MPI_Precv_init(in, PARTITIONS, BYTES, MPI_CHAR, (rank + size - 1) % size, TAG, comm,
                   MPI_INFO_NULL, &request[1]);
    for (int i = 1; i <= ITERATIONS; i++) {
        memset(out, 10 * i + rank, sizeof(out));
        MPI_Startall(2, request);
        MPI_Pready_range(0, PARTITIONS - 1, request[0]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        for (size_t k = 0; k < sizeof(in); k++) {
            good = good && in[k] == 10 * i + (rank + size - 1) % size;
        }
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    return good;
}

int main(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Comm comm;
    bool good;

    mt_watch();
    comm = mt_session_open(&session, "mpix-partitioned.test.s18b.first");
    if (MPI_COMM_NULL == comm) {
        return 0;
    }
    good = ring(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);

    /* Open MPI 5.0.7 may wait for ever in here, less often where all processes have ended before
     * one begins again. launch.sh knows this stage, and that none of our code is in the stacks. */
    mt_stage("Open MPI begins again");
    mt_sleep(0.5);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    comm = mt_session_world(session, "mpix-partitioned.test.s18b.second");
    mt_begin_on(comm);
    mt_check(good, "wrong data in the first session");
    mt_check(ring(comm), "wrong data in the second session");
    mt_result("a ring of channels in a second session");
    int status = mt_end();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return status;
}
