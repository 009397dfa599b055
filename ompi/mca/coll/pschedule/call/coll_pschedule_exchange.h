/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the ranks of a collective tell each other before they make their problems. With the
 * communicator's own blocking collectives, in three steps:
 *
 *   1. agree      has a rank found its arguments wrong? Is equal what must be equal? What is the
 *                 largest and the smallest contribution? Which memory does rank 0 share? One
 *                 allreduce of a few numbers.
 *   2. tell       the cuts of contributions, to whom they concern (mca_coll_pschedule_told_t);
 *                 in neighbourhood collectives between neighbours only.
 *   3. conclude   has every rank made its problem, and does it see rank 0's memory? One allreduce
 *                 of two numbers.
 *
 * Every rank takes part in steps 1 and 3, whatever it has found, so either all go on or none does.
 */
#ifndef COLL_PSCHEDULE_EXCHANGE_H
#define COLL_PSCHEDULE_EXCHANGE_H

#include "call/coll_pschedule_arguments.h"
#include "call/coll_pschedule_resolve.h"

/** What is known to all ranks after step 1. */
typedef struct mca_coll_pschedule_common_t {
    uint64_t bytes;       /**< of the largest contribution, as in mca_coll_pschedule_problem_t */
    uint32_t partitions;  /**< most that a contribution is cut in */
    bool in_place;        /**< some rank works in place */
    bool uniform;         /**< all contributions have the same bytes and partitions */
    uint32_t fingerprint; /**< of all this and of what the call asks for; not 0 */
    mca_part_ucx_shm_t probe; /**< rank 0's */
} mca_coll_pschedule_common_t;

/** The cuts that other ranks tell this one, and what they are told. */
typedef struct mca_coll_pschedule_told_cuts_t {
    uint32_t count;
    mca_coll_pschedule_cut_t *cut; /**< mca_coll_pschedule_problem_t.contribution */
    uint64_t *out;                 /**< on the wire */
    uint64_t *in;
} mca_coll_pschedule_told_cuts_t;

/** Memory for step 2, to be had before step 1; returns an MPI error class. */
int mca_coll_pschedule_exchange_prepare(const mca_coll_pschedule_arguments_t *arguments,
                                        mca_coll_pschedule_told_cuts_t *cuts);

/**
 * Step 1.
 *
 * @param error          what this rank has found so far
 * @param terms          as in mca_coll_pschedule_resolve()
 * @return an MPI error class: `error` if it is one; else MPI_ERR_OTHER when another rank has one;
 *         MPI_ERR_ARG or MPI_ERR_TRUNCATE when values differ
 */
int mca_coll_pschedule_exchange_agree(const mca_coll_pschedule_arguments_t *arguments, int error,
                                      const mca_coll_pschedule_terms_t *terms,
                                      mca_coll_pschedule_common_t *common);

/**
 * Step 2. Fills in `cuts`, and compares them with this rank's receive buffer.
 *
 * @param[out] broken  the communicator failed: do not go on to step 3
 * @return an MPI error class: MPI_ERR_TRUNCATE when a block has other bytes than its contribution
 */
int mca_coll_pschedule_exchange_tell(const mca_coll_pschedule_arguments_t *arguments,
                                     const mca_coll_pschedule_common_t *common,
                                     mca_coll_pschedule_told_cuts_t *cuts, bool *broken);

/** Step 3. Returns as step 1; MPI_ERR_TRUNCATE when that is what another rank has found.
 * `shares`: does this rank see rank 0's memory; on return, do all? */
int mca_coll_pschedule_exchange_conclude(const mca_coll_pschedule_arguments_t *arguments, int error,
                                         bool *shares);

/** Free what mca_coll_pschedule_exchange_prepare() has allocated, except `cut`. */
void mca_coll_pschedule_exchange_free(mca_coll_pschedule_told_cuts_t *cuts);

#endif /* COLL_PSCHEDULE_EXCHANGE_H */
