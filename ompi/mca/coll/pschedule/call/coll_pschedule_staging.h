/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Staging: copies without gaps of buffers with gaps.
 */
#ifndef COLL_PSCHEDULE_STAGING_H
#define COLL_PSCHEDULE_STAGING_H

#include "call/coll_pschedule_layout.h"
#include "call/coll_pschedule_op.h"

/** A block in the user's buffer, and the same in staging memory. */
typedef struct mca_coll_pschedule_strip_t {
    char *user;            /**< its first element */
    char *copy;            /**< its first byte in staging memory */
    size_t count;          /**< elements per partition */
    ptrdiff_t user_step;   /**< bytes from one partition to the next */
    uint64_t copy_step;    /**< likewise */
    MPI_Datatype datatype; /**< reference held */
    uint32_t first;        /**< number of its first partition in the buffer */
} mca_coll_pschedule_strip_t;

/** All blocks of a contribution or of a result. */
typedef struct mca_coll_pschedule_strips_t {
    uint32_t count;
    mca_coll_pschedule_strip_t *strip; /**< by rising `first` */
} mca_coll_pschedule_strips_t;

typedef struct mca_coll_pschedule_staging_t {
    char *memory[2];                   /**< of SEND and RECV; NULL where there is none */
    mca_coll_pschedule_strips_t load;  /**< contributions */
    mca_coll_pschedule_strips_t store; /**< results */
} mca_coll_pschedule_staging_t;

/**
 * Describe the blocks of `layout`, which lie in staging at `memory` where `block` says.
 *
 * @return an MPI error class
 */
int mca_coll_pschedule_strips_make(mca_coll_pschedule_strips_t *strips,
                                   const mca_coll_pschedule_layout_t *layout, char *memory,
                                   const mca_coll_pschedule_block_t *block);

void mca_coll_pschedule_staging_free(mca_coll_pschedule_staging_t *staging);

/** Bring a partition of the contribution from the user's buffer to its staging, or one of the
 * result back: of buffers that must be loaded, or stored. */
void mca_coll_pschedule_buffers_stage(const mca_coll_pschedule_buffers_t *buffers,
                                      uint32_t partition, bool store);

#endif /* COLL_PSCHEDULE_STAGING_H */
