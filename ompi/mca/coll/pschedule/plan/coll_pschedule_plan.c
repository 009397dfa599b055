/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Building plans (see coll_pschedule_plan.h). What the build calls collect grows in arrays; a
 * failure is remembered and reported once, by freezing.
 */
#include "plan/coll_pschedule_plan.h"

#include "plan/coll_pschedule_freeze.h"

#include <stdlib.h>

const char mca_coll_pschedule_no_memory[] = "out of memory";

/* ---- memory ---- */

/* Make room for one more entry of an array; false when there is no memory. */
static bool grow(mca_coll_pschedule_plan_t *plan, void **array, uint32_t count,
                 uint32_t *capacity, size_t size)
{
    uint32_t wanted = 0 == *capacity ? 64 : *capacity * 2;
    void *larger;

    if (NULL != plan->fault) {
        return false; /* never built: nothing is asked for again */
    }
    if (count < *capacity) {
        return true;
    }
    larger = wanted > *capacity ? realloc(*array, wanted * size) : NULL;
    if (NULL == larger) {
        plan->fault = mca_coll_pschedule_no_memory;
        return false;
    }
    *array = larger;
    *capacity = wanted;
    return true;
}

/* ---- nodes ---- */

static mca_coll_pschedule_node_t add_node(mca_coll_pschedule_plan_t *plan,
                                          mca_coll_pschedule_kind_t kind, uint32_t item)
{
    if (!grow(plan, (void **) &plan->vertex, plan->nodes, &plan->build->node_capacity,
              sizeof(*plan->vertex))) {
        return COLL_PSCHEDULE_NONE;
    }
    plan->vertex[plan->nodes] = (mca_coll_pschedule_vertex_t) {.kind = (uint8_t) kind,
                                                               .item = item};
    return plan->nodes++;
}

void mca_coll_pschedule_plan_depend(mca_coll_pschedule_plan_t *plan,
                                    mca_coll_pschedule_node_t node,
                                    mca_coll_pschedule_node_t before)
{
    mca_coll_pschedule_build_t *build = plan->build;

    if (COLL_PSCHEDULE_NONE == node || COLL_PSCHEDULE_NONE == before
        || !grow(plan, (void **) &build->arc, plan->edges, &build->arc_capacity,
                 sizeof(*build->arc))) {
        return;
    }
    build->arc[plan->edges++] = (mca_coll_pschedule_arc_t) {.before = before, .node = node};
}

static mca_coll_pschedule_node_t add_transfer(mca_coll_pschedule_plan_t *plan, bool is_send,
                                              int32_t peer, uint64_t key,
                                              mca_coll_pschedule_place_t place, uint64_t bytes)
{
    mca_coll_pschedule_build_t *build = plan->build;
    mca_coll_pschedule_node_t node;

    if (peer < 0 || peer >= build->size || peer == build->rank) {
        plan->fault = "a transfer to nobody, or to itself";
        return COLL_PSCHEDULE_NONE;
    }
    if (!grow(plan, (void **) &build->draft, plan->transfers, &build->draft_capacity,
              sizeof(*build->draft))) {
        return COLL_PSCHEDULE_NONE;
    }
    node = add_node(plan, is_send ? COLL_PSCHEDULE_NODE_SEND : COLL_PSCHEDULE_NODE_ARRIVE,
                    plan->transfers);
    build->draft[plan->transfers++] = (mca_coll_pschedule_draft_t) {
        .peer = peer,
        .is_send = is_send,
        .transfer = {.key = key, .bytes = bytes, .place = place, .node = node}};
    return node;
}

static mca_coll_pschedule_node_t add_operation(mca_coll_pschedule_plan_t *plan,
                                               mca_coll_pschedule_kind_t kind,
                                               mca_coll_pschedule_place_t from,
                                               mca_coll_pschedule_place_t to, uint64_t bytes,
                                               mca_coll_pschedule_node_t after)
{
    mca_coll_pschedule_node_t node;

    if (!grow(plan, (void **) &plan->operation, plan->operations,
              &plan->build->operation_capacity, sizeof(*plan->operation))) {
        return COLL_PSCHEDULE_NONE;
    }
    node = add_node(plan, kind, plan->operations);
    plan->operation[plan->operations++]
        = (mca_coll_pschedule_operation_t) {.from = from, .to = to, .bytes = bytes};
    mca_coll_pschedule_plan_depend(plan, node, after);
    return node;
}

/* ---- what builders call ---- */

static uint32_t count_partitions(const mca_coll_pschedule_block_t *block, uint32_t count)
{
    uint32_t partitions = 0;

    for (uint32_t i = 0; i < count; ++i) {
        partitions += block[i].cut.partitions;
    }
    return partitions;
}

/* The end of the last block: no node may touch what is behind it. */
static uint64_t extent_of(const mca_coll_pschedule_block_t *block, uint32_t count)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < count; ++i) {
        uint64_t last = block[i].offset + block[i].cut.bytes;

        end = last > end ? last : end;
    }
    return end;
}

mca_coll_pschedule_plan_t *
mca_coll_pschedule_plan_new(const mca_coll_pschedule_problem_t *problem)
{
    mca_coll_pschedule_plan_t *plan = calloc(1, sizeof(*plan));
    uint64_t contribution = extent_of(problem->send, problem->send_blocks);
    uint64_t result = extent_of(problem->recv, problem->recv_blocks);

    if (NULL == plan) {
        return NULL;
    }
    plan->build = calloc(1, sizeof(*plan->build));
    if (NULL == plan->build) {
        free(plan);
        return NULL;
    }
    plan->build->rank = problem->rank;
    plan->build->size = problem->size;
    plan->build->element = problem->element;
    plan->build->extent[COLL_PSCHEDULE_SPACE_SEND] = problem->in_place ? 0 : contribution;
    plan->build->extent[COLL_PSCHEDULE_SPACE_RECV]
        = problem->in_place && contribution > result ? contribution : result;
    plan->send_partitions = count_partitions(problem->send, problem->send_blocks);
    plan->recv_partitions = count_partitions(problem->recv, problem->recv_blocks);
    for (uint32_t i = 0; i < plan->send_partitions; ++i) {
        (void) add_node(plan, COLL_PSCHEDULE_NODE_READY, i);
    }
    for (uint32_t i = 0; i < plan->recv_partitions; ++i) {
        (void) add_node(plan, COLL_PSCHEDULE_NODE_RESULT, i);
    }
    return plan;
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_ready(mca_coll_pschedule_plan_t *plan,
                                                        uint32_t partition)
{
    if (partition >= plan->send_partitions) {
        plan->fault = "a partition of the contribution that does not exist";
        return COLL_PSCHEDULE_NONE;
    }
    return partition;
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_result(mca_coll_pschedule_plan_t *plan,
                                                         uint32_t partition)
{
    if (partition >= plan->recv_partitions) {
        plan->fault = "a partition of the result that does not exist";
        return COLL_PSCHEDULE_NONE;
    }
    return plan->send_partitions + partition;
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_send(mca_coll_pschedule_plan_t *plan,
                                                       int32_t peer, uint64_t key,
                                                       mca_coll_pschedule_place_t place,
                                                       uint64_t bytes,
                                                       mca_coll_pschedule_node_t after)
{
    mca_coll_pschedule_node_t node = add_transfer(plan, true, peer, key, place, bytes);

    mca_coll_pschedule_plan_depend(plan, node, after);
    return node;
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_receive(mca_coll_pschedule_plan_t *plan,
                                                          int32_t peer, uint64_t key,
                                                          mca_coll_pschedule_place_t place,
                                                          uint64_t bytes)
{
    return add_transfer(plan, false, peer, key, place, bytes);
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_grant(mca_coll_pschedule_plan_t *plan,
                                                        int32_t peer, uint64_t key,
                                                        mca_coll_pschedule_node_t after)
{
    mca_coll_pschedule_place_t nowhere = {.space = COLL_PSCHEDULE_SPACE_SCRATCH, .offset = 0};

    return mca_coll_pschedule_plan_send(plan, peer, key, nowhere, 0, after);
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_granted(mca_coll_pschedule_plan_t *plan,
                                                          int32_t peer, uint64_t key)
{
    mca_coll_pschedule_place_t nowhere = {.space = COLL_PSCHEDULE_SPACE_SCRATCH, .offset = 0};

    return mca_coll_pschedule_plan_receive(plan, peer, key, nowhere, 0);
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_reduce(mca_coll_pschedule_plan_t *plan,
                                                         mca_coll_pschedule_place_t from,
                                                         mca_coll_pschedule_place_t to,
                                                         uint64_t bytes,
                                                         mca_coll_pschedule_node_t after)
{
    if (0 != bytes % plan->build->element) {
        plan->fault = "a reduction of part of an element";
    }
    return add_operation(plan, COLL_PSCHEDULE_NODE_REDUCE, from, to, bytes, after);
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_copy(mca_coll_pschedule_plan_t *plan,
                                                       mca_coll_pschedule_place_t from,
                                                       mca_coll_pschedule_place_t to,
                                                       uint64_t bytes,
                                                       mca_coll_pschedule_node_t after)
{
    return add_operation(plan, COLL_PSCHEDULE_NODE_COPY, from, to, bytes, after);
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_point(mca_coll_pschedule_plan_t *plan)
{
    return add_node(plan, COLL_PSCHEDULE_NODE_POINT, 0);
}

mca_coll_pschedule_node_t mca_coll_pschedule_plan_turn(mca_coll_pschedule_plan_t *plan,
                                                       mca_coll_pschedule_node_t received,
                                                       mca_coll_pschedule_node_t *over)
{
    *over = mca_coll_pschedule_plan_point(plan);
    mca_coll_pschedule_plan_depend(plan, *over, received);
    /* Where a turn ends early `received` frees nothing; the plan must not be done before it. */
    mca_coll_pschedule_plan_depend(plan, mca_coll_pschedule_plan_point(plan), received);
    return add_node(plan, COLL_PSCHEDULE_NODE_TURN, *over);
}

mca_coll_pschedule_place_t mca_coll_pschedule_plan_scratch(mca_coll_pschedule_plan_t *plan,
                                                           uint64_t bytes)
{
    mca_coll_pschedule_place_t place = {.space = COLL_PSCHEDULE_SPACE_SCRATCH,
                                        .offset = plan->scratch};

    plan->scratch += mca_coll_pschedule_padded(bytes);
    return place;
}

void mca_coll_pschedule_plan_covers(mca_coll_pschedule_plan_t *plan,
                                    const mca_coll_pschedule_block_t *block,
                                    mca_coll_pschedule_range_t range,
                                    mca_coll_pschedule_node_t node)
{
    uint64_t bytes = block->cut.bytes / block->cut.partitions;

    if (0 == range.bytes || 0 == bytes) {
        return;
    }
    for (uint64_t i = range.offset / bytes; i <= (range.offset + range.bytes - 1) / bytes; ++i) {
        mca_coll_pschedule_plan_depend(
            plan, mca_coll_pschedule_plan_result(plan, block->first + (uint32_t) i), node);
    }
}

void mca_coll_pschedule_plan_order(mca_coll_pschedule_plan_t *plan, uint32_t first,
                                   uint32_t partitions)
{
    if (NULL == plan->order) {
        plan->order = malloc((plan->send_partitions + (size_t) 1) * sizeof(*plan->order));
    }
    if (NULL == plan->order) {
        plan->fault = mca_coll_pschedule_no_memory;
        return;
    }
    for (uint32_t i = first; i < first + partitions; ++i) {
        if (i >= plan->send_partitions || plan->ordered >= plan->send_partitions) {
            plan->fault = "an order with more partitions than there are";
            return;
        }
        plan->order[plan->ordered++] = i;
    }
}

void mca_coll_pschedule_plan_free(mca_coll_pschedule_plan_t *plan)
{
    if (NULL == plan) {
        return;
    }
    mca_coll_pschedule_build_free(plan);
    free(plan->vertex);
    free(plan->edge);
    free(plan->starter);
    free(plan->order);
    free(plan->transfer);
    free(plan->link);
    free(plan->operation);
    free(plan);
}
