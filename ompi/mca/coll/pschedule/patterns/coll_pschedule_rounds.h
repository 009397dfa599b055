/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounds: the order in which a rank serves all others. In each round every rank serves another one.
 * Where hosts have several ranks, those of a host serve ranks of different hosts in the same round,
 * and each goes on to the next host with the next round, so that no host is served by all others at
 * the same time; its own host comes last, which the network does not wait for. Else round t is for
 * the rank t + 1 behind.
 */
#ifndef COLL_PSCHEDULE_ROUNDS_H
#define COLL_PSCHEDULE_ROUNDS_H

#include "plan/coll_pschedule_problem.h"

/** How many rounds there are; some may serve nobody where hosts have different numbers of ranks. */
static inline uint32_t mca_coll_pschedule_rounds(const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;

    return mca_coll_pschedule_hosts_nested(hosts) ? hosts->count * hosts->most
                                                  : (uint32_t) problem->size - 1;
}

/** Whom a rank serves in a round, or COLL_PSCHEDULE_NOBODY. */
static inline int32_t mca_coll_pschedule_round_peer(const mca_coll_pschedule_problem_t *problem,
                                                    int32_t rank, uint32_t round)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t others, host, on, lap;
    int32_t to;

    if (!mca_coll_pschedule_hosts_nested(hosts)) {
        return (int32_t) (((uint32_t) rank + round + 1) % (uint32_t) problem->size);
    }
    others = hosts->count - 1;
    host = hosts->host[rank];
    lap = round / others;
    if (lap < hosts->most) {
        host = (host + 1 + (round + hosts->index[rank]) % others) % hosts->count;
    } else {
        lap = round - others * hosts->most;
    }
    on = mca_coll_pschedule_hosts_on(hosts, host);
    if (lap >= on) {
        return COLL_PSCHEDULE_NOBODY;
    }
    to = mca_coll_pschedule_hosts_rank(hosts, host, (hosts->index[rank] + lap) % on);
    return to == rank ? COLL_PSCHEDULE_NOBODY : to;
}

/** The round in which a rank serves another. */
static inline uint32_t mca_coll_pschedule_round_of(const mca_coll_pschedule_problem_t *problem,
                                                   int32_t from, int32_t to)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t others, on, lap, way;

    if (!mca_coll_pschedule_hosts_nested(hosts)) {
        return (uint32_t) ((to - from + problem->size) % problem->size) - 1;
    }
    others = hosts->count - 1;
    on = mca_coll_pschedule_hosts_on(hosts, hosts->host[to]);
    lap = (hosts->index[to] + on - hosts->index[from] % on) % on;
    if (hosts->host[from] == hosts->host[to]) {
        return others * hosts->most + lap;
    }
    /* The round with way == (lap * others + round + index) % others. */
    way = (hosts->host[to] + hosts->count - hosts->host[from]) % hosts->count - 1;
    return lap * others + (way + others - hosts->index[from] % others) % others;
}

#endif /* COLL_PSCHEDULE_ROUNDS_H */
