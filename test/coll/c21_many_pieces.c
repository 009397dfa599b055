/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A partition of more than 2^20 chunks, which plans cannot number, is cut in larger ones. With the
 * usual chunk that would be 64 GiB, so the testlist has this run with a chunk of one byte.
 */

#include "../support/pcoll.h"

#define CHUNKS (1 << 20)
#define BYTES  24 /* of an element of data movement */

int main(int argc, char **argv)
{
    mt_random_t random;
    pc_spec_t spec;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&random, (uint64_t) (21 + mt_rank()));
    pc_world_make();
    spec = pc_plain(PC_BCAST, MPI_COMM_WORLD, 1, CHUNKS / BYTES + 1, 21);
    pc_run(&spec, 1, &random);
    mt_result("a broadcast of a partition of more than 2^20 chunks");
    /* A chunk is one element at least. */
    spec = pc_plain(PC_REDUCE, MPI_COMM_WORLD, 1, CHUNKS + 1, 21);
    spec.number = PC_NUMBER_INT;
    pc_run(&spec, 1, &random);
    mt_result("a reduction of a partition of more than 2^20 elements");
    pc_world_drop();
    return mt_end();
}
