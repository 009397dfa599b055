/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of a CUDA device, through the driver that is found when the program runs: nothing of CUDA
 * is needed to build it.
 */
#ifndef BENCH_LIBRARIES_CUDA_H
#define BENCH_LIBRARIES_CUDA_H

#include <stddef.h>

/** Use a device near this process's processors; of several that are, the `turn`-th, going round.
 * Returns NULL, or why there is none. */
const char *cuda_open(int turn);

/** Which it is. */
const char *cuda_text(void);

/* As in buffers.h. What fails ends the job. */
char *cuda_allocate(size_t bytes);
void cuda_free(char *buffer);
void cuda_write(char *buffer, const void *from, size_t bytes);
void cuda_read(void *to, const char *buffer, size_t bytes);
void cuda_set(char *buffer, unsigned char value, size_t bytes);

#endif
