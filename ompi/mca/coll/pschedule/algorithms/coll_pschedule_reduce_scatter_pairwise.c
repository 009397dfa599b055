/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce-scatter where every rank sends each block right to the rank that wants it. In step s, rank
 * r takes from rank r+s (around the ring), so no two ranks send to the same one in the same step.
 * All steps of a chunk come before those of the next chunk.
 *
 * Rank order is kept: what comes from the ranks above (steps 1 to N-1-r) is added to the own
 * contribution, upper = x[r] op ... op x[N-1]; what comes from the ranks below (ranks 0 to r-1)
 * makes lower = x[0] op ... op x[r-1]; the result is lower op upper. Both partial results move to
 * where the next operand came in, so the place of the last is free. `upper` ends where rank N-1's
 * operand comes in: out of place that is the receive buffer, in place one of the slots for these,
 * from where the result is copied. On rank N-1, `upper` is a copy of the own contribution there.
 *
 * In place, the result may be copied to the beginning of the buffer when all contributions that it
 * covers have left, or were used (coll_pschedule_readers.h). It covers blocks up to the own one
 * only, and these are built first.
 *
 * No deadlock: the use of transfer number n of a partition waits for numbers up to n+1, that is,
 * for other ranks to send them. They send when they are marked and their slot has been used, or in
 * place, for the operands of rank N-1, when the result some chunks before has been copied. That
 * result lies at a position (in the whole buffer) below that of the chunk which waits for it, and
 * waits for contributions below its own end only: positions decrease, so there is no circle.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_blocks.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_readers.h"
#include "patterns/coll_pschedule_tree.h"

typedef struct pairwise_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_readers_t readers;
    uint32_t size;
    uint32_t rank;
    /* Of the partition that is built: */
    uint32_t fitting;                 /* slots that the rank of the block has */
    mca_coll_pschedule_slots_t slots; /* on that rank */
    mca_coll_pschedule_slots_t upper; /* in place, there: for operands of rank N-1 */
} pairwise_t;

typedef mca_coll_pschedule_bit_t bit_t;

/* The step in which `receiver` takes from `sender`. */
static uint32_t step_of(const pairwise_t *at, uint32_t receiver, uint32_t sender)
{
    return (sender + at->size - receiver) % at->size;
}

/* Transfers per chunk that go to the slots of a rank: all but the one of rank N-1. */
static uint32_t slotted(const pairwise_t *at, uint32_t receiver)
{
    return receiver + 1 == at->size ? at->size - 1 : at->size - 2;
}

static uint32_t number_of(const pairwise_t *at, uint32_t receiver, uint32_t sender, uint32_t chunk)
{
    uint32_t step = step_of(at, receiver, sender);
    bool behind = receiver + 1 != at->size && step > step_of(at, receiver, at->size - 1);

    return chunk * slotted(at, receiver) + step - 1 - behind;
}

static uint64_t key_of(const bit_t *bit, uint32_t step)
{
    return mca_coll_pschedule_key(0, step, bit->number, bit->index);
}

static void send_chunk(pairwise_t *at, const bit_t *bit)
{
    uint32_t receiver = (uint32_t) bit->block;
    uint64_t key = key_of(bit, step_of(at, receiver, at->rank));
    uint32_t number = number_of(at, receiver, at->rank, bit->index);

    if (at->rank + 1 == at->size) {
        number = at->problem->common_in_place ? bit->index : 0;
    }
    mca_coll_pschedule_readers_add(&at->readers, bit,
                                   mca_coll_pschedule_slots_send_many(at->plan, at->fitting, number,
                                                                      bit->block, key, bit->own,
                                                                      bit->range.bytes));
}

/* The operand of a rank comes. */
static mca_coll_pschedule_partial_t take(pairwise_t *at, const bit_t *bit, uint32_t sender)
{
    uint64_t key = key_of(bit, step_of(at, at->rank, sender));

    if (sender + 1 < at->size) {
        return mca_coll_pschedule_slots_receive(&at->slots,
                                                number_of(at, at->rank, sender, bit->index),
                                                (int32_t) sender, key, bit->range.bytes);
    }
    return mca_coll_pschedule_slots_take(&at->upper, bit->index, !at->problem->common_in_place,
                                         bit->target, (int32_t) sender, key, bit->range.bytes);
}

/* The operands of ranks first to last follow those that are added up in `sum`; `begun`: that is the
 * operand of rank first - 1, in its slot. */
static mca_coll_pschedule_partial_t add_up(pairwise_t *at, const bit_t *bit, uint32_t first,
                                           uint32_t last, bool begun,
                                           mca_coll_pschedule_partial_t sum)
{
    for (uint32_t i = first; i <= last; ++i) {
        sum = mca_coll_pschedule_join(at->plan, sum, take(at, bit, i), bit->range.bytes);
        if (begun || i > first) {
            mca_coll_pschedule_slots_used(&at->slots, number_of(at, at->rank, i - 1, bit->index),
                                          sum.node, COLL_PSCHEDULE_NONE);
        }
    }
    return sum;
}

/* The own operand and those of the ranks above. */
static mca_coll_pschedule_partial_t add_upper(pairwise_t *at, const bit_t *bit)
{
    mca_coll_pschedule_partial_t sum = bit->own;

    if (at->rank + 1 < at->size) {
        sum = add_up(at, bit, at->rank + 1, at->rank + 1, false, sum);
        mca_coll_pschedule_readers_add(&at->readers, bit, sum.node);
        return at->rank + 2 < at->size ? add_up(at, bit, at->rank + 2, at->size - 1, true, sum)
                                       : sum;
    }
    if (at->problem->in_place) {
        sum = mca_coll_pschedule_slots_copy(&at->upper, bit->index, sum, bit->range.bytes);
    } else {
        sum.node = mca_coll_pschedule_plan_copy(at->plan, sum.place, bit->target, bit->range.bytes,
                                                sum.node);
        sum.place = bit->target;
    }
    mca_coll_pschedule_readers_add(&at->readers, bit, sum.node);
    return sum;
}

static void receive_chunk(pairwise_t *at, const bit_t *bit)
{
    mca_coll_pschedule_partial_t sum = add_upper(at, bit);
    mca_coll_pschedule_node_t settled;

    if (0 < at->rank) {
        mca_coll_pschedule_partial_t lower = take(at, bit, 0);

        lower = 1 < at->rank ? add_up(at, bit, 1, at->rank - 1, true, lower) : lower;
        sum = mca_coll_pschedule_join(at->plan, lower, sum, bit->range.bytes);
        mca_coll_pschedule_slots_used(&at->slots, number_of(at, at->rank, at->rank - 1, bit->index),
                                      sum.node, COLL_PSCHEDULE_NONE);
    }
    settled = mca_coll_pschedule_readers_settle(&at->readers, sum, bit);
    mca_coll_pschedule_slots_used(&at->upper, bit->index, settled, COLL_PSCHEDULE_NONE);
}

static void begin(void *of, const bit_t *bit, uint32_t chunks, uint64_t largest)
{
    pairwise_t *at = of;

    at->fitting = mca_coll_pschedule_slots_fitting(at->problem, largest);
    if (bit->block == at->problem->rank) {
        at->slots = mca_coll_pschedule_slots_many(
            at->plan, at->fitting, (uint64_t) slotted(at, at->rank) * chunks, largest);
        at->upper = mca_coll_pschedule_slots_many(
            at->plan, at->fitting, at->problem->common_in_place ? chunks : 0, largest);
    }
}

static void build_chunk(void *of, const bit_t *bit)
{
    pairwise_t *at = of;

    (bit->block == at->problem->rank ? receive_chunk : send_chunk)(at, bit);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_scattering_t does = {.begin = begin, .build = build_chunk};
    pairwise_t at = {.plan = plan,
                     .problem = problem,
                     .size = (uint32_t) problem->size,
                     .rank = (uint32_t) problem->rank};

    mca_coll_pschedule_build_blocks(plan, problem, &at.readers, &does, &at);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t size = (uint64_t) problem->size;
    uint64_t sent = mca_coll_pschedule_other_blocks(problem);

    *cost = (mca_coll_pschedule_cost_t) {0};
    if (1 < size) {
        cost->rounds = 1;
        cost->serving = mca_coll_pschedule_mesh_rounds(problem->size);
        cost->messages = mca_coll_pschedule_reduce_scatter_messages(
            problem, size - 1,
            mca_coll_pschedule_hosts_nested(problem->hosts)
                ? mca_coll_pschedule_hosts_exchanged(problem->hosts)
                : 0);
        cost->reduced = (size - 1) * mca_coll_pschedule_largest_block(problem);
        cost->bytes = cost->reduced > sent ? cost->reduced : sent;
        cost->crowded = 2 < size ? cost->reduced : 0;
        cost->scratch = mca_coll_pschedule_block_scratch(problem)
                        * (problem->common_in_place ? 2u : 1u);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_scatter_pairwise = {
    .collective = COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK,
    .last = COLL_PSCHEDULE_REDUCE_SCATTER,
    .name = "pairwise",
    .description = "every rank sends each block to the rank that wants it; keeps rank order",
    .memory = "at most four chunks per partition of the own block; in place eight",
    .limits = 0,
    .build = build,
    .cost = cost};
