/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which nodes read which part of the contribution, for results that take the room of contributions:
 * reduce_scatter in place, whose result goes to the beginning of the buffer. A result may be put
 * there when every contribution that it covers has been marked and read.
 */
#ifndef COLL_PSCHEDULE_READERS_H
#define COLL_PSCHEDULE_READERS_H

#include "patterns/coll_pschedule_reduction.h"

/** Nodes by where the part ends that they read; parts follow each other. */
typedef struct mca_coll_pschedule_readers_t {
    mca_coll_pschedule_plan_t *plan;
    bool kept; /**< nothing is kept where nothing works in place */
    uint32_t count;
    uint32_t capacity;
    uint64_t *end;
    mca_coll_pschedule_node_t *node;
} mca_coll_pschedule_readers_t;

/** None yet. */
mca_coll_pschedule_readers_t mca_coll_pschedule_readers(mca_coll_pschedule_plan_t *plan, bool kept);

/** `node` is the last to read what lies between the end of the last part and `end`. */
void mca_coll_pschedule_readers_add(mca_coll_pschedule_readers_t *readers, uint64_t end,
                                    mca_coll_pschedule_node_t node);

/** `node` writes a range: it depends on all that read from it. */
void mca_coll_pschedule_readers_depend(const mca_coll_pschedule_readers_t *readers,
                                       mca_coll_pschedule_range_t range,
                                       mca_coll_pschedule_node_t node);

/** mca_coll_pschedule_settle() of a result that takes the room of contributions: when all that read
 * from there are done. */
mca_coll_pschedule_node_t
mca_coll_pschedule_readers_settle(const mca_coll_pschedule_readers_t *readers,
                                  mca_coll_pschedule_partial_t sum,
                                  mca_coll_pschedule_place_t result, uint64_t bytes,
                                  uint32_t partition);

void mca_coll_pschedule_readers_free(mca_coll_pschedule_readers_t *readers);

#endif /* COLL_PSCHEDULE_READERS_H */
