/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers of any datatype: filled and checked through MPI_Pack and MPI_Unpack, so that the expected
 * bytes do not depend on the code under test; gaps and margins are watched for stray writes.
 */

#include "mpitest.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 64

/* MPI_Pack and MPI_Unpack take int sizes: whole partitions are moved one at a time. */
static int as_int(size_t value)
{
    if (value > INT_MAX) {
        abort(); /* a test asked for more than these helpers were made for */
    }
    return (int) value;
}

static unsigned char *partition_address(const mt_typed_t *typed, int partition)
{
    return typed->origin + (MPI_Aint) partition * (MPI_Aint) typed->count * typed->extent;
}

static void unpack_partition(const mt_typed_t *typed, unsigned char *base, const void *stream,
                             int partition)
{
    int position = 0;
    unsigned char *to = base + (partition_address(typed, partition) - typed->memory);

    MPI_Unpack(stream, as_int(typed->partition_size), &position, to, as_int((size_t) typed->count),
               typed->type, MPI_COMM_SELF);
}

void mt_typed_make(mt_typed_t *typed, int partitions, MPI_Count count, MPI_Datatype type)
{
    static atomic_uint made;
    MPI_Aint lower = 0;
    MPI_Aint true_lower = 0;
    MPI_Aint true_extent = 0;
    int size = 0;

    memset(typed, 0, sizeof(*typed));
    typed->gap = (unsigned char) (MT_SENTINEL ^ (unsigned) mt_rank() << 4 ^ (++made & 0xfu));
    MPI_Type_get_extent(type, &lower, &typed->extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    MPI_Type_size(type, &size);
    typed->type = type;
    typed->partitions = partitions;
    typed->count = count;
    typed->partition_size = (size_t) count * (size_t) size;

    MPI_Aint elements = (MPI_Aint) partitions * (MPI_Aint) count;
    MPI_Aint last = elements > 0 ? (elements - 1) * typed->extent : 0;
    MPI_Aint low = (last < 0 ? last : 0) + (true_lower < 0 ? true_lower : 0);
    MPI_Aint high = (last > 0 ? last : 0) + true_lower + true_extent;
    high = high > 0 ? high : 0;
    typed->span = (size_t) (high - low) + 2 * MARGIN;
    typed->memory = mt_alloc(typed->span);
    typed->mask = mt_alloc(typed->span);
    typed->origin = typed->memory + MARGIN - low;

    unsigned char *ones = mt_alloc(typed->partition_size);
    memset(ones, 0xff, typed->partition_size);
    memset(typed->mask, 0, typed->span);
    for (int i = 0; i < partitions && typed->partition_size > 0; i++) {
        unpack_partition(typed, typed->mask, ones, i);
    }
    free(ones);
    mt_typed_reset(typed);
}

void mt_typed_drop(mt_typed_t *typed)
{
    free(typed->memory);
    free(typed->mask);
    memset(typed, 0, sizeof(*typed));
}

void mt_typed_reset(mt_typed_t *typed)
{
    memset(typed->memory, typed->gap, typed->span);
}

void mt_typed_fill(mt_typed_t *typed, int partition, uint64_t seed)
{
    unsigned char *stream = mt_alloc(typed->partition_size);

    mt_fill(stream, typed->partition_size, seed, (size_t) partition * typed->partition_size);
    if (typed->partition_size > 0) {
        unpack_partition(typed, typed->memory, stream, partition);
    }
    free(stream);
}

void mt_typed_fill_all(mt_typed_t *typed, uint64_t seed)
{
    for (int i = 0; i < typed->partitions; i++) {
        mt_typed_fill(typed, i, seed);
    }
}

static size_t wrong_in_partition(const mt_typed_t *typed, int partition, uint64_t seed)
{
    unsigned char *stream = mt_alloc(typed->partition_size);
    int position = 0;
    size_t wrong = 0;

    if (typed->partition_size > 0) {
        MPI_Pack(partition_address(typed, partition), as_int((size_t) typed->count), typed->type,
                 stream, as_int(typed->partition_size), &position, MPI_COMM_SELF);
        wrong = mt_wrong(stream, typed->partition_size, seed,
                         (size_t) partition * typed->partition_size);
    }
    free(stream);
    return wrong;
}

size_t mt_typed_wrong(const mt_typed_t *typed, int partition, uint64_t seed)
{
    size_t wrong = 0;

    if (partition >= 0) {
        return wrong_in_partition(typed, partition, seed);
    }
    for (int i = 0; i < typed->partitions; i++) {
        wrong += wrong_in_partition(typed, i, seed);
    }
    return wrong;
}

size_t mt_typed_spilled(const mt_typed_t *typed)
{
    return mt_spilled(typed->memory, typed->mask, typed->span, typed->gap);
}

size_t mt_typed_touched(const mt_typed_t *typed)
{
    return mt_differ(typed->memory, typed->span, typed->gap);
}
