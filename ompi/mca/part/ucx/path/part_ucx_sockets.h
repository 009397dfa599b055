/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the system knows of this process's TCP connections. The other host's system acknowledges
 * what it gets, whatever its processes do: one that computes, or is stopped, does not look like a
 * path that is dead; nor does a slow path, as long as anything gets through. All under the set-up
 * lock.
 */
#ifndef PART_UCX_SOCKETS_H
#define PART_UCX_SOCKETS_H

#include "path/part_ucx_subnet.h"

#include <stdbool.h>

/** Look at all connections now. */
void mca_part_ucx_sockets_look(void);

/** Was there one between these two addresses then, that sends again and again what is not
 * acknowledged? */
bool mca_part_ucx_sockets_hang(const mca_part_ucx_subnet_t *ours,
                               const mca_part_ucx_subnet_t *theirs);

#endif /* PART_UCX_SOCKETS_H */
