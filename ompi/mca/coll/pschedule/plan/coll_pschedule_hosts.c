/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks by host (see coll_pschedule_hosts.h).
 */
#include "plan/coll_pschedule_hosts.h"

#include <stdlib.h>

typedef struct seat_t {
    uint64_t number;
    uint32_t rank;
} seat_t;

static int compare_seats(const void *a, const void *b)
{
    const seat_t *x = a, *y = b;

    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Number the hosts in the order of their lowest ranks: first that rank, then its number. */
static void number_hosts(mca_coll_pschedule_hosts_t *hosts, seat_t *seat, uint32_t ranks)
{
    uint32_t lowest = 0;

    qsort(seat, ranks, sizeof(*seat), compare_seats);
    for (uint32_t i = 0; i < ranks; ++i) {
        lowest = 0 == i || seat[i].number != seat[i - 1].number ? seat[i].rank : lowest;
        hosts->host[seat[i].rank] = lowest;
    }
    for (uint32_t i = 0; i < ranks; ++i) {
        hosts->host[i] = hosts->host[i] == i ? hosts->count++ : hosts->host[hosts->host[i]];
    }
}

/* Lists of ranks, when the host of each is known. */
static void list_ranks(mca_coll_pschedule_hosts_t *hosts, uint32_t ranks)
{
    for (uint32_t i = 0; i < ranks; ++i) {
        hosts->index[i] = hosts->first[hosts->host[i] + 1]++;
    }
    hosts->fewest = ranks;
    for (uint32_t i = 0; i < hosts->count; ++i) {
        uint32_t on = hosts->first[i + 1];

        hosts->fewest = on < hosts->fewest ? on : hosts->fewest;
        hosts->most = on > hosts->most ? on : hosts->most;
        hosts->first[i + 1] += hosts->first[i];
    }
    hosts->contiguous = true;
    for (uint32_t i = 0; i < ranks; ++i) {
        hosts->ring[i] = hosts->first[hosts->host[i]] + hosts->index[i];
        hosts->rank[hosts->ring[i]] = (int32_t) i;
        hosts->contiguous = hosts->contiguous && hosts->ring[i] == i;
    }
}

bool mca_coll_pschedule_hosts_make(mca_coll_pschedule_hosts_t *hosts, const uint64_t *number,
                                   uint32_t ranks)
{
    seat_t *seat = calloc(ranks + 1, sizeof(*seat));

    *hosts = (mca_coll_pschedule_hosts_t) {.host = calloc(ranks + 1, sizeof(*hosts->host)),
                                          .index = calloc(ranks + 1, sizeof(*hosts->index)),
                                          .ring = calloc(ranks + 1, sizeof(*hosts->ring)),
                                          .rank = calloc(ranks + 1, sizeof(*hosts->rank)),
                                          .first = calloc(ranks + 2, sizeof(*hosts->first))};
    if (NULL == seat || NULL == hosts->host || NULL == hosts->index || NULL == hosts->ring
        || NULL == hosts->rank || NULL == hosts->first) {
        free(seat);
        mca_coll_pschedule_hosts_free(hosts);
        return false;
    }
    for (uint32_t i = 0; i < ranks; ++i) {
        seat[i] = (seat_t) {.number = number[i], .rank = i};
    }
    number_hosts(hosts, seat, ranks);
    list_ranks(hosts, ranks);
    free(seat);
    return true;
}

void mca_coll_pschedule_hosts_free(mca_coll_pschedule_hosts_t *hosts)
{
    free(hosts->host);
    free(hosts->index);
    free(hosts->ring);
    free(hosts->rank);
    free(hosts->first);
    *hosts = (mca_coll_pschedule_hosts_t) {0};
}
