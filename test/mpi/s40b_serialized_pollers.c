/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S40. Programs that ask for MPI_THREAD_SERIALIZED let several threads poll one receive with
 * MPI_Parrived all the same. Open MPI's progress is not made for that: ordinary messages, which
 * arrive meanwhile, were lost or came twice, or the program crashed.
 */

#include "../support/side.h"

#define TAG        40
#define POLLERS    4
#define PARTITIONS 16
#define MESSAGES   100 /* ordinary ones per partition */
#define ITERATIONS 100

typedef struct {
    mt_side_t side;
    int iteration;
    MPI_Request request[PARTITIONS * MESSAGES];
    int value[PARTITIONS * MESSAGES];
} shared_t;

static void poll(int thread, void *argument)
{
    shared_t *shared = argument;

    for (int p = thread; p < PARTITIONS; p += POLLERS) {
        mt_check(mt_arrives(shared->side.request, p, 10.0), "partition %d missing", p);
        mt_side_verify(&shared->side, p, shared->iteration);
    }
}

static void receive(shared_t *shared)
{
    for (int i = 0; i < PARTITIONS * MESSAGES; i++) {
        MPI_Irecv(&shared->value[i], 1, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD, &shared->request[i]);
    }
    mt_start(&shared->side);
    mt_team(POLLERS, poll, shared);
    mt_finish(&shared->side.request, MPI_STATUS_IGNORE);
    MPI_Waitall(PARTITIONS * MESSAGES, shared->request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < PARTITIONS * MESSAGES; i++) {
        mt_check(shared->iteration + i == shared->value[i], "message %d is %d", i,
                 shared->value[i]);
    }
}

static void send(shared_t *shared)
{
    mt_start(&shared->side);
    for (int p = 0; p < PARTITIONS; p++) {
        for (int i = p * MESSAGES; i < (p + 1) * MESSAGES; i++) {
            int value = shared->iteration + i;

            MPI_Send(&value, 1, MPI_INT, 1, TAG + 1, MPI_COMM_WORLD);
        }
        mt_send_partition(&shared->side, p, shared->iteration);
    }
    mt_finish(&shared->side.request, MPI_STATUS_IGNORE);
}

static void run(size_t bytes)
{
    shared_t shared;

    mt_one_way(&shared.side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        shared.iteration = iteration;
        if (0 == mt_rank()) {
            send(&shared);
        } else {
            receive(&shared);
        }
    }
    mt_drop(&shared.side);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SERIALIZED, 2);
    run(40);
    mt_result("%d threads poll partitions of 40 bytes", POLLERS);
    run(20000);
    mt_result("%d threads poll partitions of 20000 bytes", POLLERS);
    return mt_end();
}
