/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who reads which part of the contribution (see coll_pschedule_readers.h).
 */
#include "patterns/coll_pschedule_readers.h"

#include <stdlib.h>

mca_coll_pschedule_readers_t mca_coll_pschedule_readers(mca_coll_pschedule_plan_t *plan, bool kept)
{
    return (mca_coll_pschedule_readers_t) {.plan = plan, .kept = kept};
}

static bool grow(mca_coll_pschedule_readers_t *readers)
{
    uint32_t wanted = 2 * readers->capacity + 64;
    uint64_t *end = realloc(readers->end, wanted * sizeof(*end));
    mca_coll_pschedule_node_t *node;

    readers->end = NULL == end ? readers->end : end;
    node = NULL == end ? NULL : realloc(readers->node, wanted * sizeof(*node));
    if (NULL == node) {
        readers->plan->fault = "out of memory";
        return false;
    }
    readers->node = node;
    readers->capacity = wanted;
    return true;
}

void mca_coll_pschedule_readers_add(mca_coll_pschedule_readers_t *readers, uint64_t end,
                                    mca_coll_pschedule_node_t node)
{
    if (!readers->kept || (readers->count == readers->capacity && !grow(readers))) {
        return;
    }
    readers->end[readers->count] = end;
    readers->node[readers->count++] = node;
}

/* The first part that ends behind an offset. */
static uint32_t first_behind(const mca_coll_pschedule_readers_t *readers, uint64_t offset)
{
    uint32_t low = 0, high = readers->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (readers->end[middle] <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void mca_coll_pschedule_readers_depend(const mca_coll_pschedule_readers_t *readers,
                                       mca_coll_pschedule_range_t range,
                                       mca_coll_pschedule_node_t node)
{
    uint64_t reached = range.offset;

    for (uint32_t i = first_behind(readers, range.offset);
         i < readers->count && reached < range.offset + range.bytes; ++i) {
        if (readers->node[i] != node) { /* the reader may be what writes, in place */
            mca_coll_pschedule_plan_depend(readers->plan, node, readers->node[i]);
        }
        reached = readers->end[i];
    }
}

mca_coll_pschedule_node_t
mca_coll_pschedule_readers_settle(const mca_coll_pschedule_readers_t *readers,
                                  mca_coll_pschedule_partial_t sum,
                                  mca_coll_pschedule_place_t result, uint64_t bytes,
                                  uint32_t partition)
{
    mca_coll_pschedule_node_t settled
        = mca_coll_pschedule_settle(readers->plan, sum, result, bytes, partition);

    mca_coll_pschedule_readers_depend(
        readers, (mca_coll_pschedule_range_t) {result.offset, bytes}, settled);
    return settled;
}

void mca_coll_pschedule_readers_free(mca_coll_pschedule_readers_t *readers)
{
    free(readers->end);
    free(readers->node);
}
