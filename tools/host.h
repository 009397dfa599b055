/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What this host allows its processes: processors, memory, descriptors, shared memory.
 */
#ifndef TOOLS_HOST_H
#define TOOLS_HOST_H

#include "job.h"
#include "list.h"

/** Fill in what concerns it. Collective on the host, for processes that use shared memory. */
void info_host_inspect(const info_job_t *job, info_process_t *process);

/** What is wrong with it. */
void info_host_judge(const info_job_t *job, const info_process_t *process,
                     const info_list_t *devices, info_list_t *findings);

#endif /* TOOLS_HOST_H */
