/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory that MPI is given: of the host, or of an accelerator, which only copies can reach.
 */
#ifndef BENCH_LIBRARIES_BUFFERS_H
#define BENCH_LIBRARIES_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * All ranks, once, before anything else here. Of several accelerators a rank takes one that is near
 * its processors; ranks of a host share them evenly.
 *
 * @param kind     "host" or "cuda"
 * @param assumed  do not ask the MPI library whether it can take such memory
 * @return false, on all ranks, if some rank cannot; rank 0 has printed why, in one line
 */
bool buffers_choose(const char *kind, bool assumed);

/** What this rank uses, for people. */
const char *buffers_text(void);

/** Memory for MPI; ends the job if there is none. */
char *buffers_allocate(size_t bytes);
void buffers_free(char *buffer);

/* Copies to, from and within it. They are over when they return. */
void buffers_write(char *buffer, const void *from, size_t bytes);
void buffers_read(void *to, const char *buffer, size_t bytes);
void buffers_set(char *buffer, unsigned char value, size_t bytes);

#endif
