/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory, or the end of the job with a message.
 */
#ifndef GPT2_MEMORY_H
#define GPT2_MEMORY_H

#include <stddef.h>

/* Zeroed memory that begins with a cache line; what is named when there is none. For free(). */
void *gpt2_allocate(size_t bytes, const char *what);

float *gpt2_floats(size_t count, const char *what);

/* Says what is wrong, on any rank, and ends all ranks. */
_Noreturn void gpt2_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
