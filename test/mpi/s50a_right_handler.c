/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S50. Errors go to the handler of the request's communicator, exactly once and with that
 * communicator, not to that of MPI_COMM_WORLD or of another communicator.
 */

#include "../support/side.h"

#define TAG 50

/* One erroneous call of each kind on this request. */
static void errors_of(mt_side_t *side, MPI_Comm comm)
{
    int flag = 0;
    MPI_Request null = MPI_REQUEST_NULL;

    mt_start(side);
    if (side->sending) {
        mt_expect(comm, MPI_Pready(-1, side->request), MPI_ERR_ARG, "MPI_Pready");
        mt_expect(comm, MPI_Pready_range(2, 9, side->request), MPI_ERR_ARG, "MPI_Pready_range");
        mt_expect(comm, MPI_Pready_list(1, (int[]){9}, side->request), MPI_ERR_ARG,
                  "MPI_Pready_list");
        mt_expect(comm, MPI_Parrived(side->request, 0, &flag), MPI_ERR_REQUEST, "MPI_Parrived");
    } else {
        mt_expect(comm, MPI_Parrived(side->request, 9, &flag), MPI_ERR_ARG, "MPI_Parrived");
        mt_expect(comm, MPI_Pready(0, side->request), MPI_ERR_REQUEST, "MPI_Pready");
    }
    mt_expect(comm, MPI_Request_free(&side->request), MPI_ERR_REQUEST, "MPI_Request_free");
    mt_expect(comm, MPI_Cancel(&side->request), MPI_ERR_REQUEST, "MPI_Cancel");
    int code = MPI_Psend_init(side->buffer, -4, 1, MPI_BYTE, 0, TAG, comm, MPI_INFO_NULL, &null);
    mt_expect(comm, code, MPI_ERR_ARG, "MPI_Psend_init");
    code = MPI_Precv_init(side->buffer, 1, 1, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, MPI_INFO_NULL,
                          &null);
    mt_expect(comm, code, MPI_ERR_RANK, "MPI_Precv_init");
    for (int p = 0; side->sending && p < side->partitions; p++) {
        code = MPI_Pready(p, side->request); /* a refused range may have marked it */
        mt_check(MPI_SUCCESS == code || MPI_ERR_ARG == mt_error_class(code), "MPI_Pready: %s",
                 mt_class_name(mt_error_class(code)));
    }
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    mt_errors_clear();
}

static void run(MPI_Comm comm)
{
    mt_side_t side;

    mt_one_way(&side, 4, 100, TAG, comm);
    errors_of(&side, comm);
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    MPI_Comm first;
    MPI_Comm second;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    mt_errors_watch(first);
    mt_errors_watch(second);
    run(first);
    mt_result("errors of the first communicator's requests reach its handler only");
    run(second);
    mt_result("errors of the second communicator's requests reach its handler only");
    run(MPI_COMM_WORLD);
    mt_result("errors of MPI_COMM_WORLD's requests reach its handler once");
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    return mt_end();
}
