/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which algorithm serves a problem: of those that may, the one with the least time by a simple
 * model. All ranks get the same answer, because costs are made of what is the same on all of them.
 * What the model counts: docs/collectives.md.
 */
#ifndef COLL_PSCHEDULE_SELECT_H
#define COLL_PSCHEDULE_SELECT_H

#include "algorithms/coll_pschedule_algorithms.h"

/** What the model knows of a machine; the same on all ranks. */
typedef struct mca_coll_pschedule_rates_t {
    unsigned latency;        /**< of a round between hosts, in microseconds */
    unsigned local_latency;  /**< of a round within a host, likewise */
    unsigned bandwidth;      /**< of a process, in megabytes per second; not 0 */
    unsigned host_bandwidth; /**< of all processes of a host together; 0: as of one process */
    unsigned copy_bandwidth; /**< of a process within its memory: reducing, relaying; 0: what one
                              * sends, eight times */
} mca_coll_pschedule_rates_t;

/**
 * Choose.
 *
 * @param forced    row that the user wants, 1 + its index in the table; 0: none
 * @param[out] why  a constant string for messages
 *
 * @return NULL when no row may be used
 */
const mca_coll_pschedule_algorithm_t *
mca_coll_pschedule_select(const mca_coll_pschedule_problem_t *problem, int forced,
                          const mca_coll_pschedule_rates_t *rates, const char **why);

/** The time of a row by the model, in nanoseconds. */
uint64_t mca_coll_pschedule_time(const mca_coll_pschedule_algorithm_t *algorithm,
                                 const mca_coll_pschedule_problem_t *problem,
                                 const mca_coll_pschedule_rates_t *rates);

#endif /* COLL_PSCHEDULE_SELECT_H */
