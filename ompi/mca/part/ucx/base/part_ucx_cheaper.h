/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The cheaper one of two ways to do the same thing, where that is not known for long: on which
 * cores two processes run, and how far these are from each other, changes under way. So it is
 * measured: what each way has cost is kept, the cheaper one is taken, and now and then the other is
 * tried: for a while, as the first steps one way may pay for what the other has left behind.
 */
#ifndef PART_UCX_CHEAPER_H
#define PART_UCX_CHEAPER_H

#include <stdint.h>

#define PART_UCX_CHEAPER_WAYS 2u

/** Between ways 0 and 1. Begins with all 0: both are looked at, way 0 first. One thread at a time.
 */
typedef struct mca_part_ucx_cheaper_t {
    uint32_t cost[PART_UCX_CHEAPER_WAYS]; /**< ns per MiB, smoothed; 0: not known yet */
    uint32_t way;                         /**< the cheaper one */
    uint32_t last;                        /**< the last step's */
    uint32_t run;                         /**< steps in that way, one after the other */
    uint32_t wait;                        /**< steps from one try of the other to the next */
    uint32_t left;                        /**< steps until a try begins or ends */
    uint32_t trying;
} mca_part_ucx_cheaper_t;

/** Another beginning: this way for a while, before the other one is tried. */
static inline void mca_part_ucx_cheaper_begin(mca_part_ucx_cheaper_t *cheaper, uint32_t way,
                                              uint32_t steps)
{
    *cheaper = (mca_part_ucx_cheaper_t) {.way = way, .wait = steps, .left = steps};
}

/** The way to take next. */
uint32_t mca_part_ucx_cheaper_next(mca_part_ucx_cheaper_t *cheaper);

/** What a step has cost: nanoseconds for some bytes (1 or more). */
void mca_part_ucx_cheaper_note(mca_part_ucx_cheaper_t *cheaper, uint32_t way, uint64_t bytes,
                               uint64_t ns);

#endif /* PART_UCX_CHEAPER_H */
