/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrival flags (see part_ucx_arrivals.h).
 */
#include "channel/part_ucx_arrivals.h"

#include "api/part_ucx_epoch.h"

#include <stdlib.h>
#include <string.h>

void mca_part_ucx_arrivals_free(mca_part_ucx_arrivals_t *arrivals)
{
    free((void *) arrivals->flag);
    free(arrivals);
}

/* All but the flags: what it has per partition lies behind it. */
static mca_part_ucx_arrivals_t *allocate(const mca_part_ucx_map_t *map)
{
    /* Is every receive partition one segment? Equal numbers of both are not enough. */
    bool one_each = 1 == map->slices && map->send_partitions == map->recv_partitions;
    size_t partitions = map->recv_partitions;
    size_t each = one_each ? sizeof(uint32_t) : 2 * sizeof(uint32_t) + sizeof(uint64_t);
    mca_part_ucx_arrivals_t *arrivals = calloc(1, sizeof(*arrivals) + partitions * each);

    if (NULL == arrivals) {
        return NULL;
    }
    arrivals->map = *map;
    arrivals->alone = 1 == map->pairs;
    if (one_each) {
        arrivals->first = (uint32_t *) (void *) (arrivals + 1);
    } else {
        arrivals->cursor = (_Atomic uint64_t *) (void *) (arrivals + 1);
        arrivals->first = (uint32_t *) (void *) (arrivals->cursor + partitions);
        arrivals->last = arrivals->first + partitions;
    }
    return arrivals;
}

static bool allocate_flags(mca_part_ucx_arrivals_t *arrivals)
{
    size_t bytes = ((size_t) arrivals->map.flags * sizeof(uint64_t) + 63) & ~(size_t) 63;
    void *flags = NULL;

    /* Whole cache lines: puts of other channels must not touch a neighbour's. */
    if (0 != posix_memalign(&flags, 64, bytes)) {
        return false;
    }
    memset(flags, 0, bytes);
    arrivals->flag = flags;
    return true;
}

mca_part_ucx_arrivals_t *mca_part_ucx_arrivals_make(const mca_part_ucx_map_t *map, bool puts)
{
    mca_part_ucx_arrivals_t *arrivals = allocate(map);

    if (NULL != arrivals && !puts) {
        arrivals->map.pairs = 1;
    }
    if (NULL == arrivals || !allocate_flags(arrivals)) {
        free(arrivals);
        return NULL;
    }
    for (uint32_t i = 0; i < map->recv_partitions; ++i) {
        uint32_t first, last;

        mca_part_ucx_map_cover(map, i, &first, &last);
        if (NULL == arrivals->last) {
            arrivals->first[i] = mca_part_ucx_map_flag(&arrivals->map, first);
        } else {
            arrivals->first[i] = first;
            arrivals->last[i] = last;
        }
    }
    return arrivals;
}

/* Has the segment come in an epoch before? With or without PART_UCX_FETCHING. */
static bool is_missing(const _Atomic uint64_t *flag, uint32_t epoch)
{
    return mca_part_ucx_epoch_is_later(
        epoch, (uint32_t) atomic_load_explicit(flag, memory_order_relaxed));
}

/*
 * Handlers of several paths may see the same segment, if it comes twice: one of them gets it. One
 * that has judged its message, and then stood still until the next epoch had brought the segment,
 * gets nothing: a claim goes forward only.
 */
static bool claim_one(_Atomic uint64_t *flag, uint32_t epoch)
{
    uint64_t before = atomic_load_explicit(flag, memory_order_relaxed);

    return mca_part_ucx_epoch_is_later(epoch, (uint32_t) before)
           && atomic_compare_exchange_strong_explicit(flag, &before, epoch | PART_UCX_FETCHING,
                                                      memory_order_relaxed, memory_order_relaxed);
}

bool mca_part_ucx_arrivals_reserve(mca_part_ucx_arrivals_t *arrivals, uint32_t epoch,
                                   uint32_t first, uint32_t count)
{
    _Atomic uint64_t *flag = &arrivals->flag[mca_part_ucx_map_flag(&arrivals->map, first)];
    bool alone = arrivals->alone; /* its lock is held */
    uint32_t got = 0;

    while (got < count
           && (alone ? is_missing(&flag[got], epoch) : claim_one(&flag[got], epoch))) {
        ++got;
    }
    for (uint32_t i = 0; !alone && got < count && i < got; ++i) {
        atomic_store_explicit(&flag[i], 0, memory_order_relaxed); /* of no epoch */
    }
    return got == count;
}

void mca_part_ucx_arrivals_set(mca_part_ucx_arrivals_t *arrivals, uint64_t epoch, uint32_t first,
                               uint32_t count)
{
    uint32_t flag = mca_part_ucx_map_flag(&arrivals->map, first);

    for (uint32_t i = 0; i < count; ++i) {
        atomic_store_explicit(&arrivals->flag[flag + i], epoch, memory_order_release);
    }
}

void mca_part_ucx_arrivals_forget(mca_part_ucx_arrivals_t *arrivals)
{
    for (uint32_t i = 0; NULL != arrivals->cursor && i < arrivals->map.recv_partitions; ++i) {
        atomic_store_explicit(&arrivals->cursor[i], 0, memory_order_relaxed);
    }
}

bool mca_part_ucx_arrivals_range(mca_part_ucx_arrivals_t *arrivals, size_t partition,
                                 uint32_t epoch)
{
    uint64_t known = atomic_load_explicit(&arrivals->cursor[partition], memory_order_acquire);
    uint32_t last = arrivals->last[partition];
    uint32_t segment = arrivals->first[partition];
    uint32_t begin;

    if (known >> 32 == epoch) {
        segment = (uint32_t) known;
    }
    begin = segment;
    while (segment <= last
           && epoch == atomic_load_explicit(
                  &arrivals->flag[mca_part_ucx_map_flag(&arrivals->map, segment)],
                  memory_order_acquire)) {
        ++segment;
    }
    if (segment != begin) {
        atomic_store_explicit(&arrivals->cursor[partition], (uint64_t) epoch << 32 | segment,
                              memory_order_release);
    }
    return segment > last;
}
