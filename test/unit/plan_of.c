/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Problems and plans of single ranks (see plan_of.h).
 */
#include "plan_of.h"

#include "plan/coll_pschedule_freeze.h"
#include "simulator.h"

#include <stdio.h>
#include <stdlib.h>

static bool per_rank_send(mca_coll_pschedule_collective_t collective, bool root)
{
    switch (collective) {
    case COLL_PSCHEDULE_ALLTOALL:
    case COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK:
    case COLL_PSCHEDULE_REDUCE_SCATTER:
        return true;
    case COLL_PSCHEDULE_SCATTER:
        return root;
    default:
        return false;
    }
}

static uint32_t send_blocks(mca_coll_pschedule_collective_t collective, uint32_t size, bool root)
{
    bool none = !root
                && (COLL_PSCHEDULE_BCAST == collective || COLL_PSCHEDULE_SCATTER == collective);

    return none ? 0 : per_rank_send(collective, root) ? size : 1;
}

static uint32_t recv_blocks(mca_coll_pschedule_collective_t collective, uint32_t size, bool root)
{
    switch (collective) {
    case COLL_PSCHEDULE_BCAST:
        return root ? 0 : 1;
    case COLL_PSCHEDULE_GATHER:
        return root ? size : 0;
    case COLL_PSCHEDULE_REDUCE:
        return root ? 1 : 0;
    case COLL_PSCHEDULE_ALLGATHER:
    case COLL_PSCHEDULE_ALLTOALL:
        return size;
    default:
        return 1;
    }
}

static mca_coll_pschedule_block_t *blocks_of(uint32_t count, mca_coll_pschedule_cut_t cut)
{
    mca_coll_pschedule_block_t *block = calloc(count + 1, sizeof(*block));

    for (uint32_t i = 0; i < count; ++i) {
        block[i] = (mca_coll_pschedule_block_t) {
            .offset = i * cut.bytes, .cut = cut, .first = i * cut.partitions};
    }
    return block;
}

mca_coll_pschedule_problem_t plan_problem(mca_coll_pschedule_collective_t collective,
                                          uint32_t size, mca_coll_pschedule_cut_t cut,
                                          uint64_t chunk)
{
    bool whole = COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK == collective
                 || COLL_PSCHEDULE_REDUCE_SCATTER == collective;

    return (mca_coll_pschedule_problem_t) {
        .collective = collective,
        .size = (int32_t) size,
        .element = sim_reduces(collective) ? PLAN_ELEMENT : 1,
        .chunk = chunk,
        .common_bytes = whole ? cut.bytes * size : cut.bytes,
        .common_partitions = whole ? cut.partitions * size : cut.partitions,
        .uniform = true};
}

mca_coll_pschedule_plan_t *plan_of(const mca_coll_pschedule_algorithm_t *row,
                                   mca_coll_pschedule_problem_t problem,
                                   mca_coll_pschedule_cut_t cut, uint32_t rank)
{
    uint32_t size = (uint32_t) problem.size;
    mca_coll_pschedule_cut_t *contribution = calloc(size, sizeof(*contribution));
    mca_coll_pschedule_plan_t *plan;

    for (uint32_t i = 0; i < size; ++i) {
        contribution[i] = cut;
    }
    problem.rank = (int32_t) rank;
    problem.send_blocks = send_blocks(problem.collective, size, 0 == rank);
    problem.recv_blocks = recv_blocks(problem.collective, size, 0 == rank);
    problem.send = blocks_of(problem.send_blocks, cut);
    problem.recv = blocks_of(problem.recv_blocks, cut);
    problem.contribution = contribution;
    plan = mca_coll_pschedule_plan_new(&problem);
    row->build(plan, &problem);
    if (!mca_coll_pschedule_plan_freeze(plan)) {
        (void) fprintf(stderr, "%s: %s\n", row->name, plan->fault);
        exit(EXIT_FAILURE);
    }
    free((void *) problem.send);
    free((void *) problem.recv);
    free(contribution);
    return plan;
}

uint64_t plan_memory(const mca_coll_pschedule_plan_t *plan)
{
    /* A counter and a list link for each node, in the engine. */
    return sizeof(*plan) + (uint64_t) plan->nodes * (sizeof(*plan->vertex) + 8)
           + (uint64_t) plan->edges * sizeof(*plan->edge)
           + (uint64_t) plan->starters * sizeof(*plan->starter)
           + (uint64_t) plan->transfers * sizeof(*plan->transfer)
           + (uint64_t) plan->links * sizeof(*plan->link)
           + (uint64_t) plan->operations * sizeof(*plan->operation);
}
