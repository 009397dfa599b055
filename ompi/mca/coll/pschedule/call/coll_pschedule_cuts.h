/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How other ranks cut what they contribute: each rank hears it from those whose contributions it
 * gets (mca_coll_pschedule_cut_exchange_t), in neighbourhood collectives from neighbours only.
 */
#ifndef COLL_PSCHEDULE_CUTS_H
#define COLL_PSCHEDULE_CUTS_H

#include "call/coll_pschedule_agree.h"

/** A cut travels as so many numbers: bytes, partitions. */
#define COLL_PSCHEDULE_CUT_NUMBERS 2

void mca_coll_pschedule_cuts_write(uint64_t *number, mca_coll_pschedule_cut_t cut);

/**
 * Read cuts that have come.
 *
 * @return false: nothing is cut like that, and plans would divide by it
 */
bool mca_coll_pschedule_cuts_read(const uint64_t *number, size_t count,
                                  mca_coll_pschedule_cut_t cut[]);

/** The cuts of the contributions to what this rank gets. */
typedef struct mca_coll_pschedule_cuts_t {
    uint32_t count;
    mca_coll_pschedule_cut_t *cut; /**< mca_coll_pschedule_problem_t.contribution */
    uint64_t *out;                 /**< as they travel */
    uint64_t *in;
} mca_coll_pschedule_cuts_t;

/** Memory for the exchange, to be had before the ranks agree on arguments; returns an MPI error
 * class. */
int mca_coll_pschedule_cuts_prepare(const mca_coll_pschedule_arguments_t *arguments,
                                    mca_coll_pschedule_cuts_t *cuts);

/**
 * Exchange them, and compare them with this rank's receive buffer.
 *
 * @param[out] broken  the communicator failed: do not go on to agree on problems
 * @return an MPI error class: MPI_ERR_TRUNCATE when a block has other bytes than its contribution
 */
int mca_coll_pschedule_cuts_exchange(const mca_coll_pschedule_arguments_t *arguments,
                                     const mca_coll_pschedule_common_t *common,
                                     mca_coll_pschedule_cuts_t *cuts, bool *broken);

void mca_coll_pschedule_cuts_free(mca_coll_pschedule_cuts_t *cuts);

#endif /* COLL_PSCHEDULE_CUTS_H */
