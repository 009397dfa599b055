/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers that nobody can guess, from the system. For set-up: each call is a system call.
 */
#ifndef PART_UCX_RANDOM_H
#define PART_UCX_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

/** Fill memory with random bytes. False: the system gives none. */
bool mca_part_ucx_random(void *bytes, size_t size);

#endif /* PART_UCX_RANDOM_H */
