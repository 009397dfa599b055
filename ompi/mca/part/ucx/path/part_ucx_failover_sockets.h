/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the system knows of the TCP connections of a path. The other host's system acknowledges what
 * it gets, whatever its processes do: one that computes, or is stopped, does not look like a path
 * that is dead; nor does a slow path, as long as anything gets through.
 *
 * UCX does not show its sockets. The path's worker has a descriptor for its events, and the system
 * says what that one waits for: those are the sockets of this worker, and nobody else's.
 */
#ifndef PART_UCX_FAILOVER_SOCKETS_H
#define PART_UCX_FAILOVER_SOCKETS_H

#include "path/part_ucx_subnet.h"

#include <stdbool.h>

/** Is there one between these two addresses that sends again and again what is not acknowledged?
 * `events`: the worker's descriptor. */
bool mca_part_ucx_failover_sockets_hang(int events, const mca_part_ucx_subnet_t *ours,
                                        const mca_part_ucx_subnet_t *theirs);

/** End those between these two addresses: nothing comes or leaves any more. */
void mca_part_ucx_failover_sockets_end(int events, const mca_part_ucx_subnet_t *ours,
                                       const mca_part_ucx_subnet_t *theirs);

#endif /* PART_UCX_FAILOVER_SOCKETS_H */
