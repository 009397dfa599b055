/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A peer that runs another part component: every process says which one it has (by its first
 * argument, see jobs.sh, which starts them in one job), and part/ucx must notice at the first
 * channel and fail the request instead of hanging.
 */

#include "../support/side.h"

#include <stdio.h>
#include <string.h>

#define TAG 107

/* No mt_result here: the other side's requests may hang, which is not ours to judge. */
int main(int argc, char **argv)
{
    mt_side_t side;
    int code = MPI_SUCCESS;
    bool ours = argc > 1 && 0 == strcmp(argv[1], "ucx");

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    mt_one_way(&side, 2, 100, TAG, MPI_COMM_WORLD);
    mt_start(&side);
    if (side.sending) {
        mt_ready(&side, -1);
    }
    bool ended = mt_wait(&side.request, 20.0, MPI_STATUS_IGNORE, &code);
    if (ours) {
        printf("RESULT %s %s\n", ended ? "ended" : "hung", mt_class_name(mt_error_class(code)));
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 0);
    }
    mt_sleep(30);
    return 1;
}
