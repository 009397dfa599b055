/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall in turns: every block goes straight to its receiver. Of the ranks of other hosts, a rank
 * sends to one at a time, and receives from one at a time. So no receiver's links are shared by two
 * senders, one of which then holds up whom it serves next. That costs three small messages for each
 * block; it is for large ones.
 *
 * Three transfers without bytes make sure of it, for the block from s to r:
 *
 *   FREE       r to s   r receives from nobody else: s may send, when it sends to nobody else
 *   RECEIVED   r to s   r has the whole block: the turn is over
 *   OVER       s to r   the turn is over: r is free for the next sender
 *
 * A rank goes through its receivers by rounds (coll_pschedule_rounds.h), and through its senders,
 * too: by rank where a round brings several. It sends in a round when it has received what earlier
 * rounds bring. So there is no circle: of all turns that are not over, the first by (round, sender)
 * waits for nobody.
 *
 * Nothing waits for what has not been marked: a turn whose block has not been marked all is over
 * when it begins (mca_coll_pschedule_plan_turn()), and the block leaves when it is marked. A rank
 * that has not started its epoch does hold up who would receive from it. Where blocks are equal
 * they wait for its blocks longer than that; where they are not, that may cost time.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_direct.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_rounds.h"

#include <stdlib.h>

/* Transfers that pass between two turns of a rank: RECEIVED, OVER, FREE. */
#define HOPS 3u

/* Smaller blocks are through before ranks are in each other's way: there turns only cost, whatever
 * the rates (8 x 1 and 4 x 4 ranks, docs/measured.md). */
#define LEAST (UINT64_C(32) << 10)

/* Notes about a block. */
enum { FREE, RECEIVED, OVER };

typedef struct turns_t {
    mca_coll_pschedule_direct_t direct;
    mca_coll_pschedule_node_t sent;     /* the last turn to send is over; NONE before the first */
    mca_coll_pschedule_node_t received; /* the last turn to receive is over */
} turns_t;

typedef struct sender_t {
    int32_t rank;
    uint32_t step;
} sender_t;

/* Blocks within a host do not cross the network; blocks without bytes do not exist. */
static bool takes_turn(const mca_coll_pschedule_problem_t *problem, int32_t other, uint64_t bytes)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    bool beside = mca_coll_pschedule_hosts_nested(hosts)
                  && hosts->host[other] == hosts->host[problem->rank];

    return 0 != bytes && !problem->one_host && !beside;
}

/* Not before what has come in the rounds before: else the two chains of turns, of those to send and
 * of those to receive, drift apart, and notes of the one wait behind data of the other. */
static void send_block(turns_t *turns, int32_t to)
{
    mca_coll_pschedule_plan_t *plan = turns->direct.plan;
    const mca_coll_pschedule_problem_t *problem = turns->direct.problem;
    uint32_t step = mca_coll_pschedule_direct_step(&turns->direct, problem->rank, to);
    mca_coll_pschedule_node_t received, over, turn;

    if (!takes_turn(problem, to, problem->send[to].cut.bytes)) {
        mca_coll_pschedule_direct_leave(&turns->direct, to, COLL_PSCHEDULE_NONE);
        return;
    }
    received = mca_coll_pschedule_plan_granted(plan, to,
                                               mca_coll_pschedule_flow_note_key(step, RECEIVED));
    turn = mca_coll_pschedule_plan_turn(plan, received, &over);
    mca_coll_pschedule_plan_depend(plan, turn, turns->sent);
    mca_coll_pschedule_plan_depend(plan, turn, turns->received);
    mca_coll_pschedule_plan_depend(
        plan, turn,
        mca_coll_pschedule_plan_granted(plan, to, mca_coll_pschedule_flow_note_key(step, FREE)));
    mca_coll_pschedule_direct_leave(&turns->direct, to, turn);
    (void) mca_coll_pschedule_plan_grant(plan, to, mca_coll_pschedule_flow_note_key(step, OVER),
                                         over);
    turns->sent = over;
}

static void receive_block(turns_t *turns, sender_t from)
{
    mca_coll_pschedule_plan_t *plan = turns->direct.plan;
    const mca_coll_pschedule_problem_t *problem = turns->direct.problem;
    mca_coll_pschedule_node_t came = COLL_PSCHEDULE_NONE;

    if (takes_turn(problem, from.rank, problem->contribution[from.rank].bytes)) {
        (void) mca_coll_pschedule_plan_grant(plan, from.rank,
                                             mca_coll_pschedule_flow_note_key(from.step, FREE),
                                             turns->received);
        came = mca_coll_pschedule_plan_grant(plan, from.rank,
                                             mca_coll_pschedule_flow_note_key(from.step, RECEIVED),
                                             COLL_PSCHEDULE_NONE);
        turns->received = mca_coll_pschedule_plan_granted(
            plan, from.rank, mca_coll_pschedule_flow_note_key(from.step, OVER));
    }
    mca_coll_pschedule_direct_take(&turns->direct, from.rank, came);
}

static int compare_senders(const void *a, const void *b)
{
    const sender_t *x = a, *y = b;

    if (x->step != y->step) {
        return x->step < y->step ? -1 : 1;
    }
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* All other ranks, in the order in which this one receives from them. NULL: no memory. */
static sender_t *senders_of(const mca_coll_pschedule_direct_t *direct)
{
    const mca_coll_pschedule_problem_t *problem = direct->problem;
    sender_t *sender = malloc((size_t) problem->size * sizeof(*sender));
    int32_t senders = 0;

    if (NULL == sender) {
        return NULL;
    }
    for (int32_t i = 0; i < problem->size; ++i) {
        if (i != problem->rank) {
            sender[senders++] = (sender_t) {
                .rank = i, .step = mca_coll_pschedule_direct_step(direct, i, problem->rank)};
        }
    }
    qsort(sender, (size_t) senders, sizeof(*sender), compare_senders);
    return sender;
}

/* What is sent in a round, and then what comes in it. */
static void exchange(turns_t *turns, const sender_t *sender)
{
    const mca_coll_pschedule_problem_t *problem = turns->direct.problem;
    int32_t others = problem->size - 1, next = 0;

    for (uint32_t round = 0; round < mca_coll_pschedule_rounds(problem); ++round) {
        int32_t to = mca_coll_pschedule_round_peer(problem, problem->rank, round);

        if (COLL_PSCHEDULE_NOBODY != to) {
            send_block(turns, to);
        }
        for (; next < others && 1 + round == sender[next].step; ++next) {
            receive_block(turns, sender[next]);
        }
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    turns_t turns = {
        .direct = {.plan = plan, .problem = problem, .by_round = true},
        .sent = COLL_PSCHEDULE_NONE,
        .received = COLL_PSCHEDULE_NONE};
    sender_t *sender = senders_of(&turns.direct);

    if (NULL == sender) {
        plan->fault = mca_coll_pschedule_no_memory;
        return;
    }
    exchange(&turns, sender);
    free(sender);
    mca_coll_pschedule_direct_keep(&turns.direct);
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    mca_coll_pschedule_direct_cost(problem, cost);
    if (!problem->one_host) {
        cost->crowded = problem->common_bytes < LEAST ? cost->crowded : 0;
        cost->serving = HOPS * ((uint64_t) problem->size - 1);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_alltoall_turns = {
    .collective = COLL_PSCHEDULE_ALLTOALL,
    .last = COLL_PSCHEDULE_ALLTOALLW,
    .name = "turns",
    .description = "all blocks go straight to their receivers, to and from one at a time; for much "
                   "data",
    .memory = "none",
    .limits = 0,
    .build = build,
    .cost = cost};
