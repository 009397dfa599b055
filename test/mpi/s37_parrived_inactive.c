/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S37. Parrived on an inactive receive (never started, matched or not, or completed) and on
 * MPI_REQUEST_NULL is true.
 */

#include "../support/side.h"

#define TAG        37
#define PARTITIONS 3

static void expect_true(mt_side_t *side, const char *when)
{
    for (int p = 0; !side->sending && p < PARTITIONS; p++) {
        mt_check(mt_arrived(side->request, p), "partition %d is false %s", p, when);
    }
}

static void null_request(void)
{
    int flag = -1;
    int major = 0;
    int minor = 0;
    const char *what = "MPI_Parrived is true for MPI_REQUEST_NULL";

    MPI_Get_version(&major, &minor);
#if defined(OMPI_MAJOR_VERSION)
    if (OMPI_MAJOR_VERSION < 6 && MPI_SUCCESS != MPI_Parrived(MPI_REQUEST_NULL, 0, &flag)) {
        mt_errors_clear();
        mt_skip("this release's binding of MPI_Parrived refuses MPI_REQUEST_NULL before any part "
                "component sees it (Open MPI #14003, fixed in later releases)",
                "%s", what);
        return;
    }
#endif
    mt_success(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag), "MPI_Parrived(MPI_REQUEST_NULL)");
    mt_check(1 == flag, "the flag is %d", flag);
    mt_result("%s", what);
}

int main(int argc, char **argv)
{
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_errors_watch(MPI_COMM_WORLD);
    if (1 == mt_rank()) {
        mt_precv(&side, PARTITIONS, 100, 0, TAG, MPI_COMM_WORLD);
        expect_true(&side, "before the peer exists");
    }
    mt_sync();
    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, 100, 1, TAG, MPI_COMM_WORLD);
    }
    mt_sync();
    mt_progress(0.1); /* matched now */
    expect_true(&side, "before the first MPI_Start");
    mt_result("a receive that was never started has arrived");
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_sync();
        mt_start(&side);
        for (int p = 0; !side.sending && p < PARTITIONS; p++) {
            mt_check(!mt_arrived(side.request, p), "partition %d is true and was not sent", p);
        }
        mt_sync();
        if (side.sending) {
            mt_side_fill(&side, -1, iteration);
            mt_ready(&side, -1);
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        expect_true(&side, "after completion");
    }
    mt_result("a completed receive has arrived, a restarted one has not");
    mt_drop(&side);
    null_request();
    return mt_end();
}
