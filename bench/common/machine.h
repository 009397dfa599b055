/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What can be learnt about the running process: MPI's control and performance variables, and the
 * kernel's view of its memory, threads and descriptors.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_MAX_PATHS = 64 };

/* MPI_T may be used between these two; both may be called outside MPI_Init and MPI_Finalize. */
void bench_machine_open(void);
void bench_machine_close(void);

/* The value of a control variable as text; false when there is no variable of that name. */
bool bench_cvar_text(const char *name, char *text, size_t length);

/*
 * The bytes each path of part/ucx has sent since bench_machine_open, up to the last path that sent
 * any; returns how many paths, at most limit, or -1 when the component is not loaded.
 */
int bench_path_bytes(unsigned long long *values, int limit);

/* How many persistent collectives coll/pschedule has made since bench_machine_open. */
unsigned long long bench_served(void);

typedef struct {
    long resident_bytes;
    long heap_bytes; /* in use, malloc arenas and mmapped blocks together */
    int threads;
    int descriptors;
    int sockets;
    int callbacks; /* registered progress functions of Open MPI, or -1 when not to be seen */
    long voluntary_switches;
    long involuntary_switches;
} bench_process_t;

bench_process_t bench_process_state(void);

/* Seconds since the kernel started this process, to about 10 ms. */
double bench_process_age(void);

#endif
