/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranges that are cut in chunks, and the node after which each chunk is there: for algorithms that
 * cut what they got in one level differently in the next.
 */
#ifndef COLL_PSCHEDULE_LAYERS_H
#define COLL_PSCHEDULE_LAYERS_H

#include "plan/coll_pschedule_plan.h"

/** A range in nearly equal chunks (mca_coll_pschedule_part), with a node for each. */
typedef struct mca_coll_pschedule_layer_t {
    mca_coll_pschedule_range_t range;
    uint32_t element;
    uint32_t chunks;
    mca_coll_pschedule_node_t *node; /**< NULL when there are no chunks */
} mca_coll_pschedule_layer_t;

/** A layer without nodes yet; a lack of memory is kept in the plan. */
mca_coll_pschedule_layer_t mca_coll_pschedule_layer(mca_coll_pschedule_plan_t *plan,
                                                    const mca_coll_pschedule_problem_t *problem,
                                                    mca_coll_pschedule_range_t range);

/** Chunk `index` of it. */
static inline mca_coll_pschedule_range_t
mca_coll_pschedule_layer_chunk(const mca_coll_pschedule_layer_t *layer, uint32_t index)
{
    return mca_coll_pschedule_part(layer->range, index, layer->chunks, layer->element);
}

/** Chunk `index` is there when `node` is done. */
static inline void mca_coll_pschedule_layer_set(mca_coll_pschedule_layer_t *layer, uint32_t index,
                                                mca_coll_pschedule_node_t node)
{
    if (NULL != layer->node) {
        layer->node[index] = node;
    }
}

/** `node` needs what overlaps a range. */
void mca_coll_pschedule_layer_depend(mca_coll_pschedule_plan_t *plan,
                                     const mca_coll_pschedule_layer_t *layer,
                                     mca_coll_pschedule_range_t range,
                                     mca_coll_pschedule_node_t node);

void mca_coll_pschedule_layer_free(mca_coll_pschedule_layer_t *layer);

#endif /* COLL_PSCHEDULE_LAYERS_H */
