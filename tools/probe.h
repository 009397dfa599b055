/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Do TCP connections come about between the interfaces of two processes? UCX connects without a
 * time limit of its own: over a path that swallows everything its caller, and with it MPI, is stuck
 * for minutes. So this is tried first.
 */
#ifndef TOOLS_PROBE_H
#define TOOLS_PROBE_H

#include "job.h"
#include "list.h"

/**
 * Both processes call it; they learn the same.
 *
 * @param devices   list of info_device_t of this process
 * @param connects  one of the two connects, the other one listens
 * @param problem   what does not work, empty if all does
 */
void info_probe(const info_job_t *job, int peer, const info_list_t *devices, bool connects,
                char *problem, size_t size);

#endif /* TOOLS_PROBE_H */
