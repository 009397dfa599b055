/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S27. Pready on a partition that is already marked is erroneous, also twice inside a list and as
 * part of a range: MPI_ERR_ARG through the communicator's handler. The data is sent once and
 * arrives whole.
 */

#include "../support/side.h"

#define TAG        27
#define PARTITIONS 6

/* After a refused range or list some of its partitions may be marked: marking them all now
 * succeeds or says that they are. */
static void mark_the_rest(mt_side_t *side)
{
    for (int p = 0; p < PARTITIONS; p++) {
        int code = MPI_Pready(p, side->request);
        mt_check(MPI_SUCCESS == code || MPI_ERR_ARG == mt_error_class(code),
                 "MPI_Pready(%d) returned %s", p, mt_class_name(mt_error_class(code)));
    }
    mt_errors_clear();
}

static void send_wrongly(mt_side_t *side, int kind, MPI_Comm comm)
{
    MPI_Request request = side->request;

    mt_start(side);
    mt_side_fill(side, -1, kind);
    mt_ready(side, 2);
    mt_errors_clear();
    switch (kind) {
    case 0:
        mt_expect(comm, MPI_Pready(2, request), MPI_ERR_ARG, "second MPI_Pready");
        mt_expect(comm, MPI_Pready(2, request), MPI_ERR_ARG, "third MPI_Pready");
        break;
    case 1:
        mt_expect(comm, MPI_Pready_range(1, 3, request), MPI_ERR_ARG, "range over a marked one");
        break;
    case 2:
        mt_expect(comm, MPI_Pready_list(2, (int[]){4, 2}, request), MPI_ERR_ARG,
                  "list with a marked one");
        break;
    case 3:
        mt_expect(comm, MPI_Pready_list(3, (int[]){5, 1, 5}, request), MPI_ERR_ARG,
                  "list with a double entry");
        break;
    default:
        mt_sleep(0.05); /* long enough for the data to be on its way, or there */
        mt_expect(comm, MPI_Pready(2, request), MPI_ERR_ARG, "second MPI_Pready, later");
        break;
    }
    mark_the_rest(side);
    mt_expect(comm, MPI_Pready(0, request), MPI_ERR_ARG, "MPI_Pready after all are marked");
    mt_finish(&side->request, MPI_STATUS_IGNORE);
}

static void run(size_t bytes, MPI_Comm comm)
{
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, comm);
    for (int kind = 0; kind < 5; kind++) {
        if (side.sending) {
            send_wrongly(&side, kind, comm);
        } else {
            mt_start(&side);
            mt_finish(&side.request, MPI_STATUS_IGNORE);
            mt_side_verify(&side, -1, kind);
            mt_side_wipe(&side);
        }
    }
    mt_cycle(&side, 9);
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    run(16, comm);
    mt_result("a partition of 16 bytes cannot be marked twice");
    run(100000, comm);
    mt_result("a partition of 100000 bytes cannot be marked twice");
    MPI_Comm_free(&comm);
    return mt_end();
}
