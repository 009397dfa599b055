/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S42. After completion the request is inactive, not MPI_REQUEST_NULL: a further Wait or Test
 * returns at once with an empty status, Waitany and Waitsome over nothing but inactive requests
 * give MPI_UNDEFINED.
 */

#include "../support/side.h"

#define TAG 42

static void expect_empty(const MPI_Status *status, const char *call)
{
    int count = -1;
    int cancelled = -1;

    MPI_Get_count(status, MPI_BYTE, &count);
    MPI_Test_cancelled(status, &cancelled);
    mt_check(MPI_ANY_SOURCE == status->MPI_SOURCE && MPI_ANY_TAG == status->MPI_TAG && 0 == count
                 && 0 == cancelled,
             "%s: status has source %d, tag %d, count %d, cancelled %d", call, status->MPI_SOURCE,
             status->MPI_TAG, count, cancelled);
}

/* All completion calls; returns how long they took. */
static double look(mt_side_t *side, const char *when)
{
    MPI_Status status = {.MPI_SOURCE = 5, .MPI_TAG = 5};
    MPI_Request before = side->request;
    int flag = 0;
    int index = 0;
    int indices[1];
    double start = mt_now();

    mt_stage("%s", when);
    mt_success(MPI_Wait(&side->request, &status), "MPI_Wait");
    expect_empty(&status, "MPI_Wait");
    status = (MPI_Status){.MPI_SOURCE = 5, .MPI_TAG = 5};
    mt_success(MPI_Test(&side->request, &flag, &status), "MPI_Test");
    mt_check(flag, "%s: MPI_Test is false", when);
    expect_empty(&status, "MPI_Test");
    status = (MPI_Status){.MPI_SOURCE = 5, .MPI_TAG = 5};
    mt_success(MPI_Request_get_status(side->request, &flag, &status), "MPI_Request_get_status");
    mt_check(flag, "%s: MPI_Request_get_status is false", when);
    expect_empty(&status, "MPI_Request_get_status");
    mt_success(MPI_Waitany(1, &side->request, &index, &status), "MPI_Waitany");
    mt_check(MPI_UNDEFINED == index, "%s: MPI_Waitany gives index %d", when, index);
    mt_success(MPI_Testany(1, &side->request, &index, &flag, &status), "MPI_Testany");
    mt_check(flag && MPI_UNDEFINED == index, "%s: MPI_Testany gives %d, index %d", when, flag,
             index);
    mt_success(MPI_Waitsome(1, &side->request, &index, indices, &status), "MPI_Waitsome");
    mt_check(MPI_UNDEFINED == index, "%s: MPI_Waitsome gives %d", when, index);
    mt_success(MPI_Testsome(1, &side->request, &index, indices, &status), "MPI_Testsome");
    mt_check(MPI_UNDEFINED == index, "%s: MPI_Testsome gives %d", when, index);
    status = (MPI_Status){.MPI_SOURCE = 5, .MPI_TAG = 5};
    mt_success(MPI_Waitall(1, &side->request, &status), "MPI_Waitall");
    expect_empty(&status, "MPI_Waitall");
    status = (MPI_Status){.MPI_SOURCE = 5, .MPI_TAG = 5};
    mt_success(MPI_Testall(1, &side->request, &flag, &status), "MPI_Testall");
    mt_check(flag, "%s: MPI_Testall is false", when);
    expect_empty(&status, "MPI_Testall");
    mt_check(before == side->request && MPI_REQUEST_NULL != before, "%s: the handle changed", when);
    return mt_now() - start;
}

int main(int argc, char **argv)
{
    mt_side_t side;
    double quickest = 1e9; /* a busy machine holds calls up now and then */

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_one_way(&side, 4, 700, TAG, MPI_COMM_WORLD);
    (void) look(&side, "never started");
    mt_result("a request that was never started is inactive");
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_cycle(&side, iteration);
        double took = look(&side, "completed");
        quickest = took < quickest ? took : quickest;
    }
    mt_check(quickest < 0.2, "the calls took %.3f s, at best", quickest);
    mt_result("a completed request is inactive and keeps its handle");
    mt_drop(&side);
    return mt_end();
}
