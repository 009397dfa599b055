/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The better one of two ways to make a round, judged by how long rounds take from one start to the
 * next. What else a program does in a round is in there, too, and changes, and a round may be
 * interrupted: so some rounds are added up, none of them for more than twice the shortest, and the
 * second way must be clearly better. Now and then the other one is tried; the longer nothing has
 * changed, the more seldom. Pure; one thread at a time.
 */
#ifndef PART_UCX_TRIAL_H
#define PART_UCX_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/** Begins with all 0 but the first two: the first way. */
typedef struct mca_part_ucx_trial_t {
    uint64_t worth;    /**< ns: where rounds of the first way are shorter, the second cannot gain */
    uint32_t settle;   /**< rounds of a try that say nothing: they profit by, or pay for, what the
                        * other way has left behind */
    uint64_t sum[2];   /**< ns: what the rounds that are compared have taken, each way */
    uint64_t least;    /**< ns: the shortest of these, this way */
    uint32_t rounds;   /**< since the last step */
    uint32_t wait;     /**< rounds from one try to the next */
    bool second;       /**< the second way is the better one */
    bool trying;       /**< the other one is tried */
} mca_part_ucx_trial_t;

/** A round has ended, and has taken so long; 0: not known. Does the next one go the second way? */
bool mca_part_ucx_trial_next(mca_part_ucx_trial_t *trial, uint64_t ns);

/** Has a look at the second way just ended that brought nothing, or was not worth it, or that it
 * has lost? Another second way may take its place then. */
bool mca_part_ucx_trial_has_failed(const mca_part_ucx_trial_t *trial);

#endif /* PART_UCX_TRIAL_H */
