/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Handing out each partition of an iteration once, for MPIX_Parrived_any and MPIX_Parrived_some.
 * Used by receives, and by coll/pschedule.
 *
 * Every partition has the number of the last epoch it was handed out in; whoever changes that to
 * the present epoch has got the partition. Nothing is cleared between epochs, which count from 1.
 * All threads begin at the first partition that is not handed out, as far as they know of it.
 *
 * Any number of threads may take from the same epoch at once. The caller keeps epochs apart: none
 * begins while a thread takes.
 */
#ifndef PART_UCX_CLAIM_H
#define PART_UCX_CLAIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** What mca_part_ucx_claims_take() returns when nothing is left in the epoch. */
#define PART_UCX_CLAIMS_OVER (-1)

typedef struct mca_part_ucx_claims_t {
    uint32_t partitions;
    _Atomic uint64_t hint; /**< epoch << 32 | number of partitions, from 0 on, handed out in it */
    atomic_uint *epoch;    /**< per partition: the last epoch it was handed out in */
} mca_part_ucx_claims_t;

/** Has a partition arrived? With memory order acquire for its data. */
typedef bool (*mca_part_ucx_claimable_fn_t)(void *context, uint32_t partition);

/** False: no memory. To be finalised in any case. */
bool mca_part_ucx_claims_init(mca_part_ucx_claims_t *claims, uint32_t partitions);

void mca_part_ucx_claims_fini(mca_part_ucx_claims_t *claims);

/** Numbers of epochs begin again: what was handed out in one of the same number does not count.
 * Between two epochs. */
void mca_part_ucx_claims_forget(mca_part_ucx_claims_t *claims);

/**
 * Take partitions that have arrived.
 *
 * @param claimable  NULL: all have
 * @param room       most that are taken, 0 or more
 * @return how many were taken; PART_UCX_CLAIMS_OVER when all are handed out already
 */
int mca_part_ucx_claims_take(mca_part_ucx_claims_t *claims, uint32_t epoch,
                             mca_part_ucx_claimable_fn_t claimable, void *context, int room,
                             int partitions[]);

/** Who asks for partitions of a request. */
typedef struct mca_part_ucx_claimer_t {
    mca_part_ucx_claims_t *claims;
    uint32_t epoch;                        /**< 0: the request has never been started */
    bool active;                           /**< the request is */
    int error;                             /**< with which it has failed, else MPI_SUCCESS */
    mca_part_ucx_claimable_fn_t claimable; /**< as for mca_part_ucx_claims_take() */
    void *context;
} mca_part_ucx_claimer_t;

/**
 * What MPIX_Parrived_some answers: partitions that have arrived, also of a request that has failed
 * since; then its error.
 *
 * @param count  how many; MPI_UNDEFINED when the request was never started or all are handed out; 0
 *               when none is there yet: make progress
 * @return code of MPI
 */
int mca_part_ucx_claims_answer(const mca_part_ucx_claimer_t *claimer, int room, int *count,
                               int partitions[]);

#endif /* PART_UCX_CLAIM_H */
