/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A buffer as the user described it: its blocks, checked, with sizes that are known to fit.
 */
#ifndef COLL_PSCHEDULE_LAYOUT_H
#define COLL_PSCHEDULE_LAYOUT_H

#include "call/coll_pschedule_call.h"
#include "plan/coll_pschedule_shapes.h"

/** One block. */
typedef struct mca_coll_pschedule_area_t {
    MPI_Datatype datatype;
    ptrdiff_t offset;    /**< of its first element from the buffer's address, in bytes */
    size_t count;        /**< elements per partition */
    uint32_t partitions; /**< at least 1 */
    uint64_t bytes;      /**< of data in the whole block, without gaps */
} mca_coll_pschedule_area_t;

typedef struct mca_coll_pschedule_layout_t {
    char *buffer;
    uint32_t blocks; /**< 0: this rank has no such buffer, or its topology no such neighbours */
    mca_coll_pschedule_area_t *area;
} mca_coll_pschedule_layout_t;

/**
 * Check the arguments of one buffer, and list its blocks.
 *
 * @param[out] layout  to be freed in any case
 * @param[out] why     what is wrong; a constant string
 * @return an MPI error class
 */
int mca_coll_pschedule_layout_make(mca_coll_pschedule_layout_t *layout,
                                   const mca_coll_pschedule_side_t *side,
                                   mca_coll_pschedule_form_t form, uint32_t blocks,
                                   const char **why);

/**
 * A buffer of one block, which is like one of another buffer and lies `offset` bytes after
 * `buffer`.
 */
int mca_coll_pschedule_layout_single(mca_coll_pschedule_layout_t *layout, char *buffer,
                                     const mca_coll_pschedule_area_t *area, ptrdiff_t offset);

/** May the blocks be in this buffer? Returns an MPI error class. */
int mca_coll_pschedule_layout_check(const mca_coll_pschedule_layout_t *layout, const char **why);

/** May so many bytes be at this address? Returns an MPI error class. */
int mca_coll_pschedule_layout_address(const void *buffer, uint64_t bytes, const char **why);

void mca_coll_pschedule_layout_free(mca_coll_pschedule_layout_t *layout);

#endif /* COLL_PSCHEDULE_LAYOUT_H */
