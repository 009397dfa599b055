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
static inline uint32_t mca_coll_pschedule_ring_index(const mca_coll_pschedule_problem_t *problem,
                                                     int32_t rank)
{
    return NULL == problem->hosts ? (uint32_t) rank : problem->hosts->ring[rank];
}

/** The rank at a place. */
static inline int32_t mca_coll_pschedule_ring_rank(const mca_coll_pschedule_problem_t *problem,
                                                   uint32_t place)
{
    return NULL == problem->hosts ? (int32_t) place : problem->hosts->rank[place];
}

/** The host of the rank at a place. */
static inline uint32_t mca_coll_pschedule_host_at(const mca_coll_pschedule_hosts_t *hosts,
                                                  uint32_t place)
{
    return hosts->host[hosts->rank[place]];
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

/** The position of this rank on the chain of the root. */
static inline uint32_t
mca_coll_pschedule_chain_position(const mca_coll_pschedule_problem_t *problem)
{
    int32_t rank = problem->rank, root = problem->root;
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
    return on + (hosts->ring[rank] + size - hosts->first[host + 1]) % size;
}

/** The rank at a position. */
static inline int32_t mca_coll_pschedule_chain_rank(const mca_coll_pschedule_problem_t *problem,
                                                    uint32_t position)
{
    int32_t root = problem->root;
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

#endif /* COLL_PSCHEDULE_ORDER_H */
