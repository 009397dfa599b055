/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is served in mode auto (see coll_pschedule_verdict.h).
 */
#include "persistent/coll_pschedule_verdict.h"

#include "plan/coll_pschedule_shapes.h"

#define NEVER UINT64_MAX
#define KIB   UINT64_C(1024)

/* Bytes from which a collective is served: of the largest contribution, of the whole for
 * reductions. */
typedef struct least_t {
    uint64_t one_host; /* all ranks are on one, and share memory */
    uint64_t flat;     /* several hosts with one rank each */
    uint64_t nested;   /* several hosts, with several ranks on one of them */
} least_t;

static const least_t least[COLL_PSCHEDULE_COLLECTIVES] = {
    [COLL_PSCHEDULE_BCAST] = {NEVER, 512 * KIB, NEVER},
    [COLL_PSCHEDULE_ALLREDUCE] = {NEVER, 1024 * KIB, NEVER},
};

static uint64_t smallest(const least_t *row)
{
    uint64_t bytes = row->one_host < row->flat ? row->one_host : row->flat;

    return row->nested < bytes ? row->nested : bytes;
}

bool mca_coll_pschedule_verdict_early(mca_coll_pschedule_collective_t collective, uint64_t bytes)
{
    return bytes >= smallest(&least[collective]);
}

bool mca_coll_pschedule_verdict(const mca_coll_pschedule_problem_t *problem)
{
    const least_t *row = &least[problem->collective];
    uint64_t bytes = mca_coll_pschedule_hosts_nested(problem->hosts) ? row->nested
                     : problem->one_host                             ? row->one_host
                                                                     : row->flat;

    return NEVER != bytes && problem->common_bytes >= bytes;
}
