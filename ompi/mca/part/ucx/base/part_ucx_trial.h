/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The better one of two ways to make a round, judged by how long rounds take from one start to the
 * next. What else a program does in a round is in there, too, and changes, and a round may be
 * interrupted: so some rounds are added up, none of them for more than twice their median, and the
 * second way must be clearly better. Now and then the other one is tried, more and more seldom; of
 * one that is clearly worse only a few rounds are made. When tries come does not depend on what has
 * been found, but for one more look after a change: so those that begin together try together.
 * Pure; one thread at a time.
 */
#ifndef PART_UCX_TRIAL_H
#define PART_UCX_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/** Rounds that are compared. */
#define PART_UCX_TRIAL_COMPARED 16u

/** Begins with all 0 but the first four: the first way. */
typedef struct mca_part_ucx_trial_t {
    uint64_t worth;    /**< ns: where rounds of the first way are shorter, the second cannot gain */
    uint16_t settle;   /**< rounds of a try that say nothing: they profit by, or pay for, what the
                        * other way has left behind */
    uint16_t idle;     /**< rounds at the end of a try that say nothing either: others that try at
                        * the same time have longer to settle */
    uint16_t wait;     /**< rounds to the next try; at first 0 for a default, or at least as many as
                        * are compared */
    uint16_t period;   /**< those between two tries, but for looks at what has changed */
    uint16_t rest;     /**< those to wait after such a look */
    /** What those that are compared have taken this way, in units of 64 ns. */
    uint32_t grains[PART_UCX_TRIAL_COMPARED];
    uint64_t before;   /**< ns: what as many have taken before this try */
    uint64_t began_ns; /**< when the round was started; 0: none yet */
    uint32_t rounds;   /**< since the last step */
    bool second;       /**< the second way is the better one */
    bool trying;       /**< the other one is tried */
    bool lost;         /**< it has been clearly worse: the rest of the try goes the better way */
    uint8_t slow;      /**< rounds one after the other that have taken far longer than before it */
} mca_part_ucx_trial_t;

/**
 * Rounds of a try that say nothing where each moves so many bytes over a path: what limits rates
 * lets a burst pass, or a queue takes it.
 */
uint32_t mca_part_ucx_trial_settle(uint64_t bytes);

/** A round has ended, and has taken so long; 0: not known. Does the next one go the second way? */
bool mca_part_ucx_trial_next(mca_part_ucx_trial_t *trial, uint64_t ns);

/** The same where a round starts now, and the one before, if there was one, has ended by then. */
bool mca_part_ucx_trial_start(mca_part_ucx_trial_t *trial, uint64_t now_ns);

/** Has a look at the second way just ended that brought nothing, or was not worth it, or that it
 * has lost? Another second way may take its place then. */
bool mca_part_ucx_trial_has_failed(const mca_part_ucx_trial_t *trial);

#endif /* PART_UCX_TRIAL_H */
