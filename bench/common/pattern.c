/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Contents of the buffers.
 */
#define _GNU_SOURCE
#include "pattern.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *bench_buffer(size_t bytes)
{
    void *buffer = NULL;
    if (0 != posix_memalign(&buffer, 4096, (0 == bytes) ? 1 : bytes)) {
        fprintf(stderr, "benchmark: no memory for a buffer of %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(buffer, 0, bytes);
    return buffer;
}

void *bench_list(size_t count, size_t size)
{
    void *list = calloc((0 == count) ? 1 : count, size);
    if (NULL == list) {
        fprintf(stderr, "benchmark: no memory for a list of %zu\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return list;
}

/*
 * Neighbouring bytes differ, the period is 256 MiB, and every byte changes from one round to the
 * next: 37 is odd, so the values repeat after 256 rounds only.
 */
static unsigned char pattern_byte(size_t index, unsigned seed)
{
    const uint32_t mixed = (uint32_t) (index + 1) * 2654435761u + (uint32_t) seed * (37u << 20);
    return (unsigned char) (mixed >> 20);
}

unsigned bench_pattern_number(size_t index, unsigned round)
{
    return (((uint32_t) (index + 1) * 2654435761u) >> 20 & 0xffu) ^ ((round * 37u) & 0xffu);
}

void bench_pattern_fill(char *buffer, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; ++i) {
        buffer[i] = (char) pattern_byte(i, seed);
    }
}

void bench_pattern_check(const char *buffer, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; ++i) {
        const unsigned char expected = pattern_byte(i, seed);
        if ((unsigned char) buffer[i] != expected) {
            fprintf(stderr,
                    "benchmark: wrong data in round %u: byte %zu of %zu is 0x%02x, not 0x%02x\n",
                    seed, i, bytes, (unsigned) (unsigned char) buffer[i], (unsigned) expected);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
}
