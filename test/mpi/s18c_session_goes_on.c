/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S18. MPI_Finalize ends the World Model, not the sessions that a program has besides: channels on
 * a session's communicator meet, move data and fail afterwards as before. With pml/ob1, as s18b;
 * and with an initial error handler that returns, which Open MPI asks, too, when World has gone.
 */

#include "../support/side.h"

#include <string.h>

#define PARTITIONS 4
#define BYTES      5000
#define PATIENCE   20.0 /* seconds */

enum { EARLY_TAG = 182, LATE_TAG, BROKEN_TAG };

static char out[PARTITIONS * BYTES], in[PARTITIONS * BYTES];

static MPI_Request sender(int tag, MPI_Comm comm)
{
    MPI_Request request;

    MPI_Psend_init(out, PARTITIONS, BYTES, MPI_CHAR, 1, tag, comm, MPI_INFO_NULL, &request);
    return request;
}

static MPI_Request receiver(int tag, MPI_Comm comm)
{
    MPI_Request request;

    MPI_Precv_init(in, PARTITIONS, BYTES, MPI_CHAR, 0, tag, comm, MPI_INFO_NULL, &request);
    return request;
}

static void move(MPI_Request *request, int round)
{
    int code = MPI_SUCCESS;

    memset(0 == mt_rank() ? out : in, 0 == mt_rank() ? 10 + round : 0, sizeof(out));
    MPI_Start(request);
    if (0 == mt_rank()) {
        MPI_Pready_range(0, PARTITIONS - 1, *request);
    }
    mt_check(mt_wait(request, PATIENCE, MPI_STATUS_IGNORE, &code), "round %d hangs", round);
    mt_check(MPI_SUCCESS == code, "round %d fails", round);
    for (size_t i = 0; 1 == mt_rank() && i < sizeof(in); i++) {
        mt_check(10 + round == in[i], "round %d: wrong data", round);
    }
}

/* Its other end has been freed while both were inactive. */
static void is_told(MPI_Request *request)
{
    int code = MPI_SUCCESS;

    if (1 == mt_rank()) {
        MPI_Request_free(request);
        mt_sleep(0.5);
        return;
    }
    MPI_Start(request);
    MPI_Pready_range(0, PARTITIONS - 1, *request);
    mt_check(mt_wait(request, PATIENCE, MPI_STATUS_IGNORE, &code), "it hangs");
    mt_check(MPI_ERR_OTHER == mt_error_class(code), "it ends with %s",
             mt_class_name(mt_error_class(code)));
    mt_free_failed(request);
}

int main(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Request early, late, broken;
    MPI_Comm comm;

    MPI_Init(NULL, NULL);
    comm = mt_session_open(&session, "mpix-partitioned.test.s18c");
    if (MPI_COMM_NULL == comm) {
        MPI_Finalize();
        return 0;
    }
    mt_begin_on(comm);
    early = 0 == mt_rank() ? sender(EARLY_TAG, comm) : receiver(EARLY_TAG, comm);
    broken = 0 == mt_rank() ? sender(BROKEN_TAG, comm) : receiver(BROKEN_TAG, comm);
    move(&early, 1);
    move(&broken, 2);
    late = 0 == mt_rank() ? sender(LATE_TAG, comm) : MPI_REQUEST_NULL;
    MPI_Finalize();
    if (1 == mt_rank()) {
        late = receiver(LATE_TAG, comm);
    }
    move(&early, 3);
    mt_result("a channel of a session goes on after MPI_Finalize");
    move(&late, 4);
    move(&late, 5);
    mt_result("one whose ends meet only then");
    is_told(&broken);
    mt_result("the end of the other one is told");
    MPI_Request_free(&early);
    MPI_Request_free(&late);
    int status = mt_end();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return status;
}
