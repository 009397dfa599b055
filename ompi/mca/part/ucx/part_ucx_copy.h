/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Copying into memory that the core of another process has used last, over and over. There are two
 * ways, and neither is always the better one:
 *
 *   through the cache   each line is fetched before it is written. Quick where the other core's
 *                       cache is near; several times slower than memory where it is not (another
 *                       group of cores, another socket).
 *   past the cache      lines go to memory whole, and the other core reads them from there.
 *
 * Which cores two processes run on is not known for long, so it is measured: a copier keeps what
 * each way has cost, takes the cheaper one, and now and then tries the other: for a while, as the
 * first copies one way pay for where the other has left the lines.
 */
#ifndef PART_UCX_COPY_H
#define PART_UCX_COPY_H

#include <stddef.h>
#include <stdint.h>

typedef enum mca_part_ucx_copy_way_t {
    PART_UCX_COPY_THROUGH,
    PART_UCX_COPY_PAST,
    PART_UCX_COPY_WAYS
} mca_part_ucx_copy_way_t;

/** From one process to another. Begins with all 0. One thread at a time. */
typedef struct mca_part_ucx_copier_t {
    uint32_t cost[PART_UCX_COPY_WAYS]; /**< ns per MiB, smoothed; 0: not known yet */
    mca_part_ucx_copy_way_t way;       /**< the cheaper one */
    mca_part_ucx_copy_way_t last;      /**< the last copy's */
    uint32_t run;                      /**< copies in that way, one after the other */
    uint32_t wait;                     /**< copies from one try of the other to the next */
    uint32_t left;                     /**< copies until a try begins or ends */
    uint32_t trying;
} mca_part_ucx_copier_t;

/** Copy, in the way that is cheaper here. When it returns, other processes that hear of it later
 * see the bytes. */
void mca_part_ucx_copy(mca_part_ucx_copier_t *copier, void *to, const void *from, size_t bytes);

/** The way to take next. */
mca_part_ucx_copy_way_t mca_part_ucx_copy_choose(mca_part_ucx_copier_t *copier);

/** What that copy has cost. */
void mca_part_ucx_copy_note(mca_part_ucx_copier_t *copier, mca_part_ucx_copy_way_t way,
                            size_t bytes, uint64_t ns);

/** Copy past the cache, where the processor can; else like memcpy(). Any alignment. */
void mca_part_ucx_copy_past(void *to, const void *from, size_t bytes);

#endif /* PART_UCX_COPY_H */
