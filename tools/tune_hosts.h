/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hosts of a job as coll/pschedule sees them, and communicators within and between them.
 */
#ifndef TOOLS_TUNE_HOSTS_H
#define TOOLS_TUNE_HOSTS_H

#include <mpi.h>
#include <stdbool.h>

typedef struct tune_hosts_t {
    int rank, size;   /**< of this process in the job */
    int hosts;        /**< how many */
    int fewest, most; /**< ranks on one of them */
    MPI_Comm local;   /**< the ranks of this host */
    MPI_Comm lane;    /**< those with the same number on their hosts; not of all, if hosts differ */
    bool leads;       /**< this one is the first on its host */
    bool rides;       /**< its lane has a rank of every host */
} tune_hosts_t;

/** Collective over MPI_COMM_WORLD. */
void tune_hosts_learn(tune_hosts_t *hosts);
void tune_hosts_forget(tune_hosts_t *hosts);

#endif /* TOOLS_TUNE_HOSTS_H */
