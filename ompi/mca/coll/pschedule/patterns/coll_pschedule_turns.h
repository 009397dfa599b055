/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns: an alltoall in which every rank sends to one rank of another host at a time, and receives
 * from one at a time. Three transfers without bytes make sure of it, for the block from s to r:
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
#ifndef COLL_PSCHEDULE_TURNS_H
#define COLL_PSCHEDULE_TURNS_H

#include "patterns/coll_pschedule_cost.h"
#include "plan/coll_pschedule_plan.h"

/** All blocks: in turns, those within hosts at once. */
void mca_coll_pschedule_turns_build(mca_coll_pschedule_plan_t *plan,
                                    const mca_coll_pschedule_problem_t *problem);

/** What that costs. */
void mca_coll_pschedule_turns_cost(const mca_coll_pschedule_problem_t *problem,
                                   mca_coll_pschedule_cost_t *cost);

#endif /* COLL_PSCHEDULE_TURNS_H */
