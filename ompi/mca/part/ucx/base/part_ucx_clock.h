/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The time, for measuring how much of it passes.
 */
#ifndef PART_UCX_CLOCK_H
#define PART_UCX_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** Nanoseconds since some time before. */
static inline uint64_t mca_part_ucx_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
}

/** Seconds since some time before, in steps of some milliseconds; costs next to nothing. */
static inline double mca_part_ucx_clock_coarse(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/** What is looked at now and then, by whom calls often; all zero at first. */
typedef struct mca_part_ucx_looks_t {
    unsigned calls;
    double last; /**< seconds */
} mca_part_ucx_looks_t;

/** Is the next look due, `interval` seconds after the last one? The clock is read in one call of
 * `every` only. In a hurry it is due in any case. Then this is the last one, at `now`. */
static inline bool mca_part_ucx_clock_due(mca_part_ucx_looks_t *looks, unsigned every,
                                          double interval, bool hurry, double *now)
{
    if (!hurry && 0 != ++looks->calls % every) {
        return false;
    }
    *now = mca_part_ucx_clock_coarse();
    if (!hurry && *now - looks->last < interval) {
        return false;
    }
    looks->last = *now;
    return true;
}

#endif /* PART_UCX_CLOCK_H */
