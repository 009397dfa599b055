/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel tells in /sys and /proc.
 */
#ifndef TOOLS_KERNEL_H
#define TOOLS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

/** The first line of a file; false, and an empty text, if it cannot be read. */
bool info_kernel_line(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The number in a file; `otherwise` if there is none. */
long long info_kernel_number(long long otherwise, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * Is relaxed ordering enabled on a PCIe device? Only root may read that much of its configuration.
 *
 * @param device  its folder in /sys
 * @return 1 yes, 0 no, -1 not known
 */
int info_kernel_relaxed_ordering(const char *device);

/** Call `visit` with every name in a folder, in the order of names. */
void info_kernel_names(const char *folder, void (*visit)(const char *name, void *context),
                       void *context);

#endif /* TOOLS_KERNEL_H */
