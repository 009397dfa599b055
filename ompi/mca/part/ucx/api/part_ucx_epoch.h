/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Epochs number the iterations of a request. They go round: a channel of small partitions has 2^32
 * iterations behind it in an hour or two. What is kept of epochs is compared by equality, or by the
 * sign of a difference.
 */
#ifndef PART_UCX_EPOCH_H
#define PART_UCX_EPOCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The epoch after this one. 0 means "never started" and UINT32_MAX "none": neither is an epoch. */
static inline uint32_t mca_part_ucx_epoch_next(uint32_t epoch)
{
    return epoch < UINT32_MAX - 1 ? epoch + 1 : 1;
}

/** Do numbers begin again after this one? */
static inline bool mca_part_ucx_epoch_is_last(uint32_t epoch)
{
    return UINT32_MAX - 1 == epoch;
}

/** Do any of marks low..high (inclusive) hold this epoch? */
static inline bool mca_part_ucx_epoch_any(atomic_uint *marks, size_t low, size_t high,
                                          uint32_t epoch)
{
    for (size_t i = low; i <= high; ++i) {
        if (epoch == atomic_load_explicit(&marks[i], memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

/** Steps from one epoch to another one; negative: back. Where numbers begin again between them, the
 * two that no epoch has are counted, too. */
static inline int32_t mca_part_ucx_epoch_steps(uint32_t from, uint32_t to)
{
    return (int32_t) (to - from);
}

/** Is an epoch after another one? */
static inline bool mca_part_ucx_epoch_is_after(uint32_t epoch, uint32_t other)
{
    return mca_part_ucx_epoch_steps(other, epoch) > 0;
}

/** Is an epoch after the last one of something, which may be 0: there was none? */
static inline bool mca_part_ucx_epoch_is_later(uint32_t epoch, uint32_t last)
{
    return 0 == last || mca_part_ucx_epoch_is_after(epoch, last);
}

#endif /* PART_UCX_EPOCH_H */
