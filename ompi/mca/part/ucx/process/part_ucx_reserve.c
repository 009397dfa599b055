/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The reserve (see part_ucx_reserve.h).
 */
#include "process/part_ucx_reserve.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 64u

static alignas(max_align_t) char reserve[BLOCKS][PART_UCX_RESERVE_BYTES];
static atomic_uint_least64_t taken; /* a bit for each block */

static void *take(void)
{
    uint64_t before = atomic_load(&taken);
    unsigned block;

    do {
        if (UINT64_MAX == before) {
            return NULL;
        }
        block = (unsigned) __builtin_ctzll(~before);
    } while (!atomic_compare_exchange_weak(&taken, &before, before | UINT64_C(1) << block));
    return memset(reserve[block], 0, PART_UCX_RESERVE_BYTES);
}

void *mca_part_ucx_reserve_calloc(size_t bytes)
{
    void *memory = calloc(1, bytes);

    return NULL == memory && bytes <= PART_UCX_RESERVE_BYTES ? take() : memory;
}

void mca_part_ucx_reserve_free(void *memory)
{
    uintptr_t offset = (uintptr_t) memory - (uintptr_t) reserve;

    if (offset < sizeof(reserve)) {
        atomic_fetch_and(&taken, ~(UINT64_C(1) << offset / PART_UCX_RESERVE_BYTES));
    } else {
        free(memory);
    }
}
