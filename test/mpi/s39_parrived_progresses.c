/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S39. A loop that only calls Parrived ends once the partition has been sent: it drives everything
 * this process owes others on the way, its own sends included (forum #454).
 */

#include "../support/side.h"

#define TAG        39
#define PARTITIONS 8

static void loop(mt_side_t *side, int iteration)
{
    for (int p = 0; p < side->partitions; p++) {
        mt_stage("a loop over MPI_Parrived(%d), iteration %d", p, iteration);
        while (!mt_arrived(side->request, p)) {
            /* no other MPI call, no pause */
        }
        mt_side_verify(side, p, iteration);
    }
}

/* The first iteration sets the channel up inside the loop: nothing else enters MPI. */
static void simple(size_t bytes)
{
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_start(&side);
        if (side.sending) {
            mt_side_fill(&side, -1, iteration);
            mt_ready(&side, -1);
            mt_success(MPI_Wait(&side.request, MPI_STATUS_IGNORE), "MPI_Wait");
        } else {
            loop(&side, iteration);
            mt_success(MPI_Wait(&side.request, MPI_STATUS_IGNORE), "MPI_Wait");
        }
    }
    mt_drop(&side);
}

/* Each rank marks its send early, when its peer is not ready, and then only looks at its
 * receive. Rank 1 sends nothing before it has got everything: rank 0's loop must get its own
 * send out. */
static void dependent(size_t bytes)
{
    mt_side_t out;
    mt_side_t in;
    int peer = 1 - mt_rank();

    mt_psend(&out, PARTITIONS, bytes, peer, TAG, MPI_COMM_WORLD);
    mt_precv(&in, PARTITIONS, bytes, peer, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_start(&in);
        mt_start(&out);
        mt_side_fill(&out, -1, iteration);
        if (0 == mt_rank()) {
            mt_ready(&out, -1);
        } else {
            mt_sleep(0.02);
        }
        loop(&in, iteration);
        if (1 == mt_rank()) {
            mt_ready(&out, -1);
        }
        mt_success(MPI_Wait(&out.request, MPI_STATUS_IGNORE), "MPI_Wait");
        mt_success(MPI_Wait(&in.request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
    mt_drop(&out);
    mt_drop(&in);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {16, 5000, 200000};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < 3; i++) {
        simple(sizes[i]);
        mt_result("8 x %zu bytes: a loop over MPI_Parrived alone ends", sizes[i]);
        dependent(sizes[i]);
        mt_result("8 x %zu bytes: the loop also gets this rank's own send out", sizes[i]);
    }
    return mt_end();
}
