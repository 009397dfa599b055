/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which algorithm serves a problem: of those that may, the one with the least time by a simple
 * model (rounds, or those it takes to serve all peers, times latency, plus bytes over bandwidth).
 * All ranks get the same answer, because costs are made of what is the same on all of them.
 */
#ifndef COLL_PSCHEDULE_SELECT_H
#define COLL_PSCHEDULE_SELECT_H

#include "algorithms/coll_pschedule_algorithms.h"

/**
 * Choose.
 *
 * @param forced     row that the user wants, 1 + its index in the table; 0: none
 * @param latency_us microseconds per round
 * @param bandwidth  megabytes per second
 * @param[out] why   a constant string for messages
 *
 * @return NULL when no row may be used
 */
const mca_coll_pschedule_algorithm_t *
mca_coll_pschedule_select(const mca_coll_pschedule_problem_t *problem, int forced,
                          unsigned latency_us, unsigned bandwidth, const char **why);

#endif /* COLL_PSCHEDULE_SELECT_H */
