/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the process may have the threads and descriptors that UCX takes for granted: where its
 * first worker gets none (a limit of the user's or of a container's), UCX ends the process by an
 * assertion (1.13 to 1.22).
 */
#ifndef PART_UCX_HEADROOM_H
#define PART_UCX_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

/** Asks the system for a thread and some descriptors, and gives them back. */
bool mca_part_ucx_headroom(void);

/** How many descriptors are open; `all`: none is left; 0: not known. */
uint64_t mca_part_ucx_descriptors_open(uint64_t all);

/** Raise the limit of descriptors to `wanted`, as far as this process may, if it is lower. Returns
 * what it is then. */
uint64_t mca_part_ucx_descriptors_raise(uint64_t wanted);

#endif /* PART_UCX_HEADROOM_H */
