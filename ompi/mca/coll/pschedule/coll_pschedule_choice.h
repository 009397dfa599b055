/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which algorithm a call gets: one that the user forces, or that of the tuning file, or the best by
 * the model. Ranks compare beforehand what that depends on, and so choose the same.
 */
#ifndef COLL_PSCHEDULE_CHOICE_H
#define COLL_PSCHEDULE_CHOICE_H

#include "algorithms/coll_pschedule_select.h"

/** What the choice depends on and the user may set to anything, through MPI_T at any time: read
 * once for each request, so that the ranks choose by what they have compared. */
typedef struct mca_coll_pschedule_steering_t {
    int forced;
    mca_coll_pschedule_rates_t rates;
} mca_coll_pschedule_steering_t;

mca_coll_pschedule_steering_t
mca_coll_pschedule_steering_read(mca_coll_pschedule_collective_t collective);

/** A number of all that the choice depends on and that may differ between ranks. */
int mca_coll_pschedule_steering_number(mca_coll_pschedule_collective_t collective,
                                      const mca_coll_pschedule_steering_t *steering);

/** Choose, and say so (`coll_pschedule_verbose`). There is always one: each collective has a row
 * without limits. */
const mca_coll_pschedule_algorithm_t *
mca_coll_pschedule_choose(const mca_coll_pschedule_problem_t *problem,
                          const mca_coll_pschedule_steering_t *steering);

#endif /* COLL_PSCHEDULE_CHOICE_H */
