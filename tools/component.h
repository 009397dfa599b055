/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The libraries and components of this process, after MPI_Init.
 */
#ifndef TOOLS_COMPONENT_H
#define TOOLS_COMPONENT_H

#include "list.h"
#include "mca.h"

/** Fill in what concerns them. Returns the table of part/ucx, NULL if it cannot be asked. */
const mca_part_ucx_info_t *info_component_inspect(const info_mca_t *mca, info_process_t *process);

/** What is wrong with part/ucx and coll/pschedule, and what to do. */
void info_component_judge(const info_mca_t *mca, const info_process_t *process,
                          info_list_t *findings);

#endif /* TOOLS_COMPONENT_H */
