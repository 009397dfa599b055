/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the parts of pschedule_tune share: the job, and how it speaks and ends.
 */
#ifndef TOOLS_TUNE_JOB_H
#define TOOLS_TUNE_JOB_H

#include <mpi.h>
#include <stdbool.h>

#include "tune_file.h"
#include "tune_hosts.h"
#include "tune_time.h"

typedef struct tune_t {
    const char *out;
    bool quick;
    bool persistent;
    int partitions;
    MPI_Comm others; /* without coll/pschedule; or MPI_COMM_NULL */
    tune_hosts_t hosts;
    tune_patience_t patience;
    tune_findings_t findings;
    double begin;
} tune_t;

/** Rank 0: a line for whoever waits, with the time. */
void tune_say(const tune_t *tune, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** All ranks: it cannot go on. */
_Noreturn void tune_refuse(const char *what, int status);

/** Set coll_pschedule_NAME on all ranks, while nobody makes a request. */
void tune_set(const char *name, int value);

/** The same of the algorithm of a collective; "auto": the model's. */
void tune_force(const char *collective, const char *algorithm);

#endif /* TOOLS_TUNE_JOB_H */
