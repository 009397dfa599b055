/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives of all processes: a partitioned one, and one of MPI's persistent ones. Who makes the
 * latter is a choice of coll/pschedule.
 */
#ifndef TOOLS_COLLECTIVE_H
#define TOOLS_COLLECTIVE_H

#include <stdbool.h>

#include "facts.h"
#include "job.h"
#include "list.h"

/** The mode of coll/pschedule, if it is used. */
void info_collective_inspect(info_process_t *process);

/** Collective. Tries both, if all processes can. */
void info_collective_try(const info_job_t *job, bool can, info_process_t *process,
                         info_list_t *findings);

#endif /* TOOLS_COLLECTIVE_H */
