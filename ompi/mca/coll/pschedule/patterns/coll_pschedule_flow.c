/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Flows (see coll_pschedule_flow.h).
 */
#include "patterns/coll_pschedule_flow.h"

#include "patterns/coll_pschedule_reduction.h"
#include "patterns/coll_pschedule_tree.h"

typedef struct piece_t {
    mca_coll_pschedule_range_t range; /* within the contribution */
    uint32_t partition;
    uint32_t number; /* within the partition */
} piece_t;

static uint32_t pieces_of_partition(const mca_coll_pschedule_flow_t *flow)
{
    return mca_coll_pschedule_flow_pieces(flow) / flow->cut.partitions;
}

static piece_t piece(const mca_coll_pschedule_flow_t *flow, uint32_t index)
{
    piece_t one;

    one.range = mca_coll_pschedule_piece(&flow->cut, flow->limit, index, &one.partition);
    one.number = index % pieces_of_partition(flow);
    return one;
}

/* What a step has beyond 16 bits is the phase. */
static uint64_t key(const piece_t *one, mca_coll_pschedule_hop_t hop)
{
    return mca_coll_pschedule_key(hop.step >> 16, hop.step, one->partition, one->number);
}

uint64_t mca_coll_pschedule_flow_note_key(uint32_t step, uint32_t number)
{
    return mca_coll_pschedule_grant_key(mca_coll_pschedule_key(step >> 16, step, 0, number));
}

static mca_coll_pschedule_place_t origin(const mca_coll_pschedule_flow_t *flow,
                                         const piece_t *one)
{
    return (mca_coll_pschedule_place_t) {flow->space, flow->from->offset + one->range.offset};
}

static mca_coll_pschedule_place_t target(const mca_coll_pschedule_flow_t *flow,
                                         const piece_t *one)
{
    return (mca_coll_pschedule_place_t) {COLL_PSCHEDULE_SPACE_RECV,
                                         flow->to->offset + one->range.offset};
}

static mca_coll_pschedule_node_t ready(const mca_coll_pschedule_flow_t *flow, const piece_t *one)
{
    return mca_coll_pschedule_plan_ready(flow->plan, flow->from->first + one->partition);
}

static mca_coll_pschedule_node_t send(const mca_coll_pschedule_flow_t *flow, const piece_t *one,
                                      mca_coll_pschedule_hop_t hop,
                                      mca_coll_pschedule_place_t place,
                                      mca_coll_pschedule_node_t after)
{
    mca_coll_pschedule_partial_t what = {.place = place, .node = after};
    mca_coll_pschedule_node_t node
        = mca_coll_pschedule_slots_send(flow->plan, hop.relays ? one->number : 0, hop.rank,
                                        key(one, hop), what, one->range.bytes);

    mca_coll_pschedule_plan_depend(flow->plan, node, flow->turn);
    if (NULL != hop.together) {
        mca_coll_pschedule_plan_depend(flow->plan, node, *hop.together);
    }
    return node;
}

mca_coll_pschedule_flow_t mca_coll_pschedule_flow(mca_coll_pschedule_plan_t *plan,
                                                  const mca_coll_pschedule_problem_t *problem,
                                                  mca_coll_pschedule_cut_t cut,
                                                  const mca_coll_pschedule_block_t *from,
                                                  const mca_coll_pschedule_block_t *to)
{
    return (mca_coll_pschedule_flow_t) {
        .plan = plan,
        .cut = cut,
        .limit = problem->chunk,
        .space = problem->in_place ? COLL_PSCHEDULE_SPACE_RECV : COLL_PSCHEDULE_SPACE_SEND,
        .from = from,
        .to = to,
        .turn = COLL_PSCHEDULE_NONE,
        .came = COLL_PSCHEDULE_NONE};
}

uint32_t mca_coll_pschedule_flow_pieces(const mca_coll_pschedule_flow_t *flow)
{
    return mca_coll_pschedule_pieces(&flow->cut, flow->limit);
}

void mca_coll_pschedule_flow_order(const mca_coll_pschedule_flow_t *flow)
{
    mca_coll_pschedule_plan_order(flow->plan, flow->from->first, flow->cut.partitions);
}

void mca_coll_pschedule_flow_leave_piece(const mca_coll_pschedule_flow_t *flow, uint32_t index,
                                         const mca_coll_pschedule_hop_t *hop, uint32_t count)
{
    piece_t one = piece(flow, index);

    for (uint32_t i = 0; i < count; ++i) {
        (void) send(flow, &one, hop[i], origin(flow, &one), ready(flow, &one));
    }
}

void mca_coll_pschedule_flow_pass_piece(const mca_coll_pschedule_flow_t *flow, uint32_t index,
                                        mca_coll_pschedule_hop_t from,
                                        const mca_coll_pschedule_hop_t *hop, uint32_t count)
{
    piece_t one = piece(flow, index);
    mca_coll_pschedule_node_t arrive = mca_coll_pschedule_plan_receive(
        flow->plan, from.rank, key(&one, from), target(flow, &one), one.range.bytes);

    /* What others wait for comes before what only this rank waits for. */
    for (uint32_t i = 0; i < count; ++i) {
        (void) send(flow, &one, hop[i], target(flow, &one), arrive);
    }
    mca_coll_pschedule_plan_covers(flow->plan, flow->to, one.range, arrive);
    mca_coll_pschedule_plan_depend(flow->plan, flow->came, arrive);
}

void mca_coll_pschedule_flow_leave(const mca_coll_pschedule_flow_t *flow,
                                   const mca_coll_pschedule_hop_t *hop, uint32_t count)
{
    for (uint32_t i = 0; i < mca_coll_pschedule_flow_pieces(flow); ++i) {
        mca_coll_pschedule_flow_leave_piece(flow, i, hop, count);
    }
}

void mca_coll_pschedule_flow_pass(const mca_coll_pschedule_flow_t *flow,
                                  mca_coll_pschedule_hop_t from,
                                  const mca_coll_pschedule_hop_t *hop, uint32_t count)
{
    for (uint32_t i = 0; i < mca_coll_pschedule_flow_pieces(flow); ++i) {
        mca_coll_pschedule_flow_pass_piece(flow, i, from, hop, count);
    }
}

void mca_coll_pschedule_flow_keep(const mca_coll_pschedule_flow_t *flow)
{
    bool in_place = COLL_PSCHEDULE_SPACE_RECV == flow->space
                    && flow->from->offset == flow->to->offset;

    for (uint32_t i = 0; i < mca_coll_pschedule_flow_pieces(flow); ++i) {
        piece_t one = piece(flow, i);
        mca_coll_pschedule_node_t there = ready(flow, &one);

        if (!in_place) {
            there = mca_coll_pschedule_plan_copy(flow->plan, origin(flow, &one),
                                                 target(flow, &one), one.range.bytes, there);
        }
        mca_coll_pschedule_plan_covers(flow->plan, flow->to, one.range, there);
    }
}

/* ---- relays ---- */

static void relay_partition(const mca_coll_pschedule_flow_t *flow, uint32_t partition,
                            mca_coll_pschedule_hop_t from, mca_coll_pschedule_hop_t hop)
{
    uint32_t pieces = pieces_of_partition(flow);
    uint64_t bytes = mca_coll_pschedule_largest_part(flow->cut.bytes / flow->cut.partitions,
                                                     pieces, 1);
    mca_coll_pschedule_slots_t slots = mca_coll_pschedule_slots(flow->plan, pieces, bytes);

    for (uint32_t i = 0; i < pieces; ++i) {
        piece_t one = piece(flow, partition * pieces + i);
        mca_coll_pschedule_partial_t it = mca_coll_pschedule_slots_receive(
            &slots, i, from.rank, key(&one, from), one.range.bytes);

        mca_coll_pschedule_plan_depend(flow->plan, flow->came, it.node);
        mca_coll_pschedule_slots_used(&slots, i, send(flow, &one, hop, it.place, it.node),
                                      COLL_PSCHEDULE_NONE);
    }
}

void mca_coll_pschedule_flow_relay(const mca_coll_pschedule_flow_t *flow,
                                   mca_coll_pschedule_hop_t from, mca_coll_pschedule_hop_t hop)
{
    if (0 == mca_coll_pschedule_flow_pieces(flow)) {
        return;
    }
    for (uint32_t i = 0; i < flow->cut.partitions; ++i) {
        relay_partition(flow, i, from, hop);
    }
}

uint64_t mca_coll_pschedule_flow_scratch(const mca_coll_pschedule_problem_t *problem)
{
    return 0 == problem->common_bytes ? 0 : mca_coll_pschedule_blocks_scratch(problem, 1);
}

mca_coll_pschedule_cost_t
mca_coll_pschedule_flow_tree_cost(const mca_coll_pschedule_problem_t *problem)
{
    uint32_t largest = mca_coll_pschedule_largest_subtree(problem->size);
    uint64_t others = largest > 1 ? largest - 1 : 0; /* flows that its root relays */

    return (mca_coll_pschedule_cost_t) {
        .rounds = mca_coll_pschedule_doublings(problem->size),
        .bytes = (uint64_t) (problem->size - 1) * problem->common_bytes,
        .relayed = others * problem->common_bytes,
        .scratch = others * mca_coll_pschedule_flow_scratch(problem)};
}
