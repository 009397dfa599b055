/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S14. MPI_Info is accepted: MPI_INFO_NULL or any object; unknown keys are ignored; the object may
 * be freed as soon as the init call has returned; the two sides need not give the same.
 */

#include "../support/side.h"

#include <string.h>

#define TAG 14

static void run(MPI_Info info)
{
    unsigned char buffer[64];
    MPI_Request request = MPI_REQUEST_NULL;

    memset(buffer, 0, sizeof(buffer));
    if (0 == mt_rank()) {
        mt_success(MPI_Psend_init(buffer, 4, 16, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, info, &request),
                   "MPI_Psend_init");
    } else {
        mt_success(MPI_Precv_init(buffer, 4, 16, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, info, &request),
                   "MPI_Precv_init");
    }
    if (MPI_INFO_NULL != info && MPI_INFO_ENV != info) {
        MPI_Info_free(&info);
    }
    for (int iteration = 1; iteration <= 2; iteration++) {
        mt_success(MPI_Start(&request), "MPI_Start");
        if (0 == mt_rank()) {
            mt_fill(buffer, sizeof(buffer), (uint64_t) iteration, 0);
            mt_success(MPI_Pready_range(0, 3, request), "MPI_Pready_range");
        }
        mt_finish(&request, MPI_STATUS_IGNORE);
        mt_check(0 == mt_wrong(buffer, sizeof(buffer), (uint64_t) iteration, 0), "wrong data");
    }
    mt_free(&request);
}

/* Keys nobody knows, with odd values, among them names of keys other libraries give meaning to. */
static MPI_Info made_up(void)
{
    char longest[MPI_MAX_INFO_VAL];
    MPI_Info info;

    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_such_key", "no such value");
    MPI_Info_set(info, "PMODE", "HARD");
    MPI_Info_set(info, "SET", "-1");
    MPI_Info_set(info, "partitions", "%s%n");
    MPI_Info_set(info, "long", longest);
    return info;
}

int main(int argc, char **argv)
{
    MPI_Info empty;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    run(MPI_INFO_NULL);
    mt_result("MPI_INFO_NULL");
    MPI_Info_create(&empty);
    run(empty);
    mt_result("an empty info, freed after init");
    run(made_up());
    mt_result("unknown keys, freed after init");
    run(0 == mt_rank() ? made_up() : MPI_INFO_NULL);
    mt_result("info on one side only");
    run(MPI_INFO_ENV);
    mt_result("MPI_INFO_ENV");
    return mt_end();
}
