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

/** A range of memory of its own. */
typedef struct mca_part_ucx_piece_t {
    uint64_t address;
    uint64_t bytes;
} mca_part_ucx_piece_t;

#endif /* PART_UCX_PIECE_H */
