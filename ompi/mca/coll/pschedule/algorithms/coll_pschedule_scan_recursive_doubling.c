/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scan and exscan by recursive doubling of all ranks (coll_pschedule_prefix.h).
 *
 * The sum is kept in the receive buffer for scan, and for exscan in place; otherwise in a slot. The
 * result of exscan is kept in the receive buffer, or, in place, in a slot until the last sum has
 * left the receive buffer.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_prefix.h"
#include "patterns/coll_pschedule_tree.h"

typedef struct scan_t {
    mca_coll_pschedule_prefix_t prefix; /* the first: it is handed to make_sum() */
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_slots_t kept; /* exscan: sums, or in place results */
    mca_coll_pschedule_place_t target; /* of the chunk that is built */
} scan_t;

/* The own contribution becomes a sum that may change, after it left in level 0. */
static void make_sum(mca_coll_pschedule_prefix_t *prefix, mca_coll_pschedule_prefix_bit_t *bit)
{
    scan_t *scan = (scan_t *) prefix;

    bit->sent = COLL_PSCHEDULE_NONE; /* that is from the contribution, which does not change */
    if (!prefix->excludes) {
        bit->sum.node = mca_coll_pschedule_plan_copy(prefix->plan, bit->sum.place, scan->target,
                                                     bit->range.bytes, bit->sum.node);
        bit->sum.place = scan->target;
    } else if (mca_coll_pschedule_prefix_sends(prefix->members, prefix->member, 1)) {
        bit->sum = mca_coll_pschedule_slots_copy(&scan->kept, bit->index, bit->sum,
                                                 bit->range.bytes);
        /* The last one there was that of four chunks before. */
        mca_coll_pschedule_prefix_left(prefix, bit->index, 1, bit->sum.node);
    }
}

static void finish(scan_t *scan, const mca_coll_pschedule_prefix_bit_t *bit)
{
    mca_coll_pschedule_prefix_t *prefix = &scan->prefix;
    mca_coll_pschedule_node_t settled = mca_coll_pschedule_settle(
        prefix->plan, prefix->excludes ? bit->result : bit->sum, scan->target, bit->range.bytes,
        bit->partition);

    if (prefix->excludes && scan->problem->in_place) { /* the sum was where the result goes */
        mca_coll_pschedule_prefix_left(prefix, bit->index, 0, settled);
        mca_coll_pschedule_plan_depend(prefix->plan, settled, bit->sum.node);
        mca_coll_pschedule_slots_used(&scan->kept, bit->index, settled, COLL_PSCHEDULE_NONE);
    }
}

static void begin_partition(scan_t *scan)
{
    const mca_coll_pschedule_problem_t *problem = scan->problem;
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);
    bool keeps = mca_coll_pschedule_excludes(problem) && 0 < problem->rank;

    scan->kept = mca_coll_pschedule_slots(scan->prefix.plan, keeps ? chunks.count : 0,
                                          chunks.largest);
    mca_coll_pschedule_prefix_begin(&scan->prefix);
}

static void build_chunk(void *at, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *chunk)
{
    scan_t *scan = at;
    uint32_t slot = chunk->index % COLL_PSCHEDULE_REDUCTION_SLOTS;
    bool in_place = scan->problem->in_place;
    mca_coll_pschedule_prefix_bit_t bit = {.partition = chunk->partition,
                                           .index = chunk->index,
                                           .range = chunk->range,
                                           .sum = chunk->own,
                                           .result = {.node = COLL_PSCHEDULE_NONE},
                                           .sent = COLL_PSCHEDULE_NONE};

    scan->prefix.slots = slots;
    scan->target = chunk->target;
    if (0 == bit.index) {
        begin_partition(scan);
    }
    bit.result.place = in_place ? scan->kept.place[slot] : chunk->target;
    bit.free = in_place && bit.index >= COLL_PSCHEDULE_REDUCTION_SLOTS ? scan->kept.used[slot][0]
                                                                       : COLL_PSCHEDULE_NONE;
    mca_coll_pschedule_prefix_chunk(&scan->prefix, &bit);
    if (0 < scan->problem->rank || !scan->prefix.excludes) {
        finish(scan, &bit);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    scan_t scan = {.prefix = {.plan = plan,
                              .members = (uint32_t) problem->size,
                              .member = (uint32_t) problem->rank,
                              .excludes = mca_coll_pschedule_excludes(problem),
                              .fix = problem->in_place ? NULL : make_sum},
                   .problem = problem};

    mca_coll_pschedule_build_bits(plan, problem, problem->chunk,
                                  mca_coll_pschedule_prefix_levels((uint32_t) problem->rank),
                                  build_chunk, &scan);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t rounds = mca_coll_pschedule_doublings(problem->size);
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);
    uint64_t most = 0;

    for (uint32_t i = 0; i < (uint32_t) problem->size; ++i) {
        uint64_t joins = mca_coll_pschedule_prefix_joins((uint32_t) problem->size, i,
                                                         mca_coll_pschedule_excludes(problem));

        most = joins > most ? joins : most;
    }
    *cost = (mca_coll_pschedule_cost_t) {.rounds = rounds,
                                         .bytes = rounds * problem->common_bytes,
                                         .reduced = most * problem->common_bytes};
    cost->scratch = mca_coll_pschedule_slots_scratch(rounds * chunks.count, chunks.largest);
    if (mca_coll_pschedule_excludes(problem)) {
        cost->scratch += mca_coll_pschedule_slots_scratch(chunks.count, chunks.largest);
    }
    cost->scratch *= problem->common_partitions;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_scan_recursive_doubling = {
    .collective = COLL_PSCHEDULE_SCAN,
    .last = COLL_PSCHEDULE_EXSCAN,
    .name = "recursive_doubling",
    .description = "partial results to ranks at doubling distances; for small partitions",
    .memory = "four chunks per partition; exscan eight",
    .limits = 0,
    .build = build,
    .cost = cost};
