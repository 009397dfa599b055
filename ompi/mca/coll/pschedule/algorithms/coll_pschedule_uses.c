/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who reads which part of the contribution (see coll_pschedule_uses.h).
 */
#include "algorithms/coll_pschedule_uses.h"

#include <stdlib.h>

mca_coll_pschedule_uses_t mca_coll_pschedule_uses(mca_coll_pschedule_plan_t *plan, bool kept)
{
    return (mca_coll_pschedule_uses_t) {.plan = plan, .kept = kept};
}

static bool grow(mca_coll_pschedule_uses_t *uses)
{
    uint32_t wanted = 2 * uses->capacity + 64;
    uint64_t *end = realloc(uses->end, wanted * sizeof(*end));
    mca_coll_pschedule_node_t *node;

    uses->end = NULL == end ? uses->end : end;
    node = NULL == end ? NULL : realloc(uses->node, wanted * sizeof(*node));
    if (NULL == node) {
        uses->plan->fault = "out of memory";
        return false;
    }
    uses->node = node;
    uses->capacity = wanted;
    return true;
}

void mca_coll_pschedule_uses_add(mca_coll_pschedule_uses_t *uses, uint64_t end,
                                 mca_coll_pschedule_node_t node)
{
    if (!uses->kept || (uses->count == uses->capacity && !grow(uses))) {
        return;
    }
    uses->end[uses->count] = end;
    uses->node[uses->count++] = node;
}

/* The first part that ends behind an offset. */
static uint32_t first_behind(const mca_coll_pschedule_uses_t *uses, uint64_t offset)
{
    uint32_t low = 0, high = uses->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (uses->end[middle] <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void mca_coll_pschedule_uses_depend(const mca_coll_pschedule_uses_t *uses,
                                    mca_coll_pschedule_range_t range,
                                    mca_coll_pschedule_node_t node)
{
    uint64_t reached = range.offset;

    for (uint32_t i = first_behind(uses, range.offset);
         i < uses->count && reached < range.offset + range.bytes; ++i) {
        if (uses->node[i] != node) { /* the reader may be what writes, in place */
            mca_coll_pschedule_plan_depend(uses->plan, node, uses->node[i]);
        }
        reached = uses->end[i];
    }
}

void mca_coll_pschedule_uses_free(mca_coll_pschedule_uses_t *uses)
{
    free(uses->end);
    free(uses->node);
}
