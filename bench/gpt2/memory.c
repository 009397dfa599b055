/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory, or the end of the job with a message.
 */
#define _GNU_SOURCE
#include "memory.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

_Noreturn void gpt2_fail(const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    fprintf(stderr, "gpt2_train: %s\n", text);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

void *gpt2_allocate(size_t bytes, const char *what)
{
    void *memory = NULL;
    /* Rounded up, so that arrays of different threads never share a line. */
    const size_t rounded = (bytes + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
    if (0 != posix_memalign(&memory, CACHE_LINE, rounded)) {
        gpt2_fail("no memory for %s (%zu bytes)", what, bytes);
    }
    memset(memory, 0, rounded);
    return memory;
}

float *gpt2_floats(size_t count, const char *what)
{
    return gpt2_allocate(count * sizeof(float), what);
}
