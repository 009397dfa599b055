/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Up a binomial tree of positions (coll_pschedule_rooted.h): position p takes from p+1, p+2, p+4
 * and so on, as long as these bits of p are 0, then sends to p without its lowest bit.
 *
 *   0 <- 1     2 <- 3     4 <- 5     6 <- 7
 *   0 <------- 2          4 <------- 6
 *   0 <--------------------4
 *
 * Child number k covers positions p+2^k to p+2^(k+1)-1, which follow those that were added up
 * before: so the partial result moves to where it came in, and the place of the last one is free.
 * Contributions are only read (but that of a root in place may take up all, if the order is free).
 *
 * All children use the same slots: child k of chunk n is transfer number n * children + k. It stays
 * in its slot until the next child has come. No deadlock: number m waits for numbers up to m+1, and
 * for the same chunk at higher positions.
 */
#ifndef COLL_PSCHEDULE_BINOMIAL_H
#define COLL_PSCHEDULE_BINOMIAL_H

#include "patterns/coll_pschedule_rooted.h"

/** How many children a position has. */
uint32_t mca_coll_pschedule_binomial_children(uint32_t position, uint32_t positions);

/** Transfers per chunk that come to slots of this rank. */
uint32_t mca_coll_pschedule_binomial_slotted(const mca_coll_pschedule_rooted_t *at);

/**
 * A chunk: what comes from children is put to what this position has, and it goes on, or is the
 * result.
 *
 * @return the node after which the place of what it had may be used again
 */
mca_coll_pschedule_node_t mca_coll_pschedule_binomial_chunk(const mca_coll_pschedule_rooted_t *at,
                                                            mca_coll_pschedule_slots_t *slots,
                                                            const mca_coll_pschedule_bit_t *bit,
                                                            mca_coll_pschedule_partial_t begin);

#endif /* COLL_PSCHEDULE_BINOMIAL_H */
