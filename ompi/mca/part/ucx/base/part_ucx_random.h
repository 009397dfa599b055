/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers that nobody can guess, from the system. For set-up.
 */
#ifndef PART_UCX_RANDOM_H
#define PART_UCX_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Fill memory with random bytes, by a system call. False: the system gives none. */
bool mca_part_ucx_random(void *bytes, size_t size);

/** One random number; a system call in 64. False: the system gives none. Under the set-up lock. */
bool mca_part_ucx_random_word(uint32_t *word);

#endif /* PART_UCX_RANDOM_H */
