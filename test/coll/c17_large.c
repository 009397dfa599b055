/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Totals above 2^31 bytes and elements: a broadcast, an allreduce and an allgather, the latter two
 * in place. Counts are MPI_Count, displacements MPI_Aint.
 */

#include "../support/pcoll.h"
#include "../support/usage.h"

#include <mpix_partitioned.h>

#include <stdlib.h>

#define GIB        ((size_t) 1 << 30)
#define NEEDED     (7 * GIB) /* two processes on this machine, their buffers and some room */
#define PARTITIONS 2
#define BYTES      (GIB + 12345 * 4) /* of a partition */
#define TOTAL      (PARTITIONS * BYTES)

static void fill(unsigned char *buffer, uint64_t seed)
{
    for (size_t at = 0; mt_sparse(&at, TOTAL); at += MT_BLOCK) {
        mt_fill(buffer + at, TOTAL - at < MT_BLOCK ? TOTAL - at : MT_BLOCK, seed, at);
    }
}

/* Of the streams of two seeds, or of one (the second is 0). */
static void check(unsigned char *buffer, uint64_t first, uint64_t second)
{
    unsigned char block[MT_BLOCK];
    size_t wrong = 0;

    for (size_t at = 0; mt_sparse(&at, TOTAL); at += MT_BLOCK) {
        size_t bytes = TOTAL - at < MT_BLOCK ? TOTAL - at : MT_BLOCK;

        mt_fill(block, bytes, second, at);
        for (size_t i = 0; 0 != second && i < bytes; i++) {
            buffer[at + i] ^= block[i];
        }
        wrong += mt_wrong(buffer + at, bytes, first, at);
    }
    mt_check(0 == wrong, "%zu of the bytes looked at are wrong", wrong);
}

static void carry(MPI_Request *request, int code, int partitions)
{
    if (!mt_success(code, "initialisation")) {
        return;
    }
    mt_success(MPI_Start(request), "MPI_Start");
    for (int p = partitions - 1; p >= 0; p--) {
        mt_success(MPI_Pready(p, *request), "MPI_Pready");
    }
    mt_finish(request, MPI_STATUS_IGNORE);
    mt_free(request);
}

static void broadcast(unsigned char *buffer)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPIX_Pbcast_init(buffer, PARTITIONS, (MPI_Count) BYTES, MPI_BYTE, 0, MPI_COMM_WORLD,
                                MPI_INFO_NULL, &request);

    fill(buffer, 0 == mt_rank() ? 17 : 99);
    carry(&request, code, 0 == mt_rank() ? PARTITIONS : 0);
    check(buffer, 17, 0);
}

/* The bits of the one and of the other. */
static void reduction(unsigned char *buffer)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPIX_Pallreduce_init(MPI_IN_PLACE, buffer, PARTITIONS, (MPI_Count) BYTES, MPI_BYTE,
                                    MPI_BXOR, MPI_COMM_WORLD, MPI_INFO_NULL, &request);

    fill(buffer, 171 + (uint64_t) mt_rank());
    carry(&request, code, PARTITIONS);
    check(buffer, 171, 172);
}

/* Each rank has one half of what all get. */
static void gather(unsigned char *buffer)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPIX_Pallgather_init(MPI_IN_PLACE, 0, 0, MPI_DATATYPE_NULL, buffer, 1,
                                    (MPI_Count) BYTES, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL,
                                    &request);

    for (size_t at = 0; mt_sparse(&at, TOTAL); at += MT_BLOCK) {
        size_t bytes = TOTAL - at < MT_BLOCK ? TOTAL - at : MT_BLOCK;
        for (size_t i = at; i < at + bytes; i++) {
            bool mine = (0 == mt_rank()) == (i < BYTES);
            buffer[i] = mine ? mt_byte(173, i) : 0;
        }
    }
    carry(&request, code, 1);
    check(buffer, 173, 0);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    int enough = 2 == mt_size() && mt_available_memory() > NEEDED;
    MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!enough) {
        mt_skip("not two ranks, or not enough memory", "totals above 2^31 bytes");
        return mt_end();
    }
    unsigned char *buffer = mt_alloc(TOTAL);
    broadcast(buffer);
    mt_result("a broadcast of more than 2^31 bytes");
    reduction(buffer);
    mt_result("an allreduce of more than 2^31 elements");
    gather(buffer);
    mt_result("an allgather of more than 2^31 bytes");
    free(buffer);
    return mt_end();
}
