/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S41. All completion calls work on partitioned requests: Wait, Test, Waitall, Waitany, Waitsome,
 * Testall, Testany, Testsome, in arrays with ordinary requests and MPI_REQUEST_NULL among them.
 */

#include "../support/side.h"

#include <string.h>

#define TAG      41
#define CHANNELS 3
#define SLOTS    (2 * CHANNELS + 2) /* and an ordinary request, and a null one */

static const char *const names[] = {"MPI_Wait",    "MPI_Test",    "MPI_Waitall",  "MPI_Testall",
                                    "MPI_Waitany", "MPI_Testany", "MPI_Waitsome", "MPI_Testsome"};

static void one_by_one(int call, MPI_Request *requests)
{
    for (int i = 0; i < SLOTS; i++) {
        int flag = 0;
        if (0 == call) {
            mt_success(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), "MPI_Wait");
        }
        while (1 == call && !flag) {
            mt_success(MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE), "MPI_Test");
        }
    }
}

static void all(int call, MPI_Request *requests)
{
    MPI_Status statuses[SLOTS];
    int flag = 0;

    if (2 == call) {
        mt_success(MPI_Waitall(SLOTS, requests, statuses), "MPI_Waitall");
    }
    while (3 == call && !flag) {
        mt_success(MPI_Testall(SLOTS, requests, &flag, statuses), "MPI_Testall");
    }
    for (int i = CHANNELS; i < 2 * CHANNELS; i++) {
        mt_check(TAG + i - CHANNELS == statuses[i].MPI_TAG, "status %d has tag %d", i,
                 statuses[i].MPI_TAG);
    }
}

/* Each active request must be reported exactly once. */
static void any(int call, MPI_Request *requests)
{
    int seen[SLOTS] = {0};
    int count = 0;

    while (count < SLOTS - 1) {
        int index = MPI_UNDEFINED;
        int flag = 4 == call;
        if (4 == call) {
            mt_success(MPI_Waitany(SLOTS, requests, &index, MPI_STATUS_IGNORE), "MPI_Waitany");
        } else {
            mt_success(MPI_Testany(SLOTS, requests, &index, &flag, MPI_STATUS_IGNORE),
                       "MPI_Testany");
        }
        if (flag
            && mt_check(MPI_UNDEFINED != index, "nothing active after %d of %d", count,
                        SLOTS - 1)) {
            mt_check(0 == seen[index]++, "request %d completed twice", index);
            count++;
        } else if (flag) {
            return;
        }
    }
}

static void some(int call, MPI_Request *requests)
{
    int seen[SLOTS] = {0};
    int indices[SLOTS];
    int count = 0;

    while (count < SLOTS - 1) {
        int done = 0;
        if (6 == call) {
            mt_success(MPI_Waitsome(SLOTS, requests, &done, indices, MPI_STATUSES_IGNORE),
                       "MPI_Waitsome");
        } else {
            mt_success(MPI_Testsome(SLOTS, requests, &done, indices, MPI_STATUSES_IGNORE),
                       "MPI_Testsome");
        }
        if (!mt_check(MPI_UNDEFINED != done, "nothing active after %d of %d", count, SLOTS - 1)) {
            return;
        }
        for (int i = 0; i < done; i++) {
            mt_check(0 == seen[indices[i]]++, "request %d completed twice", indices[i]);
        }
        count += done;
    }
}

static void iterate(int call, mt_side_t *side, int iteration)
{
    MPI_Request requests[SLOTS];
    int token = -1;
    int peer = 1 - mt_rank();

    for (int c = 0; c < 2 * CHANNELS; c++) {
        requests[c] = side[c].request;
    }
    mt_success(MPI_Startall(2 * CHANNELS, requests), "MPI_Startall");
    MPI_Irecv(&token, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, &requests[2 * CHANNELS]);
    requests[2 * CHANNELS + 1] = MPI_REQUEST_NULL;
    for (int c = 0; c < CHANNELS; c++) {
        mt_send_partition(&side[c], 1, iteration);
        mt_send_partition(&side[c], 0, iteration);
    }
    MPI_Send(&iteration, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD);
    (call < 2 ? one_by_one : call < 4 ? all : call < 6 ? any : some)(call, requests);
    mt_check(token == iteration, "the ordinary message is %d", token);
    for (int c = 0; c < 2 * CHANNELS; c++) {
        mt_check(requests[c] == side[c].request, "handle %d has changed", c);
    }
    for (int c = CHANNELS; c < 2 * CHANNELS; c++) {
        mt_side_verify(&side[c], -1, iteration);
        mt_side_wipe(&side[c]);
    }
}

int main(int argc, char **argv)
{
    mt_side_t side[2 * CHANNELS]; /* sends, then receives */

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int c = 0; c < CHANNELS; c++) {
        size_t bytes = (size_t) 30 << (5 * c);
        mt_psend(&side[c], 2, bytes, 1 - mt_rank(), TAG + c, MPI_COMM_WORLD);
        mt_precv(&side[CHANNELS + c], 2, bytes, 1 - mt_rank(), TAG + c, MPI_COMM_WORLD);
    }
    for (int call = 0; call < 8; call++) {
        mt_stage("%s", names[call]);
        for (int i = 0; i < 3; i++) {
            iterate(call, side, 3 * call + i);
        }
        mt_result("%s completes partitioned requests", names[call]);
    }
    for (int c = 0; c < 2 * CHANNELS; c++) {
        mt_drop(&side[c]);
    }
    return mt_end();
}
