/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S2. A partitioned receive matches only a partitioned send: an ordinary send (Isend or Send_init)
 * with the same communicator, destination and tag must not complete it, nor be consumed by it.
 */

#include "../support/side.h"

#define TAG           2
#define BYTES         1024
#define ORDINARY_SEED 99

static void send_ordinary(const mt_side_t *side, bool persistent)
{
    unsigned char message[BYTES];
    MPI_Request request;
    mt_side_t ordinary = *side;

    ordinary.seed = ORDINARY_SEED;
    mt_fill(message, BYTES, mt_stream(&ordinary, 0), 0);
    if (persistent) {
        MPI_Send_init(message, BYTES, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
    } else {
        MPI_Isend(message, BYTES, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request);
    }
    mt_sync(); /* sent: the receiver looks */
    mt_sync(); /* the receiver has looked */
    mt_finish(&request, MPI_STATUS_IGNORE);
    if (persistent) {
        MPI_Request_free(&request);
    }
}

static void send(bool persistent)
{
    mt_side_t side = {.bytes = BYTES, .partitions = 1};

    mt_sync();
    send_ordinary(&side, persistent);
    mt_psend(&side, 1, BYTES, 1, TAG, MPI_COMM_WORLD);
    mt_cycle(&side, 0);
    mt_drop(&side);
}

static void receive(void)
{
    mt_side_t side;
    mt_side_t ordinary;

    mt_precv(&side, 1, BYTES, 0, TAG, MPI_COMM_WORLD);
    mt_start(&side);
    mt_sync();
    mt_sync();
    mt_check(!mt_wait(&side.request, 0.4, MPI_STATUS_IGNORE, NULL),
             "the partitioned receive was completed by an ordinary send");
    mt_side_untouched(&side, "after an ordinary send");
    ordinary = side;
    ordinary.seed = ORDINARY_SEED;
    ordinary.buffer = mt_alloc(BYTES);
    MPI_Request request;
    MPI_Irecv(ordinary.buffer, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
    mt_finish(&request, MPI_STATUS_IGNORE);
    mt_side_verify(&ordinary, 0, 0);
    ordinary.request = MPI_REQUEST_NULL;
    mt_drop(&ordinary);
    mt_sync();
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    mt_side_verify(&side, 0, 0);
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int persistent = 0; persistent <= 1; persistent++) {
        if (0 == mt_rank()) {
            send(1 == persistent);
        } else {
            receive();
        }
        mt_result("a partitioned receive does not take a message of %s",
                  persistent ? "MPI_Send_init" : "MPI_Isend");
    }
    return mt_end();
}
