/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A job beside a UCX that part/ucx was not built for, or so it seems: of the functions of that name
 * the program's own comes first. Its channel must work with what else there is.
 */

#include "../support/side.h"

#define TAG 311

void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release);

void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release)
{
    *major = 99;
    *minor = *release = 0;
}

int main(int argc, char **argv)
{
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (0 == mt_rank()) {
        mt_psend(&side, 4, 1000, 1, TAG, MPI_COMM_WORLD);
    } else if (1 == mt_rank()) {
        mt_precv(&side, 4, 1000, 0, TAG, MPI_COMM_WORLD);
    }
    if (mt_rank() < 2) {
        mt_cycle(&side, 0);
        mt_drop(&side);
    }
    mt_result("a channel");
    return mt_end();
}
