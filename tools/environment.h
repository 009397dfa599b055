/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Variables of UCX, Open MPI and PMIx that cost speed, or that do less than their user may think.
 */
#ifndef TOOLS_ENVIRONMENT_H
#define TOOLS_ENVIRONMENT_H

#include "list.h"

/** What is wrong with those of this process. After MPI_Init. */
void info_environment_judge(const info_process_t *process, const info_list_t *devices,
                            info_list_t *findings);

#endif /* TOOLS_ENVIRONMENT_H */
