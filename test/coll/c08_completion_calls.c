/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All completion calls work on collective requests, MPI_Request_get_status does not complete them,
 * the status has neither source nor tag, and completed requests are inactive, not null.
 */

#include "../support/pcoll.h"

#include <sched.h>

#define REQUESTS 3

static const char *const names[] = {"MPI_Wait",    "MPI_Test",    "MPI_Waitall",  "MPI_Testall",
                                    "MPI_Waitany", "MPI_Testany", "MPI_Waitsome", "MPI_Testsome",
                                    "MPI_Request_get_status"};

static void check_status(const MPI_Status *status, const char *what)
{
    int count = -1;

    mt_check(MPI_ANY_SOURCE == status->MPI_SOURCE && MPI_ANY_TAG == status->MPI_TAG,
             "%s: source %d and tag %d", what, status->MPI_SOURCE, status->MPI_TAG);
    mt_success(MPI_Get_count(status, MPI_BYTE, &count), "MPI_Get_count");
    mt_check(0 == count, "%s: count %d", what, count);
}

static void one_by_one(int call, MPI_Request *requests)
{
    for (int i = 0; i < REQUESTS; i++) {
        MPI_Status status = {.MPI_SOURCE = -77, .MPI_TAG = -77};
        int flag = 0;

        if (0 == call) {
            mt_success(MPI_Wait(&requests[i], &status), "MPI_Wait");
        }
        while (1 == call && !flag) {
            mt_success(MPI_Test(&requests[i], &flag, &status), "MPI_Test");
        }
        check_status(&status, names[call]);
    }
}

static void all(int call, MPI_Request *requests)
{
    MPI_Status statuses[REQUESTS];
    int flag = 0;

    if (2 == call) {
        mt_success(MPI_Waitall(REQUESTS, requests, statuses), "MPI_Waitall");
    }
    while (3 == call && !flag) {
        mt_success(MPI_Testall(REQUESTS, requests, &flag, statuses), "MPI_Testall");
    }
    for (int i = 0; i < REQUESTS; i++) {
        check_status(&statuses[i], names[call]);
    }
}

static void any(int call, MPI_Request *requests)
{
    int seen[REQUESTS] = {0};

    for (int count = 0; count < REQUESTS;) {
        MPI_Status status;
        int index = MPI_UNDEFINED;
        int flag = 4 == call;

        if (4 == call) {
            mt_success(MPI_Waitany(REQUESTS, requests, &index, &status), "MPI_Waitany");
        } else {
            mt_success(MPI_Testany(REQUESTS, requests, &index, &flag, &status), "MPI_Testany");
        }
        if (!flag) {
            continue;
        }
        if (!mt_check(MPI_UNDEFINED != index, "nothing active after %d", count)) {
            return;
        }
        mt_check(0 == seen[index]++, "request %d completed twice", index);
        check_status(&status, names[call]);
        count++;
    }
}

static void some(int call, MPI_Request *requests)
{
    int seen[REQUESTS] = {0};
    int indices[REQUESTS];
    MPI_Status statuses[REQUESTS];

    for (int count = 0, done = 0; count < REQUESTS; count += done) {
        if (6 == call) {
            mt_success(MPI_Waitsome(REQUESTS, requests, &done, indices, statuses), "MPI_Waitsome");
        } else {
            mt_success(MPI_Testsome(REQUESTS, requests, &done, indices, statuses), "MPI_Testsome");
        }
        if (!mt_check(MPI_UNDEFINED != done, "nothing active after %d", count)) {
            return;
        }
        for (int i = 0; i < done; i++) {
            mt_check(0 == seen[indices[i]]++, "request %d completed twice", indices[i]);
            check_status(&statuses[i], names[call]);
        }
    }
}

/* Asked often, and asked again: the request stays active until MPI_Wait. */
static void look_only(MPI_Request *requests)
{
    for (int i = 0; i < REQUESTS; i++) {
        while (!mt_complete(requests[i])) {
            sched_yield();
        }
        mt_check(mt_complete(requests[i]), "complete, and then not");
        mt_success(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), "MPI_Wait");
    }
}

static void complete(int call, MPI_Request *requests)
{
    switch (call) {
    case 0:
    case 1:
        one_by_one(call, requests);
        break;
    case 2:
    case 3:
        all(call, requests);
        break;
    case 4:
    case 5:
        any(call, requests);
        break;
    case 6:
    case 7:
        some(call, requests);
        break;
    default:
        look_only(requests);
        break;
    }
}

/* Completed: a further completion call returns at once with an empty status; all has arrived. */
static void check_inactive(pc_t *pc)
{
    MPI_Status status;
    int flag = 0;

    mt_success(MPI_Wait(&pc->request, &status), "MPI_Wait on an inactive request");
    check_status(&status, "an inactive request");
    mt_success(MPI_Test(&pc->request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    mt_check(flag && MPI_REQUEST_NULL != pc->request, "a completed request is not inactive");
    for (int p = 0; p < pc->takes; p++) {
        mt_check(mt_arrived(pc->request, p), "%s: partition %d has not arrived after completion",
                 pc_text(pc), p);
    }
}

static void run(pc_t *pcs, int call, int iteration)
{
    MPI_Request requests[REQUESTS];

    for (int i = 0; i < REQUESTS; i++) {
        pc_wipe(&pcs[i], iteration);
        requests[i] = pcs[i].request;
    }
    mt_success(MPI_Startall(REQUESTS, requests), "MPI_Startall");
    for (int i = REQUESTS - 1; i >= 0; i--) {
        pc_mark_all(&pcs[i]);
    }
    complete(call, requests);
    for (int i = 0; i < REQUESTS; i++) {
        mt_check(requests[i] == pcs[i].request, "%s has changed the handle", names[call]);
        pc_verify(&pcs[i]);
        check_inactive(&pcs[i]);
    }
}

int main(int argc, char **argv)
{
    static const pc_kind_t kinds[REQUESTS] = {PC_ALLREDUCE, PC_BCAST, PC_GATHERV};
    pc_t pcs[REQUESTS];

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    pc_world_make();
    for (int i = 0; i < REQUESTS; i++) {
        pc_spec_t spec = pc_plain(kinds[i], MPI_COMM_WORLD, 4, 100, (uint64_t) i);
        pc_make(&pcs[i], &spec, 2);
    }
    for (int i = 0; i < REQUESTS; i++) {
        pc_open(&pcs[i]);
        check_inactive(&pcs[i]);
    }
    mt_result("a request that was never started is inactive");
    for (int call = 0; call < (int) (sizeof(names) / sizeof(names[0])); call++) {
        for (int i = 0; i < 4; i++) {
            run(pcs, call, 4 * call + i);
        }
        mt_result("%s on collective requests", names[call]);
    }
    for (int i = 0; i < REQUESTS; i++) {
        pc_drop(&pcs[i]);
    }
    pc_world_drop();
    return mt_end();
}
