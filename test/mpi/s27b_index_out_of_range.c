/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S27. A partition index below 0 or not below the number of partitions is erroneous, in
 * MPI_Pready, at either end of a range and anywhere in a list; so is a range whose ends are
 * swapped. MPI_ERR_ARG, and the operation goes on.
 */

#include "../support/side.h"

#include <limits.h>

#define TAG        27
#define PARTITIONS 4

static void singles(MPI_Comm comm, MPI_Request request)
{
    static const int wrong[] = {-1, PARTITIONS, PARTITIONS + 1, INT_MAX, INT_MIN, -1000};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        mt_expect(comm, MPI_Pready(wrong[i], request), MPI_ERR_ARG, "MPI_Pready out of range");
    }
}

static void ranges(MPI_Comm comm, MPI_Request request)
{
    static const int wrong[][2] = {{-1, 0}, {3, 4}, {4, 4}, {-2, -1}, {0, INT_MAX}, {INT_MIN, 3}};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        mt_expect(comm, MPI_Pready_range(wrong[i][0], wrong[i][1], request), MPI_ERR_ARG,
                  "MPI_Pready_range out of range");
    }
    mt_expect(comm, MPI_Pready_range(2, 1, request), MPI_ERR_ARG, "MPI_Pready_range(2, 1)");
}

static void lists(MPI_Comm comm, MPI_Request request)
{
    mt_expect(comm, MPI_Pready_list(1, (int[]){PARTITIONS}, request), MPI_ERR_ARG,
              "MPI_Pready_list out of range");
    mt_expect(comm, MPI_Pready_list(2, (int[]){-1, 0}, request), MPI_ERR_ARG,
              "MPI_Pready_list out of range, first entry");
    mt_expect(comm, MPI_Pready_list(3, (int[]){1, 2, INT_MAX}, request), MPI_ERR_ARG,
              "MPI_Pready_list out of range, last entry");
}

static void mark_the_rest(mt_side_t *side)
{
    for (int p = 0; p < PARTITIONS; p++) {
        int code = MPI_Pready(p, side->request);
        mt_check(MPI_SUCCESS == code || MPI_ERR_ARG == mt_error_class(code),
                 "MPI_Pready(%d) returned %s", p, mt_class_name(mt_error_class(code)));
    }
    mt_errors_clear();
}

int main(int argc, char **argv)
{
    static void (*const kinds[])(MPI_Comm, MPI_Request) = {singles, ranges, lists};
    static const char *const names[] = {"MPI_Pready", "MPI_Pready_range", "MPI_Pready_list"};
    MPI_Comm comm;
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    mt_one_way(&side, PARTITIONS, 500, TAG, comm);
    for (int kind = 0; kind < 3; kind++) {
        mt_start(&side);
        if (side.sending) {
            mt_side_fill(&side, -1, kind);
            kinds[kind](comm, side.request);
            mark_the_rest(&side);
        }
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        if (!side.sending) {
            mt_side_verify(&side, -1, kind);
            mt_side_wipe(&side);
        }
        mt_result("%s refuses indices out of range and the operation goes on", names[kind]);
    }
    mt_cycle(&side, 5);
    mt_drop(&side);
    mt_expect_quiet("the channel afterwards");
    mt_result("the channel works afterwards");
    MPI_Comm_free(&comm);
    return mt_end();
}
