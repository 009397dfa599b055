/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S3. Probes never see partitioned traffic: neither set-up nor data of a channel shows up in
 * Iprobe or Improbe with the channel's own communicator, source and tag, or with wildcards.
 */

#include "../support/side.h"

#define TAG        3
#define PARTITIONS 8
#define BYTES      3000

static void probe_for(double seconds, const char *when)
{
    double end = mt_now() + seconds;
    int seen = 0;

    while (!seen && mt_now() < end) {
        int flag = 0;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        seen |= flag;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        seen |= flag;
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message,
                    MPI_STATUS_IGNORE);
        seen |= flag;
    }
    mt_check(!seen, "a probe saw a message %s", when);
}

static void receive(void)
{
    mt_side_t side;

    mt_sync(); /* the sender has initialised, started and marked half of its partitions */
    probe_for(0.2, "before MPI_Precv_init");
    mt_precv(&side, PARTITIONS, BYTES, 0, TAG, MPI_COMM_WORLD);
    probe_for(0.2, "before the receive was started");
    mt_start(&side);
    probe_for(0.2, "while partitions arrived");
    mt_sync();
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    mt_side_verify(&side, -1, 0);
    probe_for(0.1, "after completion");
    mt_drop(&side);
    probe_for(0.1, "after MPI_Request_free");
}

static void send(void)
{
    mt_side_t side;

    mt_psend(&side, PARTITIONS, BYTES, 1, TAG, MPI_COMM_WORLD);
    mt_start(&side);
    for (int i = 0; i < PARTITIONS / 2; i++) {
        mt_send_partition(&side, i, 0);
    }
    mt_sync();
    mt_progress(0.5);
    mt_sync();
    for (int i = PARTITIONS / 2; i < PARTITIONS; i++) {
        mt_send_partition(&side, i, 0);
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (0 == mt_rank()) {
        send();
    } else {
        receive();
    }
    mt_result("no probe sees the set-up or the data of a channel");
    return mt_end();
}
