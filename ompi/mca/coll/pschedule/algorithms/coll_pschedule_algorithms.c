/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of algorithms (see coll_pschedule_algorithms.h).
 */
#include "algorithms/coll_pschedule_algorithms.h"

#define ROW(name) &mca_coll_pschedule_##name,
const mca_coll_pschedule_algorithm_t *const mca_coll_pschedule_algorithms[]
    = {COLL_PSCHEDULE_ALGORITHMS(ROW) NULL};
#undef ROW

/* Do keys know all steps? Nested rows have one for each host, others one for each other rank. */
static bool counts_steps(uint32_t limits, const mca_coll_pschedule_problem_t *problem)
{
    uint64_t steps = 0 != (limits & COLL_PSCHEDULE_NESTED) ? problem->hosts->count
                                                           : (uint64_t) problem->size - 1;

    return steps <= 1 << 16;
}

/* A relay keeps two cuts of 32 bytes each for every rank and every rank of its host. */
#define RELAY_CUTS_MOST 262144u

static bool can_tell_cuts(const mca_coll_pschedule_problem_t *problem)
{
    return problem->uniform
           || (uint64_t) problem->size * problem->hosts->most <= RELAY_CUTS_MOST;
}

bool mca_coll_pschedule_allows(const mca_coll_pschedule_algorithm_t *algorithm,
                               const mca_coll_pschedule_problem_t *problem)
{
    uint32_t limits = algorithm->limits;

    return mca_coll_pschedule_serves(algorithm, problem->collective)
           && (0 == (limits & COLL_PSCHEDULE_COMMUTATIVE) || !problem->ordered)
           && (0 == (limits & COLL_PSCHEDULE_UNIFORM) || problem->uniform)
           && (0 == (limits & COLL_PSCHEDULE_SHARES) || problem->shares)
           && (0 == (limits & COLL_PSCHEDULE_NESTED)
               || mca_coll_pschedule_hosts_nested(problem->hosts))
           && (0 == (limits & COLL_PSCHEDULE_CROWDED)
               || mca_coll_pschedule_hosts_nested(problem->hosts)
               || mca_coll_pschedule_hosts_are_crowded(problem->hosts))
           && (0 == (limits & COLL_PSCHEDULE_RELAY_CUTS) || can_tell_cuts(problem))
           && (0 == (limits & COLL_PSCHEDULE_STEPS) || counts_steps(limits, problem))
           && (0 == (limits & COLL_PSCHEDULE_FOLLOWING) || problem->hosts->contiguous)
           && (0 == (limits & COLL_PSCHEDULE_CONTIGUOUS) || !problem->ordered
               || problem->hosts->contiguous);
}
