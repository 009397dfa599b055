/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ranks are on which host: the same on all ranks of a communicator. Pure numbers; any
 * placement: in blocks, round-robin, random, with different numbers of ranks on the hosts.
 *
 * Lanes: traffic between hosts is carried by all ranks of a host. Lane x is one rank of every
 * host, the one with index x modulo the number of ranks there, so a host with few ranks has the
 * same rank in several lanes. Lane x of ranks 0 1 2 | 3 4 is 0 3, 1 4, 2 3.
 */
#ifndef COLL_PSCHEDULE_HOSTS_H
#define COLL_PSCHEDULE_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mca_coll_pschedule_hosts_t {
    uint32_t count;    /**< hosts, numbered in the order of their lowest ranks */
    uint32_t fewest;   /**< ranks on the host that has fewest */
    uint32_t most;     /**< and on the one that has most: the number of lanes */
    bool contiguous;   /**< the ranks of every host follow each other */
    bool shares;       /**< the ranks of every host can copy into memory that they share */
    uint32_t processors; /**< that all ranks together may run on, if there is one host; 0: there are
                          * several, or it is not known */
    uint32_t *host;    /**< per rank: its host */
    uint32_t *index;   /**< per rank: how many ranks of its host come before it */
    uint32_t *ring;    /**< per rank: its place in the list that follows */
    int32_t *rank;     /**< ranks by host, those of a host in order */
    uint32_t *first;   /**< per host, and one more: where its ranks begin in that list */
} mca_coll_pschedule_hosts_t;

/**
 * Sort ranks by host.
 *
 * @param number  per rank, a number that is equal for ranks of one host only
 * @return false when memory is short
 */
bool mca_coll_pschedule_hosts_make(mca_coll_pschedule_hosts_t *hosts, const uint64_t *number,
                                   uint32_t ranks);

void mca_coll_pschedule_hosts_free(mca_coll_pschedule_hosts_t *hosts);

/** How many ranks a host has. */
static inline uint32_t mca_coll_pschedule_hosts_on(const mca_coll_pschedule_hosts_t *hosts,
                                                   uint32_t host)
{
    return hosts->first[host + 1] - hosts->first[host];
}

/** The rank with an index on a host. */
static inline int32_t mca_coll_pschedule_hosts_rank(const mca_coll_pschedule_hosts_t *hosts,
                                                    uint32_t host, uint32_t index)
{
    return hosts->rank[hosts->first[host] + index];
}

/** The rank of a lane on a host. */
static inline int32_t mca_coll_pschedule_lane(const mca_coll_pschedule_hosts_t *hosts,
                                              uint32_t host, uint32_t lane)
{
    return mca_coll_pschedule_hosts_rank(hosts, host,
                                         lane % mca_coll_pschedule_hosts_on(hosts, host));
}

/** How many ranks are on other hosts than one rank; NULL: 0, nothing is known of hosts. */
static inline uint64_t mca_coll_pschedule_hosts_elsewhere(const mca_coll_pschedule_hosts_t *hosts,
                                                          int32_t rank)
{
    return NULL == hosts ? 0
                         : hosts->first[hosts->count]
                               - mca_coll_pschedule_hosts_on(hosts, hosts->host[rank]);
}

/** Pairs of a rank on the host for which these are most, and a rank on another host. */
static inline uint64_t mca_coll_pschedule_hosts_exchanged(const mca_coll_pschedule_hosts_t *hosts)
{
    uint64_t ranks = hosts->first[hosts->count], most = 0;

    for (uint32_t i = 0; i < hosts->count; ++i) {
        uint64_t on = mca_coll_pschedule_hosts_on(hosts, i);

        most = on * (ranks - on) > most ? on * (ranks - on) : most;
    }
    return most;
}

/** Are all ranks on one host, and more than the processors that they may run on? As far as is
 * known. */
static inline bool mca_coll_pschedule_hosts_are_crowded(const mca_coll_pschedule_hosts_t *hosts)
{
    return NULL != hosts && 0 != hosts->processors
           && hosts->processors < hosts->first[hosts->count];
}

/** Are there several hosts, and several ranks on one of them? NULL: nothing is known of hosts. */
static inline bool mca_coll_pschedule_hosts_nested(const mca_coll_pschedule_hosts_t *hosts)
{
    return NULL != hosts && hosts->count > 1 && hosts->most > 1;
}

/** The host that is `distance` (at most the number of hosts) behind another. */
static inline uint32_t mca_coll_pschedule_host_after(const mca_coll_pschedule_hosts_t *hosts,
                                                     uint32_t host, uint32_t distance)
{
    return (host + distance) % hosts->count;
}

/** How far a host is behind another. */
static inline uint32_t mca_coll_pschedule_host_distance(const mca_coll_pschedule_hosts_t *hosts,
                                                        uint32_t from, uint32_t to)
{
    return (to + hosts->count - from) % hosts->count;
}

#endif /* COLL_PSCHEDULE_HOSTS_H */
