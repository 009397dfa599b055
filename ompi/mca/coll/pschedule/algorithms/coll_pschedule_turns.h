/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns: the order in which a rank serves all others. In each turn every rank serves another one.
 * Where hosts have several ranks, those of a host serve ranks of different hosts in the same turn,
 * and each goes on to the next host with the next turn, so that no host is served by all others at
 * the same time; its own host comes last, which the network does not wait for. Else turn t is for
 * the rank t + 1 behind.
 */
#ifndef COLL_PSCHEDULE_TURNS_H
#define COLL_PSCHEDULE_TURNS_H

#include "plan/coll_pschedule_problem.h"

/** How many turns there are; some may serve nobody where hosts have different numbers of ranks. */
static inline uint32_t mca_coll_pschedule_turns(const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;

    return mca_coll_pschedule_hosts_nested(hosts) ? hosts->count * hosts->most
                                                  : (uint32_t) problem->size - 1;
}

/** Whom a rank serves in a turn, or COLL_PSCHEDULE_NOBODY. */
static inline int32_t mca_coll_pschedule_turn_rank(const mca_coll_pschedule_problem_t *problem,
                                                   int32_t rank, uint32_t turn)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t others, host, on, round;
    int32_t to;

    if (!mca_coll_pschedule_hosts_nested(hosts)) {
        return (int32_t) (((uint32_t) rank + turn + 1) % (uint32_t) problem->size);
    }
    others = hosts->count - 1;
    host = hosts->host[rank];
    round = turn / others;
    if (round < hosts->most) {
        host = (host + 1 + (turn + hosts->index[rank]) % others) % hosts->count;
    } else {
        round = turn - others * hosts->most;
    }
    on = mca_coll_pschedule_hosts_on(hosts, host);
    if (round >= on) {
        return COLL_PSCHEDULE_NOBODY;
    }
    to = mca_coll_pschedule_hosts_rank(hosts, host, (hosts->index[rank] + round) % on);
    return to == rank ? COLL_PSCHEDULE_NOBODY : to;
}

/** The turn in which a rank serves another. */
static inline uint32_t mca_coll_pschedule_turn(const mca_coll_pschedule_problem_t *problem,
                                               int32_t from, int32_t to)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t others, on, round, way;

    if (!mca_coll_pschedule_hosts_nested(hosts)) {
        return (uint32_t) ((to - from + problem->size) % problem->size) - 1;
    }
    others = hosts->count - 1;
    on = mca_coll_pschedule_hosts_on(hosts, hosts->host[to]);
    round = (hosts->index[to] + on - hosts->index[from] % on) % on;
    if (hosts->host[from] == hosts->host[to]) {
        return others * hosts->most + round;
    }
    /* The turn with way == (round * others + turn + index) % others. */
    way = (hosts->host[to] + hosts->count - hosts->host[from]) % hosts->count - 1;
    return round * others + (way + others - hosts->index[from] % others) % others;
}

#endif /* COLL_PSCHEDULE_TURNS_H */
