/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process holds: memory and open files, which must not grow with the number of iterations.
 *
 *     for (int i = 0; i < count; i++) {
 *         mt_look(&watch, i, count);
 *         ...
 *     }
 *     mt_expect_flat(&watch, "iterations");
 */

#ifndef MPIX_TEST_USAGE_H
#define MPIX_TEST_USAGE_H

#include <stddef.h>

typedef struct mt_usage {
    size_t resident;
    size_t handed_out; /* by malloc */
    int files;
} mt_usage_t;

/* What is used after the warm-up, and half-way from there to the end. */
typedef struct mt_watch {
    mt_usage_t begin;
    mt_usage_t middle;
} mt_watch_t;

/* Notes what is used when it is time for it. */
void mt_look(mt_watch_t *watch, int i, int count);

/* The process must not hold more than that, but for what does not depend on how much was done. */
void mt_expect_flat(const mt_watch_t *watch, const char *what);

/* What can be had without swapping, in bytes; 0: unknown. */
size_t mt_available_memory(void);

#endif
