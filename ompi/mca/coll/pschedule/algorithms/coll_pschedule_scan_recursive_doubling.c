/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scan and exscan by recursive doubling, for any number of ranks and in their order. Before level
 * k, rank r has the sum of itself and the 2^k - 1 ranks before it (or all); it sends that to rank
 * r + 2^k, and what comes from rank r - 2^k covers the ranks before: it is put in from the left.
 *
 *   level 0   x0 -> 1   x1 -> 2      x2 -> 3      ...
 *   level 1   x0 -> 2   x0..1 -> 3   x1..2 -> 4   ...
 *   level 2   x0 -> 4   x0..1 -> 5   x0..2 -> 6   ...
 *
 * The sum is kept in the receive buffer for scan, and for exscan in place; otherwise in a slot. The
 * result of exscan is the sum of what comes in; it is kept in the receive buffer, or, in place, in
 * a slot until the last sum has left the receive buffer. A sum changes only when it has been sent.
 *
 * All levels share the slots for what comes in: level k of chunk n is transfer number n * levels +
 * k. It is used at once. No deadlock: transfer (n, k) waits for transfers that are smaller, by
 * chunk and then by level, on any rank.
 */
#include "algorithms/coll_pschedule_reduction.h"
#include "algorithms/coll_pschedule_tree.h"

enum { LEVELS = 32 };

typedef struct scan_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_slots_t *slots; /* for what comes in */
    mca_coll_pschedule_slots_t kept;   /* exscan: sums, or in place results */
    mca_coll_pschedule_node_t left[COLL_PSCHEDULE_REDUCTION_SLOTS][LEVELS]; /* sums in `kept` */
} scan_t;

/* A chunk on its way through the levels. */
typedef struct bit_t {
    uint32_t partition;
    uint32_t index;
    mca_coll_pschedule_range_t range; /* within the partition */
    mca_coll_pschedule_partial_t sum;
    mca_coll_pschedule_partial_t result; /* of exscan */
    mca_coll_pschedule_node_t sent;      /* the sum, as it is, to the last of its receivers */
} bit_t;

static bool excludes(const mca_coll_pschedule_problem_t *problem)
{
    return COLL_PSCHEDULE_EXSCAN == problem->collective;
}

/* Levels in which a rank gets something; it sends in those in which there is a rank far enough. */
static uint32_t levels_of(uint32_t rank)
{
    uint32_t levels = 0;

    while (0 < rank) {
        ++levels;
        rank >>= 1;
    }
    return levels;
}

static bool sends(const mca_coll_pschedule_problem_t *problem, uint32_t rank, uint32_t level)
{
    return (UINT32_C(1) << level) < (uint32_t) problem->size - rank;
}

static uint64_t key_of(const bit_t *bit, uint32_t level)
{
    return mca_coll_pschedule_key(0, level, bit->partition, bit->index);
}

static void send_sum(scan_t *scan, bit_t *bit, uint32_t level)
{
    uint32_t me = (uint32_t) scan->problem->rank;
    uint32_t peer = me + (UINT32_C(1) << level);
    uint32_t number = bit->index * levels_of(peer) + level;

    bit->sent = COLL_PSCHEDULE_NONE;
    if (sends(scan->problem, me, level)) {
        bit->sent = mca_coll_pschedule_slots_send(scan->plan, number, (int32_t) peer,
                                                  key_of(bit, level), bit->sum, bit->range.bytes);
    }
    scan->left[bit->index % COLL_PSCHEDULE_REDUCTION_SLOTS][level] = bit->sent;
}

/* The own contribution becomes a sum that may change, after it left in level 0. */
static void make_sum(scan_t *scan, bit_t *bit, mca_coll_pschedule_place_t target)
{
    const mca_coll_pschedule_problem_t *problem = scan->problem;
    mca_coll_pschedule_node_t *left = scan->left[bit->index % COLL_PSCHEDULE_REDUCTION_SLOTS];

    if (problem->in_place) {
        return;
    }
    bit->sent = COLL_PSCHEDULE_NONE; /* that is from the contribution, which does not change */
    if (!excludes(problem)) {
        bit->sum.node = mca_coll_pschedule_plan_copy(scan->plan, bit->sum.place, target,
                                                     bit->range.bytes, bit->sum.node);
        bit->sum.place = target;
    } else if (sends(problem, (uint32_t) problem->rank, 1)) {
        bit->sum = mca_coll_pschedule_slots_copy(&scan->kept, bit->index, bit->sum,
                                                 bit->range.bytes);
        for (uint32_t i = 1; i < LEVELS; ++i) { /* when it was there, four chunks before */
            mca_coll_pschedule_plan_depend(scan->plan, bit->sum.node, left[i]);
        }
    }
}

/* What covers the ranks before comes in. */
static void take(scan_t *scan, bit_t *bit, uint32_t level)
{
    uint32_t me = (uint32_t) scan->problem->rank;
    uint32_t number = bit->index * levels_of(me) + level;
    mca_coll_pschedule_partial_t before = mca_coll_pschedule_slots_receive(
        scan->slots, number, (int32_t) (me - (UINT32_C(1) << level)), key_of(bit, level),
        bit->range.bytes);
    mca_coll_pschedule_node_t used = COLL_PSCHEDULE_NONE;

    if (excludes(scan->problem) && 0 == level) {
        bit->result.node = mca_coll_pschedule_plan_copy(scan->plan, before.place,
                                                        bit->result.place, bit->range.bytes,
                                                        before.node);
        mca_coll_pschedule_plan_depend(scan->plan, bit->result.node,
                                       scan->kept.used[bit->index
                                                       % COLL_PSCHEDULE_REDUCTION_SLOTS][0]);
    } else if (excludes(scan->problem)) {
        bit->result = mca_coll_pschedule_join(scan->plan, before, bit->result, bit->range.bytes);
    }
    if (!excludes(scan->problem) || sends(scan->problem, me, level + 1)) {
        bit->sum = mca_coll_pschedule_join(scan->plan, before, bit->sum, bit->range.bytes);
        mca_coll_pschedule_plan_depend(scan->plan, bit->sum.node, bit->sent);
        used = bit->sum.node;
    }
    mca_coll_pschedule_slots_used(scan->slots, number, used, bit->result.node);
}

static void finish(scan_t *scan, bit_t *bit, mca_coll_pschedule_place_t target)
{
    bool excluded = excludes(scan->problem);
    mca_coll_pschedule_node_t settled = mca_coll_pschedule_settle(
        scan->plan, excluded ? bit->result : bit->sum, target, bit->range.bytes, bit->partition);

    if (excluded && scan->problem->in_place) { /* the sum was where the result goes */
        for (uint32_t i = 0; i < LEVELS; ++i) {
            mca_coll_pschedule_plan_depend(
                scan->plan, settled,
                scan->left[bit->index % COLL_PSCHEDULE_REDUCTION_SLOTS][i]);
        }
        mca_coll_pschedule_plan_depend(scan->plan, settled, bit->sum.node);
        mca_coll_pschedule_slots_used(&scan->kept, bit->index, settled, COLL_PSCHEDULE_NONE);
    }
}

/* All levels of a chunk. */
static void climb(scan_t *scan, bit_t *bit, mca_coll_pschedule_place_t target)
{
    uint32_t me = (uint32_t) scan->problem->rank;
    uint32_t last = mca_coll_pschedule_doublings(scan->problem->size);

    bit->result.place = scan->problem->in_place
                            ? scan->kept.place[bit->index % COLL_PSCHEDULE_REDUCTION_SLOTS]
                            : target;
    for (uint32_t level = 0; level < last; ++level) {
        send_sum(scan, bit, level);
        if (0 == level && 0 < me) {
            make_sum(scan, bit, target);
        }
        if (level < levels_of(me)) {
            take(scan, bit, level);
        }
    }
    if (0 < me || !excludes(scan->problem)) {
        finish(scan, bit, target);
    }
}

static void begin_partition(scan_t *scan)
{
    const mca_coll_pschedule_problem_t *problem = scan->problem;
    uint64_t partition = mca_coll_pschedule_common(problem);
    uint32_t chunks = mca_coll_pschedule_chunks(partition, problem->chunk, problem->element);

    scan->kept = mca_coll_pschedule_slots(
        scan->plan, excludes(problem) && 0 < problem->rank ? chunks : 0,
        mca_coll_pschedule_largest(partition, problem->chunk, problem->element));
    for (uint32_t i = 0; i < COLL_PSCHEDULE_REDUCTION_SLOTS; ++i) {
        for (uint32_t k = 0; k < LEVELS; ++k) {
            scan->left[i][k] = COLL_PSCHEDULE_NONE;
        }
    }
}

static void build_chunk(void *at, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *chunk)
{
    scan_t *scan = at;
    bit_t bit = {.partition = chunk->partition,
                 .index = chunk->index,
                 .range = chunk->range,
                 .sum = chunk->own,
                 .result = {.node = COLL_PSCHEDULE_NONE},
                 .sent = COLL_PSCHEDULE_NONE};

    scan->slots = slots;
    if (0 == bit.index) {
        begin_partition(scan);
    }
    climb(scan, &bit, chunk->target);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    scan_t scan = {.plan = plan, .problem = problem};

    mca_coll_pschedule_build_bits(plan, problem, problem->chunk,
                                  levels_of((uint32_t) problem->rank), build_chunk, &scan);
}

/* How often a rank reduces each byte. */
static uint64_t joins(const mca_coll_pschedule_problem_t *problem, uint32_t rank)
{
    uint32_t levels = levels_of(rank);
    uint64_t count = excludes(problem) && 0 < levels ? levels - 1 : levels;

    for (uint32_t i = 0; excludes(problem) && i < levels; ++i) {
        count += sends(problem, rank, i + 1);
    }
    return count;
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t rounds = mca_coll_pschedule_doublings(problem->size);
    uint64_t partition = mca_coll_pschedule_common(problem);
    uint64_t chunks = mca_coll_pschedule_chunks(partition, problem->chunk, problem->element);
    uint64_t chunk = mca_coll_pschedule_largest(partition, problem->chunk, problem->element);
    uint64_t most = 0;

    for (uint32_t i = 0; i < (uint32_t) problem->size; ++i) {
        most = joins(problem, i) > most ? joins(problem, i) : most;
    }
    *cost = (mca_coll_pschedule_cost_t) {.rounds = rounds,
                                         .bytes = rounds * problem->common_bytes,
                                         .reduced = most * problem->common_bytes};
    cost->scratch = mca_coll_pschedule_slots_scratch(rounds * chunks, chunk);
    if (excludes(problem)) {
        cost->scratch += mca_coll_pschedule_slots_scratch(chunks, chunk);
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
