/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From the arguments of a call to a problem: checks, what the ranks must tell each other, and the
 * memory that a plan works on.
 *
 * Resolving is collective. A rank with wrong arguments takes part in the exchange all the same and
 * says so in it; then every rank returns an error, and none waits for ever. The exchange also
 * compares what must be equal on all ranks (collective, root, operator, partitions and bytes of a
 * reduction, the variables that steer the choice of an algorithm).
 */
#ifndef COLL_PSCHEDULE_RESOLVE_H
#define COLL_PSCHEDULE_RESOLVE_H

#include "call/coll_pschedule_call.h"
#include "plan/coll_pschedule_plan.h"

#include "ompi/datatype/ompi_datatype.h"
#include "api/part_ucx_link.h"
#include "ompi/op/op.h"

/**
 * The memory of a request. Where a datatype has no gaps, plans work on the user's buffers. Else
 * they work on copies (shadows) without gaps between the bytes of a partition, which partitions
 * are loaded into when they are marked, and stored from when they have arrived: packed for data
 * movement, element by element as the operator wants them for reductions.
 */
typedef struct mca_coll_pschedule_buffers_t {
    char *base[3]; /**< addresses of SEND, RECV and SCRATCH (coll_pschedule_plan.h) */
    bool loads;    /**< contributions must be loaded */
    bool stores;   /**< results must be stored */
    struct mca_coll_pschedule_shadow_t *shadow; /**< what they need for it; NULL if neither */
    ompi_op_t *op;                              /**< reference held, or NULL */
    ompi_datatype_t *datatype;                  /**< of a reduction; reference held, or NULL */
    uint32_t element;                           /**< bytes from one element to the next */
    ptrdiff_t shift; /**< the operator is told an address that is so many bytes further on */
    bool one_by_one; /**< elements lie further apart than the datatype says: one call for each */
} mca_coll_pschedule_buffers_t;

/** What the outcome depends on besides the call. */
typedef struct mca_coll_pschedule_terms_t {
    uint64_t chunk; /**< for problem.chunk; compared between the ranks */
    int steering;   /**< a number of the variables that choose an algorithm; likewise */
    bool one_host;  /**< for problem.one_host */
    const mca_part_ucx_link_api_t *links;
    mca_part_ucx_shm_t probe; /**< rank 0 on one host: what the other ranks look for, as
                               * processes may be kept from seeing each other's; else all 0 */
} mca_coll_pschedule_terms_t;

/** What a call asks for, resolved. */
typedef struct mca_coll_pschedule_resolved_t {
    mca_coll_pschedule_problem_t problem; /**< its arrays belong to this structure */
    mca_coll_pschedule_buffers_t buffers; /**< base[SCRATCH] is NULL still */
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

/** Bring partition `partition` of the contribution from the user's buffer to its shadow. */
void mca_coll_pschedule_buffers_load(const mca_coll_pschedule_buffers_t *buffers,
                                     uint32_t partition);

/** Bring partition `partition` of the result from its shadow to the user's buffer. */
void mca_coll_pschedule_buffers_store(const mca_coll_pschedule_buffers_t *buffers,
                                      uint32_t partition);

/** Do a reduction or a copy of the plan. */
void mca_coll_pschedule_buffers_operate(const mca_coll_pschedule_buffers_t *buffers,
                                        const mca_coll_pschedule_operation_t *operation,
                                        bool reduce);

/** Free shadows, and release operator and datatype. */
void mca_coll_pschedule_buffers_release(mca_coll_pschedule_buffers_t *buffers);

#endif /* COLL_PSCHEDULE_RESOLVE_H */
