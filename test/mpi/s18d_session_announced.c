/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S18. A send on a session's communicator has been announced, and nobody has looked at that, when
 * MPI_Finalize ends the World Model, and no other request needs the communicator: its receive,
 * initialised afterwards, meets it.
 */

#include "../support/side.h"


#define PARTITIONS 4
#define BYTES      5000

int main(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    mt_side_t first, second;
    MPI_Comm comm;

    MPI_Init(NULL, NULL);
    comm = mt_session_open(&session, "mpix-partitioned.test.s18d");
    if (MPI_COMM_NULL == comm) {
        MPI_Finalize();
        return 0;
    }
    mt_begin_on(comm);
    mt_one_way(&first, PARTITIONS, BYTES, 1, comm);
    mt_cycle(&first, 0);
    if (0 == mt_rank()) {
        mt_drop(&first);
        mt_one_way(&second, PARTITIONS, BYTES, 2, comm);
    } else {
        mt_sleep(0.3); /* it has come, and few calls of progress are made from here on */
    }
    MPI_Barrier(comm);
    if (1 == mt_rank()) {
        mt_drop(&first);
    }
    MPI_Finalize();
    if (1 == mt_rank()) {
        mt_one_way(&second, PARTITIONS, BYTES, 2, comm);
    }
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_cycle(&second, iteration);
    }
    mt_drop(&second);
    mt_result("what was announced before MPI_Finalize is met after it");
    int status = mt_end();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return status;
}
