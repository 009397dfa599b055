/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S20. Totals above 2^31 bytes and elements work; count is an MPI_Count. One partition of more
 * than 2^31 elements, and several partitions whose sum is larger.
 */

#include "../support/side.h"
#include "../support/usage.h"

#include <stdlib.h>

#define TAG    20
#define GIB    ((size_t) 1 << 30)
#define NEEDED (6 * GIB) /* two processes on this machine, their buffers and some room */

/* MPI 4 has a new name for it, and 4.1 warns of the old one. */
#if MPI_VERSION >= 4
#define GET_ELEMENTS MPI_Get_elements_c
#else
#define GET_ELEMENTS MPI_Get_elements_x
#endif

static size_t fill_or_check(unsigned char *buffer, size_t total, uint64_t seed, bool fill)
{
    size_t wrong = 0;

    for (size_t at = 0; mt_sparse(&at, total); at += MT_BLOCK) {
        size_t bytes = total - at < MT_BLOCK ? total - at : MT_BLOCK;
        if (fill) {
            mt_fill(buffer + at, bytes, seed, at);
        } else {
            wrong += mt_wrong(buffer + at, bytes, seed, at);
        }
    }
    return wrong;
}

static void run(int partitions, size_t bytes, unsigned char *buffer, uint64_t seed)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    size_t total = (size_t) partitions * bytes;

    mt_stage("%d partitions of %zu bytes", partitions, bytes);
    if (0 == mt_rank()) {
        fill_or_check(buffer, total, seed, true);
        mt_success(MPI_Psend_init(buffer, partitions, (MPI_Count) bytes, MPI_BYTE, 1, TAG,
                                  MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                   "MPI_Psend_init");
        mt_success(MPI_Start(&request), "MPI_Start");
        mt_success(MPI_Pready_range(0, partitions - 1, request), "MPI_Pready_range");
        mt_finish(&request, &status);
    } else {
        mt_success(MPI_Precv_init(buffer, partitions, (MPI_Count) bytes, MPI_BYTE, 0, TAG,
                                  MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                   "MPI_Precv_init");
        mt_success(MPI_Start(&request), "MPI_Start");
        mt_finish(&request, &status);
        size_t wrong = fill_or_check(buffer, total, seed, false);
        mt_check(0 == wrong, "%zu bytes are wrong", wrong);
        MPI_Count elements = -1;
        GET_ELEMENTS(&status, MPI_BYTE, &elements);
        mt_check((MPI_Count) total == elements, "MPI_Get_elements gives %lld, not %zu",
                 (long long) elements, total);
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        mt_check(MPI_UNDEFINED == count, "MPI_Get_count gives %d for more than an int holds",
                 count);
    }
    mt_free(&request);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    int enough = mt_available_memory() >= NEEDED;
    MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!enough) {
        mt_skip("less than 6 GiB of memory are free", "totals above 2^31 bytes");
        return mt_end();
    }
    size_t largest = 2 * GIB + 8192;
    unsigned char *buffer = mt_alloc(largest + 4096);
    run(1, largest, buffer, 1);
    mt_result("one partition of 2^31 + 8192 elements");
    run(3, largest / 3, buffer, 2);
    mt_result("three partitions, 2^31 bytes and more in total");
    free(buffer);
    return mt_end();
}
