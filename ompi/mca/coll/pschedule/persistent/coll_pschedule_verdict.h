/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which persistent collectives are at least as fast here as in Open MPI's other components, for
 * coll_pschedule_persistent auto. What the tuning file says counts, then what was measured on other
 * machines. Only numbers that are the same on all ranks are looked at.
 */
#ifndef COLL_PSCHEDULE_VERDICT_H
#define COLL_PSCHEDULE_VERDICT_H

#include "plan/coll_pschedule_problem.h"

/** What is known of where the ranks are before they ask each other. */
typedef enum mca_coll_pschedule_where_t {
    COLL_PSCHEDULE_ONE_NODE,      /**< all on one, as the launcher sees it */
    COLL_PSCHEDULE_NODES,         /**< on several */
    COLL_PSCHEDULE_NODES_IN_VAIN, /**< the same, and by our paths some rank gains nothing */
} mca_coll_pschedule_where_t;

/**
 * Before the ranks have talked to each other: may so many bytes be served in such a place?
 *
 * @param bytes  of the largest contribution, of the whole for reductions; UINT64_MAX: not known
 */
bool mca_coll_pschedule_verdict_early(mca_coll_pschedule_collective_t collective, uint64_t bytes,
                                      mca_coll_pschedule_where_t place);

/** A number of what is built in: ranks with another one would decide otherwise. */
uint32_t mca_coll_pschedule_verdict_number(void);

/** After that. */
bool mca_coll_pschedule_verdict(const mca_coll_pschedule_problem_t *problem);

#endif /* COLL_PSCHEDULE_VERDICT_H */
