/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A piece of a link's data (part_ucx_link.h).
 */
#ifndef PART_UCX_PIECE_H
#define PART_UCX_PIECE_H

#include <stdint.h>
#include <string.h>

/** A range of memory of its own. */
typedef struct mca_part_ucx_piece_t {
    uint64_t address;
    uint64_t bytes;
} mca_part_ucx_piece_t;

/** Put bytes into its place. An empty one need not have one. */
static inline void mca_part_ucx_piece_store(const mca_part_ucx_piece_t *piece, const void *bytes)
{
    if (0 != piece->bytes) {
        memcpy((void *) (uintptr_t) piece->address, bytes, piece->bytes);
    }
}

/** Copy it. */
static inline void mca_part_ucx_piece_load(const mca_part_ucx_piece_t *piece, void *copy)
{
    if (0 != piece->bytes) {
        memcpy(copy, (const void *) (uintptr_t) piece->address, piece->bytes);
    }
}

#endif /* PART_UCX_PIECE_H */
