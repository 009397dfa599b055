/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The map from partitions to transfer units: which bytes travel together, over which path,
 * and which arrival flags cover a receive partition. Pure integer arithmetic over a few
 * numbers that both sides know: no UCX, no MPI, no memory of its own. Both processes of a
 * channel evaluate it independently and must get the same answer.
 *
 * Three words:
 *   segment  the smallest range of bytes with an arrival flag of its own. It never spans two
 *            send partitions: it is a whole send partition, or one slice of a large one.
 *   unit     one or more neighbouring segments that normally leave in one message. Small
 *            partitions are aggregated (several segments in a unit), large ones are striped
 *            (several units for one partition); never both, but in the sender's own cut
 *            (part_ucx_regroup.h).
 *   pair     a path of the sender, and the one of the receiver that it meets. Unit u travels over
 *            pair u mod pairs.
 *
 *   send partitions   |    0    |    1    |    2    |    3    |      (group 2, slices 1)
 *   units             |         0         |         1         |
 *   send partitions   |         0         |         1         |      (group 1, slices 2)
 *   units             |    0    |    1    |    2    |    3    |
 */
#ifndef PART_UCX_MAP_H
#define PART_UCX_MAP_H

#include "api/part_ucx_piece.h"

#include <stdbool.h>
#include <stdint.h>

/** Limits that steer how a channel is cut; all sizes in bytes. */
typedef struct mca_part_ucx_map_limits_t {
    uint32_t pairs;      /**< pairs of paths between the two processes, at least 1 */
    uint64_t unit_min;   /**< aggregate partitions of at most half of this up to this size, or
                          * up to a quarter of it where that gives every path a unit */
    uint64_t unit_max;   /**< no unit of a striped partition is larger than this; 0: no limit */
    uint64_t stripe_min; /**< do not cut slices smaller than this to reach more paths */
} mca_part_ucx_map_limits_t;

/** How a channel is cut. Immutable after mca_part_ucx_map_init(), but see part_ucx_regroup.h. */
typedef struct mca_part_ucx_map_t {
    uint64_t total;           /**< bytes of the whole message */
    uint64_t send_bytes;      /**< bytes of a send partition (scaled when total is 0) */
    uint64_t recv_bytes;      /**< bytes of a receive partition (scaled when total is 0) */
    uint32_t send_partitions; /**< partitions of the sender */
    uint32_t recv_partitions; /**< partitions of the receiver */
    uint32_t slices;          /**< units per send partition; 1 when aggregating */
    uint32_t group;           /**< send partitions per unit; 1 when striping */
    uint32_t segments;        /**< number of segments */
    uint32_t units;           /**< number of units */
    uint32_t flags;           /**< length of the flag array (segments, and padding) */
    uint32_t pairs;           /**< number of pairs */
    uint8_t group_shift;      /**< log2 of group, or PART_UCX_MAP_NO_SHIFT */
    const mca_part_ucx_piece_t *piece; /**< of a link: per segment; else NULL */
} mca_part_ucx_map_t;

#define PART_UCX_MAP_NO_SHIFT UINT8_MAX

/**
 * Choose how to cut a message of `total` bytes in `send_partitions` equal partitions.
 *
 * @param[out] slices  units per partition, at least 1
 * @param[out] group   partitions per unit, at least 1; one of the two is always 1
 */
void mca_part_ucx_map_choose(uint64_t total, uint32_t send_partitions,
                             const mca_part_ucx_map_limits_t *limits, uint32_t *slices,
                             uint32_t *group);

/**
 * Fill a map.
 *
 * @return false when the arguments contradict each other (a count of zero, a total that is not
 *         a multiple of either partition count, slices too small, too many segments).
 */
bool mca_part_ucx_map_init(mca_part_ucx_map_t *map, uint64_t total, uint32_t send_partitions,
                           uint32_t recv_partitions, uint32_t slices, uint32_t group,
                           uint32_t pairs);

/**
 * Fill the map of a link: every piece is a segment and a unit of its own.
 *
 * @return false when there is none, or too many.
 */
bool mca_part_ucx_map_init_pieces(mca_part_ucx_map_t *map, const mca_part_ucx_piece_t *piece,
                                  uint32_t count, uint32_t pairs);

/** Cut it into units of so many segments from now on. The other end may do otherwise, but for where
 * flags are (mca_part_ucx_map_flag()). */
void mca_part_ucx_map_regroup(mca_part_ucx_map_t *map, uint32_t group);

/** Byte range of `count` neighbouring segments from `first` on, within the message; of a piece
 * its address. */
void mca_part_ucx_map_range(const mca_part_ucx_map_t *map, uint32_t first, uint32_t count,
                            uint64_t *offset, uint64_t *length);

/**
 * Are these neighbouring segments, of a link one? Of anything that a peer may say. Their byte
 * range, too, if so.
 */
bool mca_part_ucx_map_names(const mca_part_ucx_map_t *map, uint32_t first, uint32_t count,
                            uint64_t *offset, uint64_t *length);

/** Segments of a unit: the first one, and how many (the last unit may be shorter). */
void mca_part_ucx_map_unit(const mca_part_ucx_map_t *map, uint32_t unit, uint32_t *first,
                           uint32_t *count);

/** Segments that cover a receive partition: first and last, inclusive. */
void mca_part_ucx_map_cover(const mca_part_ucx_map_t *map, uint32_t recv_partition,
                            uint32_t *first, uint32_t *last);

/**
 * Index of a segment's arrival flag. Flags of one path are contiguous, in the order of the
 * units, so that neighbouring flags of a path can be written by one put.
 */
uint32_t mca_part_ucx_map_flag(const mca_part_ucx_map_t *map, uint32_t segment);

/** Unit of a segment. */
static inline uint32_t mca_part_ucx_map_unit_of(const mca_part_ucx_map_t *map, uint32_t segment)
{
    /* MPI_Pready comes here; a shift is several times cheaper than a division. */
    return PART_UCX_MAP_NO_SHIFT == map->group_shift ? segment / map->group
                                                     : segment >> map->group_shift;
}

/** Pair that a unit travels over; of pairs that do not carry the same see part_ucx_pair_choice.h.
 */
static inline uint32_t mca_part_ucx_map_pair(const mca_part_ucx_map_t *map, uint32_t unit)
{
    return unit % map->pairs;
}

/** Send partition that a segment belongs to. */
static inline uint32_t mca_part_ucx_map_partition_of(const mca_part_ucx_map_t *map,
                                                     uint32_t segment)
{
    return segment / map->slices;
}

#endif /* PART_UCX_MAP_H */
