/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranges in chunks (see coll_pschedule_layers.h).
 */
#include "patterns/coll_pschedule_layers.h"

#include <stdlib.h>

mca_coll_pschedule_layer_t mca_coll_pschedule_layer(mca_coll_pschedule_plan_t *plan,
                                                    const mca_coll_pschedule_problem_t *problem,
                                                    mca_coll_pschedule_range_t range)
{
    mca_coll_pschedule_layer_t layer = {
        .range = range,
        .element = problem->element,
        .chunks = mca_coll_pschedule_chunks(range.bytes, problem->chunk, problem->element)};

    if (0 < layer.chunks) {
        layer.node = malloc(layer.chunks * sizeof(*layer.node));
        if (NULL == layer.node) {
            plan->fault = mca_coll_pschedule_no_memory;
        }
    }
    for (uint32_t i = 0; NULL != layer.node && i < layer.chunks; ++i) {
        layer.node[i] = COLL_PSCHEDULE_NONE;
    }
    return layer;
}

/* Chunks are nearly equal: the one with an offset is the one that would have it if they were equal,
 * or a neighbour. */
static uint32_t first_overlapping(const mca_coll_pschedule_layer_t *layer, uint64_t offset)
{
    uint64_t into = offset > layer->range.offset ? offset - layer->range.offset : 0;
    uint64_t each = layer->range.bytes / layer->chunks;
    uint64_t index = 0 == each ? 0 : into / each;

    index = index < layer->chunks ? index : layer->chunks - 1;
    while (0 < index && mca_coll_pschedule_layer_chunk(layer, (uint32_t) index).offset > offset) {
        --index;
    }
    return (uint32_t) index;
}

void mca_coll_pschedule_layer_depend(mca_coll_pschedule_plan_t *plan,
                                     const mca_coll_pschedule_layer_t *layer,
                                     mca_coll_pschedule_range_t range,
                                     mca_coll_pschedule_node_t node)
{
    uint64_t end = range.offset + range.bytes;

    if (0 == range.bytes || NULL == layer->node) {
        return;
    }
    for (uint32_t i = first_overlapping(layer, range.offset); i < layer->chunks; ++i) {
        mca_coll_pschedule_range_t chunk = mca_coll_pschedule_layer_chunk(layer, i);

        if (chunk.offset >= end) {
            break;
        }
        if (chunk.offset + chunk.bytes > range.offset) {
            mca_coll_pschedule_plan_depend(plan, node, layer->node[i]);
        }
    }
}

void mca_coll_pschedule_layer_free(mca_coll_pschedule_layer_t *layer)
{
    free(layer->node);
    layer->node = NULL;
}
