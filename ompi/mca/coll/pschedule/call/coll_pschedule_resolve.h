/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From the arguments of a call to a problem: checks, what the ranks must know of each other, and
 * the memory that a plan works on.
 *
 * Resolving is collective, over the communicator's own blocking collectives, in three steps:
 *
 *   1. agree on arguments   what must be equal is (coll_pschedule_agree.h): collective, root,
 *                           operator, partitions and bytes of a reduction, the variables that
 *                           steer the choice of an algorithm
 *   2. exchange cuts        (coll_pschedule_cuts.h)
 *   3. agree on problems    every rank has made its own
 *
 * A rank with wrong arguments takes part all the same and says so; then every rank returns an
 * error, and none waits for ever.
 */
#ifndef COLL_PSCHEDULE_RESOLVE_H
#define COLL_PSCHEDULE_RESOLVE_H

#include "call/coll_pschedule_agree.h"
#include "call/coll_pschedule_buffer.h"

/** What a call asks for, resolved. */
typedef struct mca_coll_pschedule_resolved_t {
    mca_coll_pschedule_problem_t problem; /**< its arrays belong to this structure */
    mca_coll_pschedule_buffers_t buffers; /**< base[SCRATCH] is NULL still */
    bool uncontested;                     /**< some rank does not want a contest */
    uint32_t fingerprint;                 /**< equal on all ranks, different for different calls */
} mca_coll_pschedule_resolved_t;

/**
 * Check, exchange, resolve. The caller fills nothing in before.
 *
 * @return an MPI error class; on success mca_coll_pschedule_resolved_free() gives the arrays of
 *         the problem back, mca_coll_pschedule_buffers_release() the buffers.
 */
int mca_coll_pschedule_resolve(const mca_coll_pschedule_call_t *call,
                               const mca_coll_pschedule_terms_t *terms,
                               mca_coll_pschedule_resolved_t *resolved);

/** Free the arrays of the problem; the plan is built. The buffers stay. */
void mca_coll_pschedule_resolved_free(mca_coll_pschedule_resolved_t *resolved);

#endif /* COLL_PSCHEDULE_RESOLVE_H */
