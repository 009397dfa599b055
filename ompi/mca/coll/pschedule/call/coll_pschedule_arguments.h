/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The arguments of a call, checked on this rank alone.
 */
#ifndef COLL_PSCHEDULE_ARGUMENTS_H
#define COLL_PSCHEDULE_ARGUMENTS_H

#include "call/coll_pschedule_call.h"
#include "call/coll_pschedule_layout.h"
#include "call/coll_pschedule_neighbors.h"
#include "plan/coll_pschedule_shapes.h"

typedef struct mca_coll_pschedule_arguments_t {
    const mca_coll_pschedule_call_t *call;
    const mca_coll_pschedule_shape_t *shape;
    int32_t rank;
    int32_t size;
    bool in_place;     /**< the contribution is in the receive buffer */
    bool stays;        /**< root of a scatter in place: its block stays in the send buffer */
    uint64_t element;  /**< bytes of an element of a reduction, as plans see it; otherwise 1 */
    mca_coll_pschedule_neighbors_t neighbors; /**< of a neighbourhood collective */
    mca_coll_pschedule_layout_t send; /**< what this rank contributes, wherever it is */
    mca_coll_pschedule_layout_t recv; /**< what it gets */
} mca_coll_pschedule_arguments_t;

/**
 * Check, and tell the user what is wrong.
 *
 * @param refusal         why call->error is set; NULL: the user has been told
 * @param[out] arguments  to be freed in any case; buffers and neighbours are valid on success
 * @return an MPI error class
 */
int mca_coll_pschedule_arguments_check(mca_coll_pschedule_arguments_t *arguments,
                                       const mca_coll_pschedule_call_t *call, const char *refusal);

/** The cut of a block as plans see it: its bytes are, of reductions, with the gaps of its elements.
 */
mca_coll_pschedule_cut_t
mca_coll_pschedule_arguments_cut(const mca_coll_pschedule_arguments_t *arguments,
                                 const mca_coll_pschedule_area_t *area);

void mca_coll_pschedule_arguments_free(mca_coll_pschedule_arguments_t *arguments);

#endif /* COLL_PSCHEDULE_ARGUMENTS_H */
