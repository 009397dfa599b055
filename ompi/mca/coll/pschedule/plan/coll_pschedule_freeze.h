/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of building: what a plan holds until then (coll_pschedule_plan.c fills it in), and
 * freezing.
 */
#ifndef COLL_PSCHEDULE_FREEZE_H
#define COLL_PSCHEDULE_FREEZE_H

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

/**
 * Building is over: sort the transfers, check the plan, lay out the graph.
 *
 * @return false when memory ran out in this or an earlier call, a key is used twice, a range lies
 *         outside its buffer, or the graph has a cycle; `fault` of the plan tells.
 */
bool mca_coll_pschedule_plan_freeze(mca_coll_pschedule_plan_t *plan);

#endif /* COLL_PSCHEDULE_FREEZE_H */
