/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Contents of the buffers: every byte depends on its place and on the round, so that data of
 * another place or of an earlier round is noticed.
 */
#ifndef BENCH_PATTERN_H
#define BENCH_PATTERN_H

#include <stddef.h>

/* A page-aligned, touched buffer, or the end of the program with a message. */
char *bench_buffer(size_t bytes);

/* The same for so many zeroed elements of a list. */
void *bench_list(size_t count, size_t size);

void bench_pattern_fill(char *buffer, size_t bytes, unsigned seed);

/* For numbers: 0 to 255, by place and round; neighbours in both differ. */
unsigned bench_pattern_number(size_t index, unsigned round);

/* Aborts the job with the first wrong byte named when the contents differ. */
void bench_pattern_check(const char *buffer, size_t bytes, unsigned seed);

#endif
