/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A number that differs when any bit of the data does, but for a chance of about 2^-64.
 */
#ifndef GPT2_HASH_H
#define GPT2_HASH_H

#include <stddef.h>
#include <stdint.h>

/* start: 0, or the hash of what comes before. */
uint64_t gpt2_hash(uint64_t start, const void *data, size_t bytes);

#endif
