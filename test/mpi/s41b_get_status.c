/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S41. MPI_Request_get_status tells about completion without inactivating the request: it can be
 * asked again and again, fills the status, drives progress alone, and MPI_Wait still completes the
 * request.
 */

#include "../support/side.h"

#define TAG        41
#define PARTITIONS 4

static void ask_until_complete(mt_side_t *side)
{
    MPI_Status status;
    int flag = 0;
    int count = -1;
    double end = mt_now() + 45.0;

    while (!flag && mt_now() < end) {
        mt_success(MPI_Request_get_status(side->request, &flag, &status), "MPI_Request_get_status");
    }
    mt_check(flag, "not complete after 45 s of MPI_Request_get_status");
    for (int i = 0; i < 3; i++) {
        mt_check(mt_complete(side->request), "complete, then incomplete");
    }
    if (!side->sending) {
        MPI_Get_count(&status, MPI_BYTE, &count);
        mt_check(0 == status.MPI_SOURCE && TAG == status.MPI_TAG
                     && count == PARTITIONS * (int) side->bytes,
                 "status: source %d, tag %d, count %d", status.MPI_SOURCE, status.MPI_TAG, count);
    }
}

static void iterate(mt_side_t *side, int iteration)
{
    MPI_Status status = {.MPI_SOURCE = -5};

    mt_start(side);
    if (side->sending) {
        mt_check(!mt_complete(side->request), "complete with nothing marked");
        mt_side_fill(side, -1, iteration);
        mt_ready(side, -1);
    }
    ask_until_complete(side);
    if (!side->sending) {
        mt_side_verify(side, -1, iteration);
    }
    mt_success(MPI_Wait(&side->request, &status), "MPI_Wait");
    mt_check(side->sending || 0 == status.MPI_SOURCE,
             "MPI_Wait: source is %d: was the request "
             "inactive?",
             status.MPI_SOURCE);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {16, 5000, 100000};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < 3; i++) {
        mt_side_t side;
        mt_one_way(&side, PARTITIONS, sizes[i], TAG, MPI_COMM_WORLD);
        for (int iteration = 0; iteration < 3; iteration++) {
            iterate(&side, iteration);
        }
        mt_drop(&side);
        mt_result("MPI_Request_get_status does not inactivate: 4 x %zu bytes", sizes[i]);
    }
    return mt_end();
}
