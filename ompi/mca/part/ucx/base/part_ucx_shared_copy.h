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
 * Which is the cheaper one is measured (part_ucx_cheaper.h).
 */
#ifndef PART_UCX_SHARED_COPY_H
#define PART_UCX_SHARED_COPY_H

#include "base/part_ucx_cheaper.h"

#include <stddef.h>

/** The two ways. */
enum {
    PART_UCX_COPY_THROUGH,
    PART_UCX_COPY_PAST
};

/** Copy, in the way that is cheaper here. When it returns, other processes that hear of it later
 * see the bytes. `cheaper`: of copies from this process to one other. */
void mca_part_ucx_shared_copy(mca_part_ucx_cheaper_t *cheaper, void *to, const void *from,
                              size_t bytes);

/** Copy past the cache, where the processor can; else like memcpy(). Any alignment. */
void mca_part_ucx_shared_copy_past(void *to, const void *from, size_t bytes);

#endif /* PART_UCX_SHARED_COPY_H */
