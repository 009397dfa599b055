/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A partitioned collective where there may be none: says what MPIX_Pallreduce_init returns, and
 * shows that MPI goes on. With the argument "fatal" errors end the job. For jobs.sh.
 */

#include "../support/mpitest.h"

#include <mpix_partitioned.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int in = 1;
    int out = 0;
    int rank = 0;
    int code;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2 || 0 != strcmp(argv[1], "fatal")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    code = MPIX_Pallreduce_init(&in, &out, 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &request);
    printf("RESULT %s\n", mt_class_name(mt_error_class(code)));
    if (MPI_SUCCESS == code) {
        MPI_Request_free(&request);
    }
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("RESULT sum %d\n", out);
    MPI_Finalize();
    return 0;
}
