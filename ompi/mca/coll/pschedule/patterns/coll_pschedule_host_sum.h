/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What all ranks of a host contribute to a range, added up by one of them, its owner. The others
 * give their contributions to slots of the owner (coll_pschedule_reduction.h), all in the same
 * round; a slot is free when what it has was added to the next one.
 *
 * Contributions are only read. The sum begins with the owner's own and goes on in the order of
 * ranks, so that it has the order of ranks where the owner is the first of its host.
 *
 * No deadlock: a contribution waits for its mark, and for a slot of contributions before it.
 */
#ifndef COLL_PSCHEDULE_HOST_SUM_H
#define COLL_PSCHEDULE_HOST_SUM_H

#include "patterns/coll_pschedule_reduction.h"

/** The sums of one owner on this rank's host, that of a range after that of another. */
typedef struct mca_coll_pschedule_host_sum_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_hosts_t *hosts;
    int32_t rank; /**< this one */
    int32_t owner;
    uint32_t on;          /**< ranks of the host */
    uint32_t transfers;   /**< to slots of the owner, until now */
    uint32_t last;        /**< the number of the one whose slot has the sum */
    mca_coll_pschedule_slots_t slots; /**< on the owner */
} mca_coll_pschedule_host_sum_t;

/** For `ranges` ranges of up to `bytes` bytes each. */
mca_coll_pschedule_host_sum_t
mca_coll_pschedule_host_sum(mca_coll_pschedule_plan_t *plan,
                            const mca_coll_pschedule_problem_t *problem, int32_t owner,
                            uint64_t ranges, uint64_t bytes);

/** The owner: the sum of a range, which is in a slot unless nobody else is on the host. */
mca_coll_pschedule_partial_t mca_coll_pschedule_host_sum_take(mca_coll_pschedule_host_sum_t *sum,
                                                              mca_coll_pschedule_partial_t own,
                                                              uint64_t key, uint64_t bytes);

/** The sum that was taken last is not needed any more when a node is done. */
void mca_coll_pschedule_host_sum_used(mca_coll_pschedule_host_sum_t *sum,
                                      mca_coll_pschedule_node_t node);

/** The others: a range goes to the owner. Returns the node after which it has left. */
mca_coll_pschedule_node_t mca_coll_pschedule_host_sum_give(mca_coll_pschedule_host_sum_t *sum,
                                                           mca_coll_pschedule_partial_t own,
                                                           uint64_t key, uint64_t bytes);

/** The owner: something at a place goes to all others of the host when a node is done. It is
 * delivered to a part of their result, which is free from the start, or holds a contribution that
 * went into what comes. */
void mca_coll_pschedule_host_sum_spread(const mca_coll_pschedule_host_sum_t *sum,
                                        mca_coll_pschedule_place_t place, uint64_t key,
                                        uint64_t bytes, mca_coll_pschedule_node_t after);

/** Bytes of the slots of an owner on a host with `on` ranks. */
uint64_t mca_coll_pschedule_host_sum_scratch(uint32_t on, uint64_t ranges, uint64_t bytes);

/*
 * Leaders: where a partition has one owner on each host. Partitions that are worth a message of
 * their own have different leaders, so that all ranks of a host have a share of the work. Smaller
 * ones have the same: what one rank sends for several of them may leave together, and fewer ranks
 * have to wake up. Where order counts, the first rank of a host leads: its sum has the order of
 * ranks then.
 */

/** The lane whose ranks lead a partition. */
uint32_t mca_coll_pschedule_leads(const mca_coll_pschedule_problem_t *problem, uint32_t partition);

/** How many partitions a rank leads at most on a host with `on` ranks. */
uint64_t mca_coll_pschedule_led(const mca_coll_pschedule_problem_t *problem, uint32_t on);

/** How many slots an owner has at most: all others may give two ranges before one of them waits. */
uint32_t mca_coll_pschedule_host_sum_slots(uint32_t on);

#endif /* COLL_PSCHEDULE_HOST_SUM_H */
