/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a plan holds only while it is built; for coll_pschedule_plan.c and coll_pschedule_freeze.c.
 */
#ifndef COLL_PSCHEDULE_BUILD_H
#define COLL_PSCHEDULE_BUILD_H

#include "plan/coll_pschedule_plan.h"

/** `node` depends on `before`. */
typedef struct mca_coll_pschedule_arc_t {
    uint32_t before;
    uint32_t node;
} mca_coll_pschedule_arc_t;

/** A transfer before it is sorted. */
typedef struct mca_coll_pschedule_draft_t {
    int32_t peer;
    bool is_send;
    mca_coll_pschedule_transfer_t transfer;
} mca_coll_pschedule_draft_t;

typedef struct mca_coll_pschedule_build_t {
    int32_t rank;
    int32_t size;
    uint32_t element;
    uint64_t extent[2]; /**< bytes that may be touched in SEND and RECV */
    uint32_t node_capacity;
    uint32_t arc_capacity;
    uint32_t draft_capacity;
    uint32_t operation_capacity;
    mca_coll_pschedule_arc_t *arc;
    mca_coll_pschedule_draft_t *draft;
} mca_coll_pschedule_build_t;

/** Forget what is needed only while building. */
void mca_coll_pschedule_build_free(mca_coll_pschedule_plan_t *plan);

#endif /* COLL_PSCHEDULE_BUILD_H */
