/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory that a plan works on. How it is loaded and stored is in coll_pschedule_staging.h, what
 * is calculated in it in coll_pschedule_op.h.
 */
#ifndef COLL_PSCHEDULE_BUFFER_H
#define COLL_PSCHEDULE_BUFFER_H

#include "call/coll_pschedule_arguments.h"
#include "call/coll_pschedule_float_mode.h"

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"

/** How a plan sees elements of a datatype. */
typedef struct mca_coll_pschedule_element_t {
    uint64_t bytes;  /**< from one element to the next, at least 1 */
    bool direct;     /**< the same as in the user's buffer */
    ptrdiff_t shift; /**< from the first byte of an element to where the operator is told it is */
    bool one_by_one; /**< the datatype's extent is another than `bytes`: one call for each */
} mca_coll_pschedule_element_t;

/**
 * The memory of a request. Where a datatype has no gaps, plans work on the user's buffers. Else
 * they work on copies (staging) without gaps between the bytes of a partition, which partitions
 * are loaded into when they are marked, and stored from when they have arrived: packed for data
 * movement, element by element as the operator wants them for reductions.
 */
typedef struct mca_coll_pschedule_buffers_t {
    char *base[3]; /**< addresses of SEND, RECV and SCRATCH (coll_pschedule_plan.h) */
    bool loads;    /**< contributions must be loaded */
    bool stores;   /**< results must be stored */
    struct mca_coll_pschedule_staging_t *staging; /**< what they need for it; NULL if neither */
    ompi_op_t *op;                        /**< of a reduction; reference held, or NULL */
    ompi_datatype_t *datatype;            /**< likewise */
    mca_coll_pschedule_element_t element; /**< of that */
    mca_coll_pschedule_float_mode_t float_mode; /**< of the thread that has started this epoch */
} mca_coll_pschedule_buffers_t;

/**
 * Decide where the blocks of a call lie for its plan: in the user's buffers, or in staging memory.
 *
 * @param[in]  arguments  checked
 * @param[out] buffers    to be released in any case
 * @param[out] send,recv  `offset` of every block is set
 * @return an MPI error class
 */
int mca_coll_pschedule_buffers_make(const mca_coll_pschedule_arguments_t *arguments,
                                    mca_coll_pschedule_buffers_t *buffers,
                                    mca_coll_pschedule_block_t *send,
                                    mca_coll_pschedule_block_t *recv);

/** Free staging memory, and release operator and datatype. */
void mca_coll_pschedule_buffers_release(mca_coll_pschedule_buffers_t *buffers);

#endif /* COLL_PSCHEDULE_BUFFER_H */
