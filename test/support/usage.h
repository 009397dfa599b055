/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process holds: memory and open files, which must not grow with the number of iterations.
 *
 *     mt_watch_begin();
 *     mt_begin(...);
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
    size_t shared; /* of it: memory shared with other processes, and files */
    size_t handed_out; /* by malloc */
    int files;
} mt_usage_t;

/* What the process uses now. */
mt_usage_t mt_usage(void);

/* What is used at the beginning of each of so many equal parts of the iterations after the
 * warm-up. */
#define MT_LOOKS 20

typedef struct mt_watch {
    mt_usage_t look[MT_LOOKS];
} mt_watch_t;

/* Before mt_begin: UCX shall not remember the registration of each buffer that it has seen, which
 * it does for as long as the memory is mapped (176 bytes each, for TCP, too, since UCX 1.18): such
 * records grow with the addresses that malloc happens to hand out, and hide small losses. */
void mt_watch_begin(void);

/* Notes what is used when it is time for it. All ranks call it, and meet. */
void mt_look(mt_watch_t *watch, int i, int count);

/* What is lost in every iteration is lost in every part: memory that grows in all quarters is a
 * leak, and so is what malloc hands out and does not get back in every part, be it little.
 * Buffers of the transports grow now and then. Files must not become more. All ranks call it. */
void mt_expect_flat(const mt_watch_t *watch, const char *what);

/* What can be had without swapping, in bytes; 0: unknown. */
size_t mt_available_memory(void);

#endif
