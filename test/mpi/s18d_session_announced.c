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

#include <stdio.h>
#include <string.h>

#define PARTITIONS 4
#define BYTES      5000
#define PATIENCE   20.0 /* seconds */

static char out[PARTITIONS * BYTES], in[PARTITIONS * BYTES];

static void open_send(int tag, MPI_Comm comm, MPI_Request *request)
{
    MPI_Psend_init(out, PARTITIONS, BYTES, MPI_CHAR, 1, tag, comm, MPI_INFO_NULL, request);
}

static void open_receive(int tag, MPI_Comm comm, MPI_Request *request)
{
    MPI_Precv_init(in, PARTITIONS, BYTES, MPI_CHAR, 0, tag, comm, MPI_INFO_NULL, request);
}

static void move(MPI_Request *request, int round)
{
    int code = MPI_SUCCESS;

    memset(0 == mt_rank() ? out : in, 0 == mt_rank() ? 10 + round : 0, sizeof(out));
    MPI_Start(request);
    if (0 == mt_rank()) {
        MPI_Pready_range(0, PARTITIONS - 1, *request);
    }
    if (!mt_check(mt_wait(request, PATIENCE, MPI_STATUS_IGNORE, &code), "round %d hangs", round)) {
        mt_give_up("it waits for ever");
    }
    mt_check(MPI_SUCCESS == code, "round %d fails", round);
    for (size_t i = 0; 1 == mt_rank() && i < sizeof(in); i++) {
        mt_check(10 + round == in[i], "round %d: wrong data", round);
    }
}

int main(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Request first, second = MPI_REQUEST_NULL;
    MPI_Comm comm;

    MPI_Init(NULL, NULL);
    if (MPI_SUCCESS != MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session)
        || MPI_COMM_NULL == (comm = mt_session_world(session, "mpix-partitioned.test.s18d"))) {
        printf("1..0 # SKIP this MPI makes no communicator from a session\n");
        MPI_Finalize();
        return 0;
    }
    mt_begin_on(comm);
    (0 == mt_rank() ? open_send : open_receive)(1, comm, &first);
    move(&first, 1);
    if (0 == mt_rank()) {
        MPI_Request_free(&first);
        open_send(2, comm, &second);
    } else {
        mt_sleep(0.3); /* it has come, and few calls of progress are made from here on */
    }
    MPI_Barrier(comm);
    if (1 == mt_rank()) {
        MPI_Request_free(&first);
    }
    MPI_Finalize();
    if (1 == mt_rank()) {
        open_receive(2, comm, &second);
    }
    for (int round = 2; round < 5; round++) {
        move(&second, round);
    }
    MPI_Request_free(&second);
    mt_result("what was announced before MPI_Finalize is met after it");
    int status = mt_end();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return status;
}
