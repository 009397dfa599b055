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

/** Is an epoch later than another one, which may be 0: none? */
static inline bool mca_part_ucx_epoch_is_later(uint32_t epoch, uint32_t other)
{
    return 0 == other || (int32_t) (epoch - other) > 0;
}

#endif /* PART_UCX_EPOCH_H */
