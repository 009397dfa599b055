/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes of the job and their hosts; how the program ends when something is stuck.
 */
#ifndef TOOLS_JOB_H
#define TOOLS_JOB_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct info_job_t {
    MPI_Comm world;   /**< all processes; errors are returned */
    MPI_Comm local;   /**< those of this host */
    MPI_Comm leaders; /**< the first of every host, MPI_COMM_NULL elsewhere */
    int rank;
    int size;
    int local_rank;
    int local_size;
    int host;         /**< rank of this host's leader among the leaders */
    int hosts;
    int mate;         /**< the first two of a host: rank of the other; else -1 */
} info_job_t;

/** MPI has begun: find the hosts. */
void info_job_begin(info_job_t *job);

/** End MPI; with `stuck`, without waiting for transfers that do not end. */
void info_job_end(info_job_t *job, bool stuck, int status);

/** What is being done now. If nothing follows for a minute, the program says so and ends. */
void info_step(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** From now on a step may take so many seconds more. */
void info_step_longer(double seconds);

/** Put an end to the program, with all of its processes. Status 2. */
_Noreturn void info_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * The bytes of all processes, in the order of ranks, to rank 0.
 *
 * @param all    there: all of them, to be freed; elsewhere NULL
 * @param total  there: how many
 */
void info_gather(const info_job_t *job, const void *bytes, size_t length, char **all,
                 size_t *total);

/** Seconds of a clock that goes on. */
double info_now(void);

#endif /* TOOLS_JOB_H */
