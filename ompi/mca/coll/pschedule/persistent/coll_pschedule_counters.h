/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many calls for persistent collectives were served here, how many were handed on, and how many
 * handed back later: MPI_T performance variables, and a line at the end.
 */
#ifndef COLL_PSCHEDULE_COUNTERS_H
#define COLL_PSCHEDULE_COUNTERS_H

#include "ompi_config.h"
#include "opal/mca/base/mca_base_component_repository.h"

void mca_coll_pschedule_counters_register(const mca_base_component_t *component);

void mca_coll_pschedule_counters_add(bool served);

/** One that was served is not any more, after a contest (coll_pschedule_contest.h). */
void mca_coll_pschedule_counters_hand_back(void);

/** Print the numbers if there were any calls, when coll_pschedule_verbose is 1 or more. */
void mca_coll_pschedule_counters_summary(void);

#endif /* COLL_PSCHEDULE_COUNTERS_H */
