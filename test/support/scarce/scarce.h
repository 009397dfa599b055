/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Something is refused to the two components, and to nobody else: once, at a place that the test
 * says. For programs that are linked with scarce.c and one of
 *
 *   scarce_memory.c   memory: malloc and its like
 *   scarce_ucx.c      what they ask UCX for: paths, endpoints, registrations, keys, transfers
 */
#ifndef MPIX_TEST_SCARCE_H
#define MPIX_TEST_SCARCE_H

#include <mpi.h>

#include <stdbool.h>

/* The components' `nth` request of this process from now on fails; 0: none does. How many there
 * have been since the last call; -1: the components are not files of their own. */
long mt_scarce(long nth);

/* The request that fails now (0: none does), and the rank on which; the same on all ranks. */
extern long mt_scarce_nth;
extern int mt_scarce_rank;

/* From now on it is that one. On all ranks. */
void mt_scarce_begin(int rank, long nth);

/* From now on none is. Has there been such a request? Collective. */
bool mt_scarce_end(MPI_Comm comm);

/* Do all ranks say so? Collective. */
bool mt_scarce_all(MPI_Comm comm, bool good);

/* Must a process have made its first channel before? A path that UCX cannot open is left out to the
 * end of the process. */
bool mt_scarce_later(void);

/* May be called before the address sanitizer has begun. */
#define EARLY __attribute__((no_sanitize("address", "undefined")))

/* Is a request refused that comes from there? Counts it. */
EARLY bool mt_scarce_refused(void *caller);

#endif
