/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   unchanged            a program that knows nothing of this package: persistent collectives,
 *                        whose results it compares. For jobs.sh.
 *   unchanged dies [N]   rank N, 2 if it is not given, kills itself while the others wait for it
 *                        in one
 *   unchanged revokes    rank 2 revokes the communicator instead. Both for faults.sh.
 */

#include "../support/mpitest.h"

#include <mpi-ext.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define COUNT    300000
#define ROUNDS   5
#define PATIENCE 60.0 /* seconds */

static int from[COUNT], sum[COUNT], spread[COUNT];

static void fill(int round)
{
    for (int i = 0; i < COUNT; i++) {
        from[i] = mt_rank() + i + round;
        sum[i] = -1;
        spread[i] = 1 == mt_rank() ? 3 * i + round : -1;
    }
}

static int count_wrong(int round)
{
    int wrong = 0, ranks = mt_size();

    for (int i = 0; i < COUNT; i++) {
        wrong += ranks * (i + round) + ranks * (ranks - 1) / 2 != sum[i];
        wrong += 3 * i + round != spread[i];
    }
    return wrong;
}

static void works(void)
{
    MPI_Request request[2];
    int wrong = 0;

    MPI_Allreduce_init(from, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request[0]);
    MPI_Bcast_init(spread, COUNT, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        wrong += count_wrong(round);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    mt_report(0 == wrong ? "right" : "wrong");
}

static void end_communication(MPI_Comm comm)
{
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
    MPIX_Comm_revoke(comm);
#else
    (void) comm;
#endif
}

/* The communicator's own handler must be asked. */
static void count_errors(MPI_Comm *comm, int *code, ...)
{
    (void) comm;
    mt_report("its handler is called for %s", mt_class_name(mt_error_class(*code)));
}

static void fails(bool dies, int victim)
{
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Comm comm;
    int code = MPI_SUCCESS;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(count_errors, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Allreduce_init(from, sum, COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (victim == mt_rank()) {
        mt_sleep(0.5);
        if (dies) {
            raise(SIGKILL);
        }
        end_communication(comm);
        mt_report("it has revoked");
        return;
    }
    MPI_Start(&request);
    if (!mt_wait(&request, PATIENCE, MPI_STATUS_IGNORE, &code)) {
        mt_report("it hangs");
    }
    mt_report("it ends with %s", mt_class_name(mt_error_class(code)));
}

int main(int argc, char **argv)
{
    int victim = argc > 2 ? atoi(argv[2]) : 2;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (argc < 2) {
        works();
        return mt_end();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (0 == strcmp(argv[1], "dies")) {
        fails(true, victim);
        mt_end_without(victim);
    }
    fails(false, victim);
    mt_end_without(MPI_PROC_NULL); /* all are there */
}
