/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S16. Self-communication works in one thread, on MPI_COMM_SELF and on MPI_COMM_WORLD, with
 * Psend_init and Precv_init, and their Starts, in either order; a loop over MPI_Parrived alone
 * ends.
 */

#include "../support/side.h"

#define TAG        16
#define ITERATIONS 5

static void run(MPI_Comm comm, int me, bool send_first, int send_partitions, int recv_partitions,
                size_t unit)
{
    mt_side_t send;
    mt_side_t receive;
    size_t send_bytes = (size_t) recv_partitions * unit;
    size_t recv_bytes = (size_t) send_partitions * unit;

    if (send_first) {
        mt_psend(&send, send_partitions, send_bytes, me, TAG, comm);
    }
    mt_precv(&receive, recv_partitions, recv_bytes, me, TAG, comm);
    if (!send_first) {
        mt_psend(&send, send_partitions, send_bytes, me, TAG, comm);
    }
    for (int i = 0; i < ITERATIONS; i++) {
        mt_start(0 == i % 2 ? &send : &receive);
        mt_start(0 == i % 2 ? &receive : &send);
        mt_check(!mt_arrived(receive.request, 0), "arrived before it was marked");
        mt_side_fill(&send, -1, i);
        mt_ready(&send, -1);
        for (int p = 0; p < recv_partitions; p++) {
            while (!mt_arrived(receive.request, p)) {
                /* nothing but MPI_Parrived */
            }
            mt_side_verify(&receive, p, i);
        }
        mt_finish(0 == i % 3 ? &send.request : &receive.request, MPI_STATUS_IGNORE);
        mt_finish(0 == i % 3 ? &receive.request : &send.request, MPI_STATUS_IGNORE);
        mt_side_wipe(&receive);
    }
    mt_drop(&send);
    mt_drop(&receive);
}

static void sizes(MPI_Comm comm, int me, bool send_first)
{
    run(comm, me, send_first, 1, 1, 100);
    run(comm, me, send_first, 8, 8, 100);
    run(comm, me, send_first, 5, 3, 64);
    run(comm, me, send_first, 3, 5, 20000);
    run(comm, me, send_first, 4, 4, 300000);
}

/* Everything is marked before the receive exists. */
static void late_receive(void)
{
    mt_side_t send;
    mt_side_t receive;

    mt_psend(&send, 4, 5000, 0, TAG, MPI_COMM_SELF);
    mt_start(&send);
    mt_side_fill(&send, -1, 0);
    mt_ready(&send, -1);
    mt_progress(0.05);
    mt_precv(&receive, 4, 5000, 0, TAG, MPI_COMM_SELF);
    mt_progress(0.05);
    mt_side_untouched(&receive, "before MPI_Start of the receive");
    mt_start(&receive);
    mt_finish(&receive.request, MPI_STATUS_IGNORE);
    mt_side_verify(&receive, -1, 0);
    mt_finish(&send.request, MPI_STATUS_IGNORE);
    mt_drop(&send);
    mt_drop(&receive);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    sizes(MPI_COMM_SELF, 0, true);
    mt_result("MPI_COMM_SELF, send initialised first");
    sizes(MPI_COMM_SELF, 0, false);
    mt_result("MPI_COMM_SELF, receive initialised first");
    sizes(MPI_COMM_WORLD, mt_rank(), true);
    sizes(MPI_COMM_WORLD, mt_rank(), false);
    mt_result("own rank of MPI_COMM_WORLD");
    late_receive();
    mt_result("all partitions are marked before the receive is initialised");
    return mt_end();
}
