/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes of the blocks of a reduce_scatter, for its costs. All ranks know them all, and blocks may
 * differ: what one rank moves then depends on which blocks are large.
 */
#ifndef COLL_PSCHEDULE_BLOCKS_H
#define COLL_PSCHEDULE_BLOCKS_H

#include "plan/coll_pschedule_problem.h"

/** Of the largest block. */
uint64_t mca_coll_pschedule_largest_block(const mca_coll_pschedule_problem_t *problem);

/** Of all blocks but the smallest: what a rank sends that sends each block but its own once. */
uint64_t mca_coll_pschedule_other_blocks(const mca_coll_pschedule_problem_t *problem);

/** At most so many have `count` different ones, the largest of which is `largest`. */
static inline uint64_t mca_coll_pschedule_blocks(const mca_coll_pschedule_problem_t *problem,
                                                 uint64_t largest, uint64_t count)
{
    uint64_t bytes = count * largest;

    return bytes < problem->common_bytes ? bytes : problem->common_bytes;
}

#endif /* COLL_PSCHEDULE_BLOCKS_H */
