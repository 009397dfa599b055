/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What all ranks of a collective must find equal, and what they must find together. Every rank
 * takes part, whatever it has found, so either all go on or none does.
 */
#ifndef COLL_PSCHEDULE_AGREE_H
#define COLL_PSCHEDULE_AGREE_H

#include "call/coll_pschedule_arguments.h"

/** What the outcome depends on besides the call. */
typedef struct mca_coll_pschedule_terms_t {
    const char *refusal;   /**< why call->error is set; NULL: the user has been told */
    uint64_t chunk;        /**< for problem.chunk; compared between the ranks */
    uint64_t shared_chunk; /**< the same where all ranks are on one host */
    bool lone_path; /**< this rank has less than two network paths */
    bool uncontested; /**< this rank does not want a contest (mca_coll_pschedule_front_t) */
    int steering;  /**< a number of the variables that choose an algorithm; compared, too */
    const mca_coll_pschedule_hosts_t *hosts; /**< NULL: not known; the same on all ranks */
} mca_coll_pschedule_terms_t;

/** What is known to all ranks that have agreed on their arguments. */
typedef struct mca_coll_pschedule_common_t {
    uint64_t bytes;       /**< of the largest contribution, as in mca_coll_pschedule_problem_t */
    uint32_t partitions;  /**< most that a contribution is cut in */
    bool in_place;        /**< some rank works in place */
    bool lone_path;       /**< some rank has less than two network paths */
    bool uncontested;     /**< some rank does not want a contest */
    bool uniform;         /**< all contributions have the same bytes and partitions */
    uint32_t fingerprint; /**< of all this and of what the call asks for; not 0 */
} mca_coll_pschedule_common_t;

/**
 * Has a rank found its arguments wrong? Is equal what must be equal? What is the largest and the
 * smallest contribution? One allreduce of a few numbers.
 *
 * @param error  what this rank has found so far
 * @return an MPI error class: `error` if it is one; else MPI_ERR_OTHER when another rank has one;
 *         MPI_ERR_ARG or MPI_ERR_TRUNCATE when values differ
 */
int mca_coll_pschedule_agree_on_arguments(const mca_coll_pschedule_arguments_t *arguments,
                                          int error, const mca_coll_pschedule_terms_t *terms,
                                          mca_coll_pschedule_common_t *common);

/** Is something true of all ranks? Returns an MPI error class, of the communicator. */
int mca_coll_pschedule_agree_on_all(MPI_Comm comm, bool mine, bool *all);

/** Is every rank as far as this one? Returns `error` if it is one; else MPI_ERR_TRUNCATE when
 * another rank has that, MPI_ERR_OTHER when one has something else, or that of the communicator
 * when it has failed. */
int mca_coll_pschedule_agree_on_outcome(MPI_Comm comm, int error);

#endif /* COLL_PSCHEDULE_AGREE_H */
