/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S2. A partitioned send matches only a partitioned receive: an ordinary receive (Irecv or
 * Recv_init) with the same communicator, source and tag must not take it, nor anything of its set-
 * up.
 */

#include "../support/side.h"

#define TAG   2
#define BYTES 1024

static void expect_silence(MPI_Request *request, const unsigned char *buffer, const char *what)
{
    double end = mt_now() + 0.4;
    int flag = 0;

    while (!flag && mt_now() < end) {
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    }
    mt_check(!flag, "%s was completed by a partitioned send", what);
    size_t changed = mt_differ(buffer, BYTES, (unsigned char) MT_SENTINEL);
    mt_check(0 == changed, "%s: %zu bytes were written by a partitioned send", what, changed);
}

static void receive_with(bool persistent)
{
    const char *what = persistent ? "a persistent receive" : "MPI_Irecv";
    mt_side_t plain;
    mt_side_t side;

    mt_buffer(&plain, 1, BYTES, TAG, false);
    if (persistent) {
        MPI_Recv_init(plain.buffer, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &plain.request);
        MPI_Start(&plain.request);
    } else {
        MPI_Irecv(plain.buffer, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &plain.request);
    }
    mt_sync(); /* the partitioned send is initialised after this */
    mt_sync(); /* it has been started and marked */
    expect_silence(&plain.request, plain.buffer, what);
    mt_precv(&side, 1, BYTES, 0, TAG, MPI_COMM_WORLD);
    mt_cycle(&side, 0);
    mt_drop(&side);
    expect_silence(&plain.request, plain.buffer, what);
    mt_sync(); /* now the ordinary message is sent */
    mt_finish(&plain.request, MPI_STATUS_IGNORE);
    plain.seed = 99;
    mt_side_verify(&plain, 0, 0);
    if (persistent) {
        MPI_Request_free(&plain.request);
    }
    mt_drop(&plain);
}

static void send(void)
{
    unsigned char ordinary[BYTES];
    mt_side_t side;

    mt_sync();
    mt_psend(&side, 1, BYTES, 1, TAG, MPI_COMM_WORLD);
    mt_start(&side);
    mt_send_partition(&side, 0, 0);
    mt_sync();
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    mt_drop(&side);
    mt_sync();
    side.seed = 99;
    mt_fill(ordinary, BYTES, mt_stream(&side, 0), 0);
    MPI_Send(ordinary, BYTES, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int persistent = 0; persistent <= 1; persistent++) {
        if (0 == mt_rank()) {
            send();
        } else {
            receive_with(1 == persistent);
        }
        mt_result("a partitioned send is not received by %s",
                  persistent ? "MPI_Recv_init" : "MPI_Irecv");
    }
    return mt_end();
}
