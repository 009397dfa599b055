/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the boxes of a link lie (part_ucx_fastbox.h), in memory that two processes share:
 *
 *   head                                      a cache line
 *   boxes of the epochs n, 2n, ...            one per piece; each begins a cache line
 *   boxes of the epochs 1, n + 1, ...
 *   ... of n rows in all
 *
 * Pure.
 */
#ifndef PART_UCX_BOXES_H
#define PART_UCX_BOXES_H

#include "api/part_ucx_piece.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PART_UCX_BOXES_LINE 64u

/** Links with more pieces, or with boxes of an epoch that are larger together, have none. */
#define PART_UCX_FASTBOX_PIECES 16u
#define PART_UCX_FASTBOX_BYTES  4352u

/** Before the boxes. */
typedef struct mca_part_ucx_boxes_head_t {
    atomic_uint asleep; /**< nobody looks: who fills a box sends a message, too */
} mca_part_ucx_boxes_head_t;

/** The bytes of a piece, and what makes them count. */
typedef struct mca_part_ucx_box_t {
    atomic_uint epoch; /**< the last one whose piece was put here; 0: none */
    uint32_t zero;     /**< reserved, 0 */
    char bytes[];
} mca_part_ucx_box_t;

static_assert(sizeof(mca_part_ucx_boxes_head_t) <= PART_UCX_BOXES_LINE, "it has its own line");
static_assert(8 == sizeof(mca_part_ucx_box_t), "56 bytes share a line with their epoch");

/** The boxes of a link, as they are mapped here. */
typedef struct mca_part_ucx_boxes_t {
    char *area;      /**< NULL: there are none */
    uint32_t stride; /**< bytes from one box to the next, ... */
    uint32_t row;    /**< ... and of those of an epoch */
    uint32_t rows;   /**< a power of two */
} mca_part_ucx_boxes_t;

/** A box for so many bytes. */
static inline uint64_t mca_part_ucx_boxes_stride(uint64_t bytes)
{
    return (sizeof(mca_part_ucx_box_t) + bytes + PART_UCX_BOXES_LINE - 1) / PART_UCX_BOXES_LINE
           * PART_UCX_BOXES_LINE;
}

/** How many epochs have boxes of their own: one more than the sender may be ahead, at least. A
 * power of two, so that epochs take turns also where their numbers go round. */
static inline uint32_t mca_part_ucx_boxes_rows(uint32_t credit)
{
    uint32_t rows = 1;

    while (rows <= credit) {
        rows *= 2;
    }
    return rows;
}

/** Bytes of the largest piece. */
static inline uint64_t mca_part_ucx_boxes_largest(const mca_part_ucx_piece_t *piece,
                                                  uint32_t pieces)
{
    uint64_t largest = 0;

    for (uint32_t i = 0; i < pieces; ++i) {
        largest = piece[i].bytes > largest ? piece[i].bytes : largest;
    }
    return largest;
}

/** May so many pieces have boxes? Either end asks, before it uses the others. */
static inline bool mca_part_ucx_boxes_fit(uint32_t pieces, uint64_t largest)
{
    return pieces <= PART_UCX_FASTBOX_PIECES && largest <= PART_UCX_FASTBOX_BYTES
           && pieces * mca_part_ucx_boxes_stride(largest) <= PART_UCX_FASTBOX_BYTES;
}

/** Boxes at an address, aligned to a line. */
static inline mca_part_ucx_boxes_t mca_part_ucx_boxes_at(char *area, uint32_t pieces,
                                                         uint64_t largest, uint32_t credit)
{
    uint32_t stride = (uint32_t) mca_part_ucx_boxes_stride(largest);

    return (mca_part_ucx_boxes_t) {.area = area,
                                   .stride = stride,
                                   .row = pieces * stride,
                                   .rows = mca_part_ucx_boxes_rows(credit)};
}

/** All of them, and the head. */
static inline uint64_t mca_part_ucx_boxes_bytes(const mca_part_ucx_boxes_t *boxes)
{
    return PART_UCX_BOXES_LINE + (uint64_t) boxes->rows * boxes->row;
}

static inline mca_part_ucx_boxes_head_t *mca_part_ucx_boxes_head(const mca_part_ucx_boxes_t *boxes)
{
    return (mca_part_ucx_boxes_head_t *) (void *) boxes->area;
}

static inline mca_part_ucx_box_t *mca_part_ucx_boxes_box(const mca_part_ucx_boxes_t *boxes,
                                                         uint32_t epoch, uint32_t piece)
{
    size_t row = epoch & (boxes->rows - 1);

    return (mca_part_ucx_box_t *) (void *) (boxes->area + PART_UCX_BOXES_LINE + row * boxes->row
                                            + (size_t) piece * boxes->stride);
}

#endif /* PART_UCX_BOXES_H */
