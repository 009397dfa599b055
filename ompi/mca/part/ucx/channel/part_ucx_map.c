/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The map from partitions to transfer units (see part_ucx_map.h).
 */
#include "channel/part_ucx_map.h"

#include <stddef.h>

/* Slices start at multiples of this, so that no two paths write into one cache line. */
#define SLICE_ALIGN 64u

/* A message without bytes is aggregated in units of this many partitions. */
#define EMPTY_GROUP 256u

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (0 != a % b);
}

/* The largest power of two that is not above `value`, which is at least 1. */
static uint64_t power_of_two(uint64_t value)
{
    uint64_t power = 1;

    while (power <= value / 2) {
        power *= 2;
    }
    return power;
}

/* Size to which small partitions are aggregated: not at the price of leaving paths without work,
 * unless units would get so small that their number costs more than the paths bring. */
static uint64_t aggregate_size(uint64_t total, const mca_part_ucx_map_limits_t *limits)
{
    uint64_t share = min_u64(total / limits->pairs, limits->unit_min);

    return share < limits->unit_min / 4 ? limits->unit_min / 4 : share;
}

/* No slice is larger than this when so many are cut: those that do not begin on a boundary by
 * themselves begin up to SLICE_ALIGN earlier. */
static uint64_t largest_slice(uint64_t bytes, uint64_t slices)
{
    if (0 == bytes % slices && 0 == bytes / slices % SLICE_ALIGN) {
        return bytes / slices;
    }
    return ceil_div(bytes, slices) + (1 == slices ? 0 : SLICE_ALIGN);
}

/*
 * Slices of a partition of `bytes`: enough that the partitions together fill all paths, enough
 * that a late partition alone can still use all paths, and none larger than unit_max.
 */
static uint64_t choose_slices(uint64_t bytes, uint32_t partitions,
                              const mca_part_ucx_map_limits_t *limits)
{
    uint64_t stripe = limits->stripe_min < SLICE_ALIGN ? SLICE_ALIGN : limits->stripe_min;
    uint64_t slices = min_u64(limits->pairs, bytes / stripe);
    uint64_t most = (UINT32_MAX / 2) / partitions;

    slices = 0 == slices ? 1 : slices;
    if (0 != limits->unit_max && largest_slice(bytes, slices) > limits->unit_max) {
        /* A multiple of the pairs: every partition loads all of them alike. */
        slices = limits->pairs * ceil_div(bytes, limits->pairs * limits->unit_max);
        if (largest_slice(bytes, slices) > limits->unit_max
            && limits->unit_max > 2 * SLICE_ALIGN) {
            slices = limits->pairs
                     * ceil_div(bytes, limits->pairs * (limits->unit_max - SLICE_ALIGN - 1));
        }
    }
    slices = min_u64(slices, bytes / SLICE_ALIGN);
    slices = min_u64(slices, most);
    return 0 == slices ? 1 : slices;
}

void mca_part_ucx_map_choose(uint64_t total, uint32_t send_partitions,
                             const mca_part_ucx_map_limits_t *limits, uint32_t *slices,
                             uint32_t *group)
{
    uint64_t bytes = total / send_partitions;
    uint64_t aggregate = aggregate_size(total, limits);

    *slices = 1;
    *group = 1;
    if (0 == bytes) {
        *group = (uint32_t) min_u64(send_partitions, EMPTY_GROUP);
    } else if (bytes <= aggregate / 2) {
        /* A power of two, because MPI_Pready divides by it. */
        *group = (uint32_t) min_u64(send_partitions, power_of_two(aggregate / bytes));
    } else {
        *slices = (uint32_t) choose_slices(bytes, send_partitions, limits);
    }
}

void mca_part_ucx_map_regroup(mca_part_ucx_map_t *map, uint32_t group)
{
    map->group = group;
    map->group_shift = 0 == (group & (group - 1)) ? (uint8_t) __builtin_ctz(group)
                                                  : PART_UCX_MAP_NO_SHIFT;
    map->units = (uint32_t) ceil_div(map->segments, group);
}

bool mca_part_ucx_map_init(mca_part_ucx_map_t *map, uint64_t total, uint32_t send_partitions,
                           uint32_t recv_partitions, uint32_t slices, uint32_t group,
                           uint32_t pairs)
{
    if (0 == send_partitions || 0 == recv_partitions || 0 == slices || 0 == group || 0 == pairs
        || (slices > 1 && group > 1) || group > send_partitions
        || 0 != total % send_partitions || 0 != total % recv_partitions) {
        return false;
    }
    map->total = total;
    map->send_partitions = send_partitions;
    map->recv_partitions = recv_partitions;
    map->slices = slices;
    map->pairs = pairs;
    /* Partitions without bytes still arrive one by one: give each side's partitions a pretended
     * size so that the same interval arithmetic relates them. */
    map->send_bytes = 0 == total ? recv_partitions : total / send_partitions;
    map->recv_bytes = 0 == total ? send_partitions : total / recv_partitions;
    if ((uint64_t) send_partitions * slices > UINT32_MAX / 2
        || (slices > 1 && (0 == total || map->send_bytes / slices < SLICE_ALIGN))) {
        return false;
    }
    map->segments = send_partitions * slices;
    mca_part_ucx_map_regroup(map, group);
    map->flags = map->units * group;
    map->piece = NULL;
    return true;
}

bool mca_part_ucx_map_init_pieces(mca_part_ucx_map_t *map, const mca_part_ucx_piece_t *piece,
                                  uint32_t count, uint32_t pairs)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < count; ++i) {
        total += piece[i].bytes;
    }
    if (0 == count || count > UINT32_MAX / 2 || 0 == pairs) {
        return false;
    }
    *map = (mca_part_ucx_map_t) {.total = total,
                                 .send_partitions = count,
                                 .recv_partitions = count,
                                 .slices = 1,
                                 .group = 1,
                                 .segments = count,
                                 .units = count,
                                 .pairs = pairs,
                                 .piece = piece};
    return true;
}

/* Where slice `slice` of a partition begins, in bytes from the partition's begin. */
static uint64_t slice_begin(const mca_part_ucx_map_t *map, uint32_t slice)
{
    uint64_t whole = map->send_bytes / map->slices;
    uint64_t rest = map->send_bytes % map->slices;

    if (slice == map->slices) {
        return map->send_bytes;
    }
    return (whole * slice + rest * slice / map->slices) & ~(uint64_t) (SLICE_ALIGN - 1);
}

/* Where a segment begins; `segment` may be one past the last. */
static uint64_t segment_begin(const mca_part_ucx_map_t *map, uint32_t segment)
{
    uint64_t begin = map->send_bytes * (segment / map->slices);

    if (map->slices > 1) {
        begin += slice_begin(map, segment % map->slices);
    }
    return begin;
}

void mca_part_ucx_map_range(const mca_part_ucx_map_t *map, uint32_t first, uint32_t count,
                            uint64_t *offset, uint64_t *length)
{
    if (NULL != map->piece) {
        *offset = map->piece[first].address;
        *length = map->piece[first].bytes;
        return;
    }
    if (0 == map->total) {
        *offset = 0;
        *length = 0;
        return;
    }
    *offset = segment_begin(map, first);
    *length = segment_begin(map, first + count) - *offset;
}

bool mca_part_ucx_map_names(const mca_part_ucx_map_t *map, uint32_t first, uint32_t count,
                            uint64_t *offset, uint64_t *length)
{
    if (first >= map->segments || 0 == count || count > map->segments - first
        || (NULL != map->piece && 1 != count)) {
        return false;
    }
    mca_part_ucx_map_range(map, first, count, offset, length);
    return true;
}

void mca_part_ucx_map_unit(const mca_part_ucx_map_t *map, uint32_t unit, uint32_t *first,
                           uint32_t *count)
{
    *first = unit * map->group;
    *count = map->segments - *first < map->group ? map->segments - *first : map->group;
}

/* The segment that holds byte `position` of the message. */
static uint32_t segment_at(const mca_part_ucx_map_t *map, uint64_t position)
{
    uint32_t partition = (uint32_t) (position / map->send_bytes);
    uint64_t within = position % map->send_bytes;
    uint32_t slice;

    if (1 == map->slices) {
        return partition;
    }
    /* Never above the right slice; below it by the rounding only. */
    slice = (uint32_t) (within / ceil_div(map->send_bytes, map->slices));
    while (slice + 1 < map->slices && slice_begin(map, slice + 1) <= within) {
        ++slice;
    }
    return partition * map->slices + slice;
}

void mca_part_ucx_map_cover(const mca_part_ucx_map_t *map, uint32_t recv_partition,
                            uint32_t *first, uint32_t *last)
{
    uint64_t begin = map->recv_bytes * recv_partition;

    *first = segment_at(map, begin);
    *last = segment_at(map, begin + map->recv_bytes - 1);
}

uint32_t mca_part_ucx_map_flag(const mca_part_ucx_map_t *map, uint32_t segment)
{
    if (1 == map->pairs) {
        return segment;
    }
    uint32_t unit = segment / map->group;
    uint32_t pair = unit % map->pairs;
    uint32_t rest = map->units % map->pairs;
    /* Units on all pairs before this one. */
    uint32_t before = pair * (map->units / map->pairs) + (pair < rest ? pair : rest);

    return (before + unit / map->pairs) * map->group + segment % map->group;
}
