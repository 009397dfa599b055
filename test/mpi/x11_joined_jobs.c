/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two jobs that have been started apart and are joined by MPI_Comm_accept and MPI_Comm_connect:
 * channels through that communicator, merged, through MPI_Intercomm_create, and a collective. On
 * one host they share memory, whatever Open MPI thinks of where they are (they are given no other
 * transport); and where one of them is kept from that, though all have the same addresses, both
 * ends find that, too, and use the network.
 *
 * Argument: "shared", or "apart" (the second job gets an IPC namespace of its own; skipped where
 * that is not allowed). Of the jobs that are started: their role.
 */

#include "../support/side.h"

#include <mpix_partitioned.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG    111
#define COUNTS 64

static void add_up(MPI_Comm comm)
{
    int mine[COUNTS], sums[COUNTS], rank, size;
    MPI_Request request;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mt_success(MPIX_Pallreduce_init(mine, sums, 4, COUNTS / 4, MPI_INT, MPI_SUM, comm,
                                    MPI_INFO_NULL, &request), "MPIX_Pallreduce_init");
    for (int iteration = 0; iteration < 3; iteration++) {
        for (int i = 0; i < COUNTS; i++) {
            mine[i] = rank + i * iteration;
        }
        MPI_Start(&request);
        MPI_Pready_range(0, 3, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < COUNTS; i++) {
            mt_check(size * (size - 1) / 2 + size * i * iteration == sums[i], "sum %d is %d", i,
                     sums[i]);
        }
    }
    MPI_Request_free(&request);
}

/* The two jobs, with each other. */
static void talk(MPI_Comm joined, int me)
{
    MPI_Comm merged;

    mt_both_ways(joined, me, 0, TAG);
    MPI_Intercomm_merge(joined, me, &merged);
    mt_both_ways(merged, me, 1 - me, TAG);
    add_up(merged);
    MPI_Comm_free(&merged);
}

/* Each with the parent, through a communicator that is made from both. */
static void talk_to_parent(MPI_Comm spawned, int me)
{
    MPI_Comm merged, made;

    MPI_Intercomm_merge(spawned, me, &merged);
    MPI_Intercomm_create(MPI_COMM_SELF, 0, merged, 1 - me, TAG, &made);
    mt_both_ways(made, me, 0, TAG);
    MPI_Comm_free(&made);
    MPI_Comm_free(&merged);
}

static int child(MPI_Comm parent, int me)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm joined;
    int failures;

    if (0 == me) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, sizeof(port), MPI_CHAR, 0, TAG, parent);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &joined);
        MPI_Close_port(port);
    } else {
        MPI_Recv(port, sizeof(port), MPI_CHAR, 0, TAG, parent, MPI_STATUS_IGNORE);
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &joined);
    }
    talk(joined, me);
    MPI_Comm_disconnect(&joined);
    talk_to_parent(parent, 1);
    failures = mt_failures();
    MPI_Send(&failures, 1, MPI_INT, 0, TAG, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

/* A job of one process; `apart`: it cannot share memory with the others. */
static MPI_Comm spawn(char *program, char *role, bool apart)
{
    char unshare[] = "unshare", ipc[] = "--ipc";
    char *plain[] = {role, NULL}, *through[] = {ipc, program, role, NULL};
    MPI_Comm spawned;

    MPI_Comm_spawn(apart ? unshare : program, apart ? through : plain, 1, MPI_INFO_NULL, 0,
                   MPI_COMM_SELF, &spawned, MPI_ERRCODES_IGNORE);
    return spawned;
}

static void parent(char *program, bool apart)
{
    char accepts[] = "0", connects[] = "1", port[MPI_MAX_PORT_NAME];
    MPI_Comm job[2];

    job[0] = spawn(program, accepts, false);
    job[1] = spawn(program, connects, apart);
    MPI_Recv(port, sizeof(port), MPI_CHAR, 0, TAG, job[0], MPI_STATUS_IGNORE);
    MPI_Send(port, sizeof(port), MPI_CHAR, 0, TAG, job[1]);
    for (int i = 0; i < 2; i++) {
        int failures = -1;

        talk_to_parent(job[i], 0);
        MPI_Recv(&failures, 1, MPI_INT, 0, TAG, job[i], MPI_STATUS_IGNORE);
        mt_check(0 == failures, "%d checks of job %d failed", failures, i);
        MPI_Comm_disconnect(&job[i]);
    }
    mt_result(apart ? "jobs that cannot share memory are joined"
                    : "joined jobs of one host share memory");
}

int main(int argc, char **argv)
{
    MPI_Comm from;
    bool apart;
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&from);
    if (MPI_COMM_NULL != from) {
        return child(from, atoi(argv[1]));
    }
    mt_begin_on(MPI_COMM_WORLD);
    apart = 0 == strcmp(argv[1], "apart");
    if (apart && 0 != system("unshare --ipc true 2>/dev/null")) {
        mt_skip("unshare --ipc is not allowed", "jobs that cannot share memory are joined");
    } else {
        parent(argv[0], apart);
    }
    status = mt_end();
    MPI_Finalize();
    return status;
}
