/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which partitions of a receive have arrived: flags, one per segment, that hold the epoch in which
 * the segment arrived last. Messages set them, or the sender's puts; MPI_Parrived compares them.
 * Pure.
 */
#ifndef PART_UCX_ARRIVALS_H
#define PART_UCX_ARRIVALS_H

#include "channel/part_ucx_map.h"

#include <stdatomic.h>
#include <stddef.h>

/**
 * It is made with a match and never changes but for flags and cursors; when a match is undone and
 * another one made, a thread may still look at the old one, so it stays until the channel is freed.
 */
typedef struct mca_part_ucx_arrivals_t {
    struct mca_part_ucx_arrivals_t *earlier; /**< of the match before */
    mca_part_ucx_map_t map;
    _Atomic uint64_t *flag;   /**< arrival flags: the epoch, by flag index; PART_UCX_FETCHING */
    uint32_t *first;          /**< per partition: index of its first segment's flag; the segment
                               * itself if it has several */
    uint32_t *last;           /**< per partition: last segment; NULL if one segment each */
    _Atomic uint64_t *cursor; /**< per partition: epoch << 32 | first segment missing; or NULL */
    bool alone;               /**< one lock keeps all others from its flags: that of the only path.
                               * MPI_Start sets some before the epoch has begun */
} mca_part_ucx_arrivals_t;

/** Bit of a flag: of this epoch, but its data are still on their way. */
#define PART_UCX_FETCHING (UINT64_C(1) << 63)

/**
 * Make one for a map, all flags 0. NULL: no memory.
 *
 * @param puts  peers' puts set the flags, and find those of a path beside each other
 *              (mca_part_ucx_map_flag()); else they are in the order of segments, of which one
 *              message may bring any neighbours
 */
mca_part_ucx_arrivals_t *mca_part_ucx_arrivals_make(const mca_part_ucx_map_t *map, bool puts);

void mca_part_ucx_arrivals_free(mca_part_ucx_arrivals_t *arrivals);

/** Has none of these neighbouring segments arrived in this epoch, nor is any on its way into the
 * buffer? Then they are the caller's to bring there, and nobody else's. Under the path's lock; with
 * several paths, under that of any. */
bool mca_part_ucx_arrivals_reserve(mca_part_ucx_arrivals_t *arrivals, uint32_t epoch,
                                   uint32_t first, uint32_t count);

/** Segments first..first+count-1 have arrived in this epoch; where puts write flags, of one unit,
 * as flags of other units may lie elsewhere. With PART_UCX_FETCHING
 * they are going to be fetched: they have not arrived, but are not new any more. */
void mca_part_ucx_arrivals_set(mca_part_ucx_arrivals_t *arrivals, uint64_t epoch, uint32_t first,
                               uint32_t count);

/** Numbers of epochs begin again: what was remembered of one of the same number does not count.
 * Between two epochs. */
void mca_part_ucx_arrivals_forget(mca_part_ucx_arrivals_t *arrivals);

/** All segments of a partition that has several; remembers how far it got. */
bool mca_part_ucx_arrivals_range(mca_part_ucx_arrivals_t *arrivals, size_t partition,
                                 uint32_t epoch);

/** Has a partition arrived? With memory order acquire for its data. */
static inline bool mca_part_ucx_arrivals_has(mca_part_ucx_arrivals_t *arrivals, size_t partition,
                                             uint32_t epoch)
{
    if (NULL != arrivals->last) {
        return mca_part_ucx_arrivals_range(arrivals, partition, epoch);
    }
    return epoch == atomic_load_explicit(&arrivals->flag[arrivals->first[partition]],
                                         memory_order_acquire);
}

#endif /* PART_UCX_ARRIVALS_H */
