/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What an algorithm costs, in numbers that all ranks find alike.
 */
#ifndef COLL_PSCHEDULE_COST_H
#define COLL_PSCHEDULE_COST_H

#include <stdint.h>

/** What an algorithm costs, by what all ranks know; the choice minimises time made of these. */
typedef struct mca_coll_pschedule_cost_t {
    uint64_t rounds;  /**< transfers on the longest chain of dependent ones */
    uint64_t local;   /**< of these, the ones within a host, where that is known */
    uint64_t bytes;   /**< that the busiest rank sends, or receives, whichever is more */
    uint64_t all;     /**< bytes that all ranks send together, where all are on one host and most of
                       * them send less than the busiest one, and wait once; 0: all do alike */
    uint64_t near; /**< of `bytes`, the ones that stay within its host; 0 where it is not known */
    uint64_t hosts;   /**< that the busiest host sends to other hosts, or receives from them,
                       * whichever is more; 0: every rank's bytes, the row does not know */
    uint64_t reduced; /**< bytes that the busiest rank reduces */
    uint64_t scratch; /**< upper bound of the scratch memory of any rank, in bytes */
    uint64_t crowded; /**< part of `bytes`: received from several ranks at the same time */
    uint64_t relayed; /**< bytes that the busiest relay holds in scratch memory for others */
    uint64_t messages; /**< that the busiest host sends to others, where small pieces that leave a
                        * rank at the same time are one. What counts is the difference between the
                        * rows of a collective: all of them say it, or none */
    uint64_t serving;  /**< rounds that pass while the busiest rank serves all its peers, if that is
                            more than a few: coll_pschedule_tree.h */
} mca_coll_pschedule_cost_t;

#endif /* COLL_PSCHEDULE_COST_H */
