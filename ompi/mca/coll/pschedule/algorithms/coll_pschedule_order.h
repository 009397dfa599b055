/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks host by host: rings and chains go through all ranks of a host before they go to the next
 * one, so that what goes around enters and leaves each host once, whatever ranks are where. With
 * one rank per host, and where nothing is known of hosts, this is the order of ranks.
 *
 * For algorithms that may take ranks in any order: those that move data, or whose operator
 * commutes.
 */
#ifndef COLL_PSCHEDULE_ORDER_H
#define COLL_PSCHEDULE_ORDER_H

#include "plan/coll_pschedule_problem.h"

/** The place of a rank around the ring. */
static inline uint32_t mca_coll_pschedule_place(const mca_coll_pschedule_problem_t *problem,
                                                int32_t rank)
{
    return NULL == problem->hosts ? (uint32_t) rank : problem->hosts->place[rank];
}

/** The rank that is `distance` (at most the number of ranks) behind another around the ring. */
static inline int32_t mca_coll_pschedule_behind(const mca_coll_pschedule_problem_t *problem,
                                                int32_t rank, uint32_t distance)
{
    uint32_t place = (mca_coll_pschedule_place(problem, rank) + distance)
                     % (uint32_t) problem->size;

    return NULL == problem->hosts ? (int32_t) place : problem->hosts->rank[place];
}

/** The one that is `distance` before another. */
static inline int32_t mca_coll_pschedule_ahead(const mca_coll_pschedule_problem_t *problem,
                                               int32_t rank, uint32_t distance)
{
    return mca_coll_pschedule_behind(problem, rank, (uint32_t) problem->size - distance);
}

/** How far a rank is behind another around the ring. */
static inline uint32_t mca_coll_pschedule_way(const mca_coll_pschedule_problem_t *problem,
                                              int32_t from, int32_t to)
{
    return (mca_coll_pschedule_place(problem, to) + (uint32_t) problem->size
            - mca_coll_pschedule_place(problem, from))
           % (uint32_t) problem->size;
}

/** Bytes that a host sends when each rank sends some around the ring: its last rank's. 0: there is
 * only one host, or nothing is known. */
static inline uint64_t mca_coll_pschedule_around(const mca_coll_pschedule_problem_t *problem,
                                                 uint64_t bytes)
{
    return NULL == problem->hosts || 1 == problem->hosts->count ? 0 : bytes;
}

/*
 * Chains begin with the root, which has position 0, then come the others of its host, then the
 * other hosts around the ring.
 */

/** The position of a rank on the chain of a root. */
static inline uint32_t
mca_coll_pschedule_chain_position(const mca_coll_pschedule_problem_t *problem, int32_t rank,
                                  int32_t root)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t size = (uint32_t) problem->size, host, on;

    if (NULL == hosts) {
        return (uint32_t) ((rank - root + problem->size) % problem->size);
    }
    host = hosts->host[root];
    on = mca_coll_pschedule_hosts_on(hosts, host);
    if (hosts->host[rank] == host) {
        return (hosts->index[rank] + on - hosts->index[root]) % on;
    }
    return on + (hosts->place[rank] + size - hosts->first[host + 1]) % size;
}

/** And back. */
static inline int32_t mca_coll_pschedule_chain_rank(const mca_coll_pschedule_problem_t *problem,
                                                    uint32_t position, int32_t root)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t size = (uint32_t) problem->size, host, on;

    if (NULL == hosts) {
        return (int32_t) (((uint32_t) root + position) % size);
    }
    host = hosts->host[root];
    on = mca_coll_pschedule_hosts_on(hosts, host);
    if (position < on) {
        return mca_coll_pschedule_hosts_rank(hosts, host, (hosts->index[root] + position) % on);
    }
    return hosts->rank[(hosts->first[host + 1] + position - on) % size];
}

/*
 * Turns: the order in which a rank serves all others. In each turn every rank serves another one.
 * Where hosts have several ranks, those of a host serve ranks of different hosts in the same turn,
 * and each goes on to the next host with the next turn, so that no host is served by all others at
 * the same time; its own host comes last, which the network does not wait for. Else turn t is for
 * the rank t + 1 behind.
 */

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

#endif /* COLL_PSCHEDULE_ORDER_H */
