/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A reduce_scatter, chunk by chunk (see coll_pschedule_readers.h).
 */
#include "patterns/coll_pschedule_readers.h"

#include <stdlib.h>

typedef mca_coll_pschedule_bit_t bit_t;

/* ---- who reads which part of the contribution ---- */

static bool grow(mca_coll_pschedule_readers_t *readers)
{
    uint32_t wanted = 2 * readers->capacity + 64;
    uint64_t *end = realloc(readers->end, wanted * sizeof(*end));
    mca_coll_pschedule_node_t *node;

    readers->end = NULL == end ? readers->end : end;
    node = NULL == end ? NULL : realloc(readers->node, wanted * sizeof(*node));
    if (NULL == node) {
        readers->plan->fault = mca_coll_pschedule_no_memory;
        return false;
    }
    readers->node = node;
    readers->capacity = wanted;
    return true;
}

void mca_coll_pschedule_readers_add(mca_coll_pschedule_readers_t *readers, const bit_t *bit,
                                    mca_coll_pschedule_node_t node)
{
    if (!readers->kept || (readers->count == readers->capacity && !grow(readers))) {
        return;
    }
    readers->end[readers->count] = bit->own.place.offset + bit->range.bytes;
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

/* `node` writes a range: it depends on all that read from it. */
static void depend(const mca_coll_pschedule_readers_t *readers, uint64_t offset, uint64_t bytes,
                   mca_coll_pschedule_node_t node)
{
    uint64_t reached = offset;

    for (uint32_t i = first_behind(readers, offset); i < readers->count && reached < offset + bytes;
         ++i) {
        if (readers->node[i] != node) { /* the reader may be what writes, in place */
            mca_coll_pschedule_plan_depend(readers->plan, node, readers->node[i]);
        }
        reached = readers->end[i];
    }
}

mca_coll_pschedule_node_t
mca_coll_pschedule_readers_settle(const mca_coll_pschedule_readers_t *readers,
                                  mca_coll_pschedule_partial_t sum, const bit_t *bit)
{
    mca_coll_pschedule_node_t settled = mca_coll_pschedule_settle(readers->plan, sum, bit->target,
                                                                  bit->range.bytes, bit->partition);

    depend(readers, bit->target.offset, bit->range.bytes, settled);
    return settled;
}

/* ---- chunk by chunk ---- */

static void build_partition(mca_coll_pschedule_plan_t *plan,
                            const mca_coll_pschedule_problem_t *problem, bit_t bit,
                            const mca_coll_pschedule_scattering_t *does, void *at)
{
    const mca_coll_pschedule_cut_t *cut = &problem->send[bit.block].cut;
    mca_coll_pschedule_range_t whole = {.bytes = cut->bytes / cut->partitions};
    uint32_t chunks = mca_coll_pschedule_chunks(whole.bytes, problem->chunk, problem->element);
    mca_coll_pschedule_partial_t own
        = mca_coll_pschedule_own(plan, problem, (uint32_t) bit.block, bit.partition);

    does->begin(at, &bit, chunks,
                mca_coll_pschedule_largest(whole.bytes, problem->chunk, problem->element));
    for (bit.index = 0; bit.index < chunks; ++bit.index) {
        bit.range = mca_coll_pschedule_part(whole, bit.index, chunks, problem->element);
        bit.own = mca_coll_pschedule_within(own, bit.range);
        if (bit.block == problem->rank) {
            bit.target = mca_coll_pschedule_at(mca_coll_pschedule_target(problem, bit.partition),
                                               bit.range.offset);
        }
        does->build(at, &bit);
    }
}

void mca_coll_pschedule_build_blocks(mca_coll_pschedule_plan_t *plan,
                                     const mca_coll_pschedule_problem_t *problem,
                                     mca_coll_pschedule_readers_t *readers,
                                     const mca_coll_pschedule_scattering_t *does, void *at)
{
    if (1 == problem->size) {
        mca_coll_pschedule_build_alone(plan, problem);
        return;
    }
    *readers = (mca_coll_pschedule_readers_t) {.plan = plan, .kept = problem->in_place};
    for (int32_t i = 0; i < problem->size; ++i) {
        const mca_coll_pschedule_block_t *block = &problem->send[i];

        for (uint32_t k = 0; k < block->cut.partitions; ++k) {
            build_partition(plan, problem,
                            (bit_t) {.block = i, .partition = k, .number = block->first + k}, does,
                            at);
        }
    }
    free(readers->end);
    free(readers->node);
}
