/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S43. The status of a receive: source, tag, error, and Get_count = partitions x count elements of
 * the receive type, whatever the sender's partitions and type; the same from every completion
 * call.
 */

#include "../support/side.h"

#define TAG             43
#define RECV_PARTITIONS 3
#define RECV_COUNT      8
#define SEND_PARTITIONS 4
#define SEND_COUNT      12 /* ints: 48 in total, as 3 x 8 pairs */

static MPI_Datatype pair_type(void)
{
    MPI_Datatype inner;
    MPI_Datatype type;

    MPI_Type_contiguous(2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 4 * (MPI_Aint) sizeof(int), &type);
    MPI_Type_free(&inner);
    MPI_Type_commit(&type);
    return type;
}

static void check(const MPI_Status *status, MPI_Datatype type, int source, int tag,
                  const char *call)
{
    int count = -1;
    int elements = -1;
    int cancelled = -1;

    MPI_Get_count(status, type, &count);
    MPI_Get_elements(status, type, &elements);
    MPI_Test_cancelled(status, &cancelled);
    mt_check(status->MPI_SOURCE == source && status->MPI_TAG == tag, "%s: source %d, tag %d", call,
             status->MPI_SOURCE, status->MPI_TAG);
    mt_check(RECV_PARTITIONS * RECV_COUNT == count && 2 * count == elements && 0 == cancelled,
             "%s: Get_count %d, Get_elements %d, cancelled %d", call, count, elements, cancelled);
}

enum { WAIT, TEST, WAITALL, TESTALL, WAITANY, TESTANY, WAITSOME, TESTSOME, GET_STATUS, CALLS };

static const char *const names[CALLS] = {"MPI_Wait",    "MPI_Test",     "MPI_Waitall",
                                         "MPI_Testall", "MPI_Waitany",  "MPI_Testany",
                                         "MPI_Waitsome", "MPI_Testsome", "MPI_Request_get_status"};

/* One call; a Test is repeated until it says so. Returns its code. */
static int call_once(MPI_Request *request, int call, int *done, MPI_Status *status)
{
    int index = 0;

    *done = 1;
    switch (call) {
    case WAIT:
        return MPI_Wait(request, status);
    case TEST:
        return MPI_Test(request, done, status);
    case WAITALL:
        return MPI_Waitall(1, request, status);
    case TESTALL:
        return MPI_Testall(1, request, done, status);
    case WAITANY:
        return MPI_Waitany(1, request, &index, status);
    case TESTANY:
        return MPI_Testany(1, request, &index, done, status);
    case WAITSOME:
        return MPI_Waitsome(1, request, done, &index, status);
    case TESTSOME:
        return MPI_Testsome(1, request, done, &index, status);
    default:
        return MPI_Request_get_status(*request, done, status);
    }
}

static void complete(MPI_Request *request, int call, MPI_Status *status)
{
    int done = 0;

    mt_stage("%s", names[call]);
    while (!done) {
        *status = (MPI_Status){.MPI_SOURCE = -5, .MPI_TAG = -5, .MPI_ERROR = MPI_SUCCESS};
        if (!mt_success(call_once(request, call, &done, status), names[call])) {
            break;
        }
    }
    if (GET_STATUS == call) {
        mt_finish(request, MPI_STATUS_IGNORE);
    }
}

static void receive(int source, int tag)
{
    int buffer[RECV_PARTITIONS * RECV_COUNT * 4];
    MPI_Datatype type = pair_type();
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;

    mt_success(MPI_Precv_init(buffer, RECV_PARTITIONS, RECV_COUNT, type, source, tag,
                              MPI_COMM_WORLD, MPI_INFO_NULL, &request),
               "MPI_Precv_init");
    for (int call = 0; call < CALLS; call++) {
        mt_success(MPI_Start(&request), "MPI_Start");
        complete(&request, call, &status);
        check(&status, type, source, tag, names[call]);
        mt_check(MPI_SUCCESS == status.MPI_ERROR, "%s: MPI_ERROR is %d", names[call],
                 status.MPI_ERROR);
    }
    mt_free(&request);
    MPI_Type_free(&type);
}

static void send(int dest, int tag)
{
    int buffer[SEND_PARTITIONS * SEND_COUNT] = {0};
    MPI_Request request = MPI_REQUEST_NULL;

    mt_success(MPI_Psend_init(buffer, SEND_PARTITIONS, SEND_COUNT, MPI_INT, dest, tag,
                              MPI_COMM_WORLD, MPI_INFO_NULL, &request),
               "MPI_Psend_init");
    for (int call = 0; call < CALLS; call++) {
        mt_success(MPI_Start(&request), "MPI_Start");
        mt_success(MPI_Pready_range(0, SEND_PARTITIONS - 1, request), "MPI_Pready_range");
        mt_finish(&request, MPI_STATUS_IGNORE);
    }
    mt_free(&request);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (0 == mt_rank()) {
        receive(1, TAG);
    } else if (1 == mt_rank()) {
        send(0, TAG);
    }
    mt_result("source, tag and count of a receive from rank 1");
    if (1 == mt_rank()) {
        receive(0, 32767);
    } else if (0 == mt_rank()) {
        send(1, 32767);
    }
    mt_result("source, tag and count of a receive from rank 0 with the largest portable tag");
    return mt_end();
}
