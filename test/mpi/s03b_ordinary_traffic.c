/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S3. Ordinary traffic with the channel's own communicator, source and tag is neither delayed nor
 * consumed by partitioned set-up and data, and arrives in its own order.
 */

#include "../support/side.h"

#define TAG      3
#define MESSAGES 200
#define CHANNELS 10

static void send(void)
{
    mt_side_t side[CHANNELS];

    for (int i = 0; i < MESSAGES; i++) {
        if (0 == i % (MESSAGES / CHANNELS)) {
            mt_side_t *now = &side[i / (MESSAGES / CHANNELS)];
            mt_psend(now, 3, 700, 1, TAG, MPI_COMM_WORLD);
            mt_start(now);
            mt_side_fill(now, -1, i);
            mt_ready(now, -1);
        }
        MPI_Send(&i, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    }
    for (int c = 0; c < CHANNELS; c++) {
        mt_finish(&side[c].request, MPI_STATUS_IGNORE);
        mt_drop(&side[c]);
    }
}

static void receive(void)
{
    mt_side_t side[CHANNELS];

    for (int c = 0; c < CHANNELS / 2; c++) {
        mt_precv(&side[c], 3, 700, 0, TAG, MPI_COMM_WORLD);
        mt_start(&side[c]);
    }
    for (int i = 0; i < MESSAGES; i++) {
        int value = -1;
        MPI_Status status;
        if (i % 2) {
            MPI_Recv(&value, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &status);
        } else {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        }
        int count = 0;
        MPI_Get_count(&status, MPI_INT, &count);
        mt_check(value == i && 1 == count && TAG == status.MPI_TAG,
                 "message %d: value %d, %d elements, tag %d", i, value, count, status.MPI_TAG);
    }
    for (int c = CHANNELS / 2; c < CHANNELS; c++) {
        mt_precv(&side[c], 3, 700, 0, TAG, MPI_COMM_WORLD);
        mt_start(&side[c]);
    }
    for (int c = 0; c < CHANNELS; c++) {
        mt_finish(&side[c].request, MPI_STATUS_IGNORE);
        mt_side_verify(&side[c], -1, c * (MESSAGES / CHANNELS));
        mt_drop(&side[c]);
    }
}

/* Synchronous sends end only when the peer has received: if the channel held them up, they would
 * hang. */
static void ping_pong_beside_a_channel(void)
{
    mt_side_t side;
    int peer = 1 - mt_rank();
    int value = 0;

    mt_one_way(&side, 3, 700, TAG, MPI_COMM_WORLD);
    mt_start(&side); /* nothing is marked yet: the channel stays open all the time */
    for (int i = 0; i < MESSAGES; i++) {
        if (0 == mt_rank()) {
            MPI_Ssend(&i, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&value, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Ssend(&i, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD);
        }
        mt_check(value == i, "message %d carries %d", i, value);
    }
    if (0 == mt_rank()) {
        mt_side_fill(&side, -1, 5);
        mt_ready(&side, -1);
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    if (1 == mt_rank()) {
        mt_side_verify(&side, -1, 5);
    }
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
    mt_result("%d messages keep their order between %d channels of the same key", MESSAGES,
              CHANNELS);
    ping_pong_beside_a_channel();
    mt_result("synchronous sends of the same key pass an open channel");
    return mt_end();
}
