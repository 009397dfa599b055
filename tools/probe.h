/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Do TCP connections come about over the paths between two processes? UCX connects without a time
 * limit of its own: over a path that swallows everything its caller, and with it MPI, is stuck for
 * minutes. So this is tried first, in both directions, as both ends of a path connect.
 */
#ifndef TOOLS_PROBE_H
#define TOOLS_PROBE_H

#include "job.h"
#include "list.h"
#include "api/part_ucx_info.h"

#include <stdint.h>

/**
 * Both processes call it. It takes a few seconds if a connection does not come about.
 *
 * @param devices  list of info_device_t of this process
 * @param met      how its paths meet those of the peer; at most 32
 * @param problem  what does not work, the same text at both; empty if all does
 *
 * @return a bit for each of `met` that is dead
 */
uint32_t info_probe(const info_job_t *job, int peer, const info_list_t *devices,
                    const mca_part_ucx_info_pair_t *met, int count, char *problem, size_t size);

#endif /* TOOLS_PROBE_H */
