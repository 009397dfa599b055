/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks that go straight to their receivers (see coll_pschedule_direct.h).
 */
#include "patterns/coll_pschedule_direct.h"

#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_rounds.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_tree.h"

typedef mca_coll_pschedule_direct_t direct_t;

/* Blocks for other hosts are cut finer than others, so that they go over several paths at once:
 * into a multiple of so many pieces, the same for each of a few paths. Smaller ones than SMALLEST
 * cost more than that gains. */
#define PIECES   4u
#define SMALLEST (UINT64_C(16) << 10)

/* Limit of the pieces of a block: the same for sender and receiver. */
static uint64_t limit_of(const direct_t *direct)
{
    const mca_coll_pschedule_problem_t *problem = direct->problem;
    uint64_t partition = problem->common_bytes / problem->common_partitions;
    uint64_t least = mca_coll_pschedule_least_chunk(problem); /* there are keys for so many */
    uint64_t rows = partition / PIECES / problem->chunk;
    uint64_t limit;

    if (problem->one_host || problem->lone_path) {
        return problem->chunk;
    }
    rows += rows * problem->chunk * PIECES < partition ? 1 : 0;
    limit = 0 == rows ? 0 : (partition + rows * PIECES - 1) / (rows * PIECES);
    limit = limit < SMALLEST ? SMALLEST : limit;
    limit = limit < least ? least : limit;
    return limit < problem->chunk ? limit : problem->chunk;
}

uint32_t mca_coll_pschedule_direct_step(const direct_t *direct, int32_t from, int32_t to)
{
    return direct->by_round ? 1 + mca_coll_pschedule_round_of(direct->problem, from, to) : 0;
}

void mca_coll_pschedule_direct_leave(const direct_t *direct, int32_t to,
                                     mca_coll_pschedule_node_t turn)
{
    const mca_coll_pschedule_problem_t *problem = direct->problem;
    mca_coll_pschedule_hop_t hop
        = {.rank = to, .step = mca_coll_pschedule_direct_step(direct, problem->rank, to)};
    mca_coll_pschedule_flow_t flow = mca_coll_pschedule_flow(
        direct->plan, problem, problem->send[to].cut, &problem->send[to], NULL);

    flow.limit = limit_of(direct);
    flow.turn = turn;
    if (direct->by_round) {
        mca_coll_pschedule_flow_order(&flow);
    }
    mca_coll_pschedule_flow_leave(&flow, &hop, 1);
}

void mca_coll_pschedule_direct_take(const direct_t *direct, int32_t from,
                                    mca_coll_pschedule_node_t came)
{
    const mca_coll_pschedule_problem_t *problem = direct->problem;
    mca_coll_pschedule_hop_t hop
        = {.rank = from, .step = mca_coll_pschedule_direct_step(direct, from, problem->rank)};
    mca_coll_pschedule_flow_t flow = mca_coll_pschedule_flow(
        direct->plan, problem, problem->contribution[from], NULL, &problem->recv[from]);

    flow.limit = limit_of(direct);
    flow.came = came;
    mca_coll_pschedule_flow_pass(&flow, hop, NULL, 0);
}

void mca_coll_pschedule_direct_keep(const direct_t *direct)
{
    const mca_coll_pschedule_problem_t *problem = direct->problem;
    int32_t rank = problem->rank;
    mca_coll_pschedule_flow_t own
        = mca_coll_pschedule_flow(direct->plan, problem, problem->send[rank].cut,
                                  &problem->send[rank], &problem->recv[rank]);

    if (direct->by_round) {
        mca_coll_pschedule_flow_order(&own);
    }
    mca_coll_pschedule_flow_keep(&own);
}

void mca_coll_pschedule_direct_build(mca_coll_pschedule_plan_t *plan,
                                     const mca_coll_pschedule_problem_t *problem, bool by_round)
{
    direct_t direct = {.plan = plan, .problem = problem, .by_round = by_round};

    for (uint32_t round = 0; round < mca_coll_pschedule_rounds(problem); ++round) {
        int32_t other = mca_coll_pschedule_round_peer(problem, problem->rank, round);

        if (COLL_PSCHEDULE_NOBODY != other) {
            mca_coll_pschedule_direct_leave(&direct, other, COLL_PSCHEDULE_NONE);
            mca_coll_pschedule_direct_take(&direct, other, COLL_PSCHEDULE_NONE);
        }
    }
    mca_coll_pschedule_direct_keep(&direct);
}

void mca_coll_pschedule_direct_cost(const mca_coll_pschedule_problem_t *problem,
                                    mca_coll_pschedule_cost_t *cost)
{
    uint64_t others = (uint64_t) problem->size - 1;
    uint64_t bytes = others * problem->common_bytes;

    *cost = (mca_coll_pschedule_cost_t) {
        .rounds = others > 0,
        .bytes = bytes,
        .hosts = mca_coll_pschedule_hosts_nested(problem->hosts)
                     ? mca_coll_pschedule_hosts_exchanged(problem->hosts) * problem->common_bytes
                     : 0,
        .crowded = problem->size > 2 ? bytes : 0,
        .messages = mca_coll_pschedule_lone_messages(problem, others),
        .serving = mca_coll_pschedule_mesh_rounds(problem->size)};
}
