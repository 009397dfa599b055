/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory for what must be said to a peer, or be kept of it, when there is no other: somebody waits
 * for that. It is there from the beginning, and enough for a moment in which memory is short.
 */
#ifndef PART_UCX_RESERVE_H
#define PART_UCX_RESERVE_H

#include <stddef.h>

/** Bytes of a block of the reserve; no more can be asked for. */
#define PART_UCX_RESERVE_BYTES 512u

/** Zeroed memory, from the reserve if need be; NULL: that is used up, too. Any thread. */
void *mca_part_ucx_reserve_calloc(size_t bytes);

/** Give memory back that is from here, or from malloc. NULL: nothing. Any thread. */
void mca_part_ucx_reserve_free(void *memory);

#endif /* PART_UCX_RESERVE_H */
