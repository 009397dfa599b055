/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S23. The sender may start and mark everything before the receiver has started or even
 * initialised; whether the send completes early is the library's choice, but neither side may
 * block the other.
 */

#include "../support/side.h"

#define TAG       23
#define TOKEN_TAG 123

static void late_receiver(size_t bytes, bool sleeping)
{
    mt_side_t side;
    int token = 0;

    for (int iteration = 0; iteration < 3; iteration++) {
        if (0 == mt_rank()) {
            if (0 == iteration) {
                mt_psend(&side, 8, bytes, 1, TAG, MPI_COMM_WORLD);
            }
            mt_start(&side);
            mt_side_fill(&side, -1, iteration);
            mt_ready(&side, -1);
            bool done = mt_wait(&side.request, 0.05, MPI_STATUS_IGNORE, NULL);
            MPI_Send(&token, 1, MPI_INT, 1, TOKEN_TAG, MPI_COMM_WORLD);
            if (!done) {
                mt_finish(&side.request, MPI_STATUS_IGNORE);
            }
        } else {
            MPI_Recv(&token, 1, MPI_INT, 0, TOKEN_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (sleeping) {
                mt_sleep(0.05);
            }
            if (0 == iteration) {
                mt_precv(&side, 8, bytes, 0, TAG, MPI_COMM_WORLD);
            }
            mt_start(&side);
            mt_finish(&side.request, MPI_STATUS_IGNORE);
            mt_side_verify(&side, -1, iteration);
            mt_side_wipe(&side);
        }
    }
    mt_drop(&side);
}

/* Every rank sends to the next one, and initialises its receive only after marking everything. */
static void ring(size_t bytes)
{
    mt_side_t out;
    mt_side_t in;
    int right = (mt_rank() + 1) % mt_size();
    int left = (mt_rank() + mt_size() - 1) % mt_size();

    mt_psend(&out, 8, bytes, right, TAG, MPI_COMM_WORLD);
    mt_start(&out);
    mt_side_fill(&out, -1, 0);
    mt_ready(&out, -1);
    mt_precv(&in, 8, bytes, left, TAG, MPI_COMM_WORLD);
    mt_start(&in);
    MPI_Request requests[2] = {out.request, in.request};
    mt_success(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    mt_side_verify(&in, -1, 0);
    mt_drop(&out);
    mt_drop(&in);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {8, 3000, 150000};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < 3; i++) {
        if (mt_rank() < 2) {
            late_receiver(sizes[i], false);
            late_receiver(sizes[i], true);
        }
        mt_result("partitions of %zu bytes are marked before the receiver comes", sizes[i]);
        ring(sizes[i]);
        mt_result("all ranks mark %zu bytes before they initialise their receives", sizes[i]);
    }
    return mt_end();
}
