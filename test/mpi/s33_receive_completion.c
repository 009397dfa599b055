/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S33. Receive completion means that all partitions are in the buffer: every byte is checked right
 * after MPI_Wait, for sizes around every threshold a transport may have.
 */

#include "../support/side.h"

#define TAG 33

static void run(int partitions, size_t bytes)
{
    mt_side_t side;

    mt_stage("%d x %zu bytes", partitions, bytes);
    mt_one_way(&side, partitions, bytes, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_start(&side);
        if (side.sending) {
            mt_side_fill(&side, -1, iteration);
            mt_success(MPI_Pready_range(0, partitions - 1, side.request), "MPI_Pready_range");
        }
        mt_success(MPI_Wait(&side.request, MPI_STATUS_IGNORE), "MPI_Wait");
        if (!side.sending) {
            mt_side_verify(&side, -1, iteration);
            mt_side_wipe(&side);
        }
    }
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1,    2,    3,    7,     8,     9,     63,    64,     65,
                                   255,  256,  1023, 1024,  1025,  2047,  4095,  4096,   4097,
                                   8191, 8192, 8193, 16384, 32767, 65535, 65536, 131073, 1048577};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int large = 0; large <= 1; large++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            if ((sizes[i] > 10000) == (1 == large)) {
                run(1, sizes[i]);
                run(4, sizes[i]);
                run(19, sizes[i]);
            }
        }
        mt_result("all bytes are there after MPI_Wait: partitions %s 10000 bytes",
                  large ? "above" : "below");
    }
    return mt_end();
}
