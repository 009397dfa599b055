/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is served in mode auto (see coll_pschedule_verdict.h).
 */
#include "persistent/coll_pschedule_verdict.h"

#include <stddef.h>

#define NEVER UINT64_MAX
#define MIB   (UINT64_C(1024) * 1024)

/* Bytes from which a collective is served: of the largest contribution, of the whole for
 * reductions. 0: never. */
typedef struct least_t {
    uint64_t one_host; /* all ranks are on one */
    uint64_t flat;     /* several hosts with one rank each, and several paths between them */
    uint64_t nested;   /* several hosts, with several ranks on one of them; several paths */
} least_t;

/* Measured on 8 hosts with 4 paths of 100 Mbit/s (docs/persistent.md). What nobody has measured is
 * not served. */
static const least_t least[COLL_PSCHEDULE_COLLECTIVES] = {
    [COLL_PSCHEDULE_BCAST] = {.flat = 1 * MIB},
    [COLL_PSCHEDULE_ALLREDUCE] = {.flat = 1 * MIB},
    [COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK] = {.flat = 8 * MIB},
    [COLL_PSCHEDULE_REDUCE_SCATTER] = {.flat = 8 * MIB},
};

static uint64_t or_never(uint64_t bytes)
{
    return 0 == bytes ? NEVER : bytes;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* One node may still be several hosts, to processes that see neither memory nor network of each
 * other; nobody gains there. */
static uint64_t smallest(const least_t *row, bool one_node)
{
    return one_node ? or_never(row->one_host)
                    : lesser(or_never(row->flat), or_never(row->nested));
}

bool mca_coll_pschedule_verdict_early(mca_coll_pschedule_collective_t collective, uint64_t bytes,
                                      bool one_node)
{
    uint64_t enough = smallest(&least[collective], one_node);

    return NEVER != enough && bytes >= enough;
}

bool mca_coll_pschedule_verdict(const mca_coll_pschedule_problem_t *problem)
{
    const least_t *row = &least[problem->collective];
    uint64_t enough;

    if (NULL == problem->hosts || (problem->lone_path && !problem->one_host)) {
        return false;
    }
    enough = problem->one_host                                     ? row->one_host
             : mca_coll_pschedule_hosts_nested(problem->hosts) ? row->nested
                                                                   : row->flat;
    return 0 != enough && problem->common_bytes >= enough;
}
