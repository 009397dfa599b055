/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes of the blocks of a reduce_scatter (see coll_pschedule_blocks.h).
 */
#include "patterns/coll_pschedule_blocks.h"

#include <stddef.h>

/* Where blocks differ the problem has their list. */
static bool differ(const mca_coll_pschedule_problem_t *problem)
{
    return !problem->uniform && NULL != problem->contribution;
}

static uint64_t common_block(const mca_coll_pschedule_problem_t *problem)
{
    return problem->common_bytes / (uint64_t) problem->size;
}

uint64_t mca_coll_pschedule_largest_block(const mca_coll_pschedule_problem_t *problem)
{
    uint64_t most = 0;

    if (!differ(problem)) {
        return common_block(problem);
    }
    for (int32_t i = 0; i < problem->size; ++i) {
        most = problem->contribution[i].bytes > most ? problem->contribution[i].bytes : most;
    }
    return most;
}

uint64_t mca_coll_pschedule_other_blocks(const mca_coll_pschedule_problem_t *problem)
{
    uint64_t least = problem->common_bytes;

    if (!differ(problem)) {
        return problem->common_bytes - common_block(problem);
    }
    for (int32_t i = 0; i < problem->size; ++i) {
        least = problem->contribution[i].bytes < least ? problem->contribution[i].bytes : least;
    }
    return problem->common_bytes - least;
}
