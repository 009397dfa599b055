/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How much memory the processes of this host, or of this job on it, have together.
 */
#ifndef PART_UCX_MEMORY_SIZE_H
#define PART_UCX_MEMORY_SIZE_H

#include <stdint.h>

/** Bytes of the machine, or fewer where a control group has a limit: who takes more is killed. It
 * looks each time; 0: not known. */
uint64_t mca_part_ucx_memory_size(void);

/**
 * The lowest limit of a control group and those above it, UINT64_MAX if there is none.
 *
 * @param groups  a file as /proc/self/cgroup
 * @param mount   where control groups are, as /sys/fs/cgroup
 */
uint64_t mca_part_ucx_memory_limit(const char *groups, const char *mount);

#endif /* PART_UCX_MEMORY_SIZE_H */
