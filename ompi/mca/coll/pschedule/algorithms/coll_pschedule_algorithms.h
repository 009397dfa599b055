/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The one table of algorithms. Selection, the MCA variables, ompi_info, the documentation and the
 * tests iterate it. To add an algorithm: one .c file that defines a row, the row's name in
 * COLL_PSCHEDULE_ALGORITHMS below, one line in the Makefile.am (docs/adding-an-algorithm.md).
 */
#ifndef COLL_PSCHEDULE_ALGORITHMS_H
#define COLL_PSCHEDULE_ALGORITHMS_H

#include "patterns/coll_pschedule_cost.h"
#include "plan/coll_pschedule_plan.h"

/** What an algorithm needs. */
typedef enum mca_coll_pschedule_limit_t {
    COLL_PSCHEDULE_COMMUTATIVE = 1 << 0, /**< an operator that commutes */
    COLL_PSCHEDULE_UNIFORM = 1 << 1,     /**< equal contributions of all ranks */
    COLL_PSCHEDULE_SHARES = 1 << 2,      /**< memory that the ranks share */
    COLL_PSCHEDULE_NESTED = 1 << 3,      /**< several hosts, one of them with several ranks */
    COLL_PSCHEDULE_CONTIGUOUS = 1 << 4,  /**< for an operator that does not commute, hosts whose
                                          * ranks follow each other */
    COLL_PSCHEDULE_FOLLOWING = 1 << 5,   /**< such hosts for every operator */
    COLL_PSCHEDULE_CROWDED = 1 << 6,     /**< the same as NESTED, or one host whose ranks outnumber
                                          * its processors */
    COLL_PSCHEDULE_RELAY_CUTS = 1 << 7,  /**< that relays are told the cuts of unequal blocks, of
                                          * which there are not too many */
    COLL_PSCHEDULE_STEPS = 1 << 8        /**< no more than 2^16 other ranks; with NESTED, hosts */
} mca_coll_pschedule_limit_t;

/** A row of the table. */
typedef struct mca_coll_pschedule_algorithm_t {
    mca_coll_pschedule_collective_t collective; /**< the first of those it serves */
    mca_coll_pschedule_collective_t last;       /**< the last (e.g. gather to gatherv) */
    const char *name;                           /**< value of the MCA variable */
    const char *description;                    /**< one line for the documentation */
    const char *memory;                         /**< scratch memory in words, for the same */
    uint32_t limits;                            /**< of mca_coll_pschedule_limit_t */
    /** Build the plan of problem->rank. Errors are kept in the plan until it is frozen. */
    void (*build)(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem);
    /** Uses only what is the same on all ranks. */
    void (*cost)(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost);
} mca_coll_pschedule_algorithm_t;

/** Names of all rows, in the order in which equal costs are decided. */
#define COLL_PSCHEDULE_ALGORITHMS(ROW) \
    ROW(bcast_chain) \
    ROW(bcast_binomial) \
    ROW(bcast_lanes) \
    ROW(bcast_endpoints) \
    ROW(bcast_endpoints_knomial) \
    ROW(gather_linear) \
    ROW(gather_binomial) \
    ROW(gather_hosts) \
    ROW(scatter_linear) \
    ROW(scatter_binomial) \
    ROW(scatter_hosts) \
    ROW(allgather_bruck) \
    ROW(allgather_ring) \
    ROW(allgather_linear) \
    ROW(allgather_lanes_ring) \
    ROW(allgather_lanes_tree) \
    ROW(allgather_hosts) \
    ROW(alltoall_pairwise) \
    ROW(alltoall_linear) \
    ROW(alltoall_turns) \
    ROW(alltoall_bruck) \
    ROW(alltoall_distribute) \
    ROW(alltoall_aggregate) \
    ROW(alltoall_leader) \
    ROW(reduce_chain) \
    ROW(reduce_binomial) \
    ROW(reduce_lanes) \
    ROW(reduce_hosts) \
    ROW(allreduce_shared_ring) \
    ROW(allreduce_ring) \
    ROW(allreduce_recursive_doubling) \
    ROW(allreduce_rabenseifner) \
    ROW(allreduce_chain) \
    ROW(allreduce_lanes) \
    ROW(allreduce_hosts) \
    ROW(reduce_scatter_binomial) \
    ROW(reduce_scatter_pairwise) \
    ROW(reduce_scatter_ring) \
    ROW(reduce_scatter_lanes) \
    ROW(scan_chain) \
    ROW(scan_recursive_doubling) \
    ROW(scan_hosts) \
    ROW(neighbor_linear)

#define COLL_PSCHEDULE_DECLARE(name) \
    extern const mca_coll_pschedule_algorithm_t mca_coll_pschedule_##name;
COLL_PSCHEDULE_ALGORITHMS(COLL_PSCHEDULE_DECLARE)
#undef COLL_PSCHEDULE_DECLARE

/** All rows, then NULL. */
extern const mca_coll_pschedule_algorithm_t *const mca_coll_pschedule_algorithms[];

/** Does a row serve a collective? */
static inline bool mca_coll_pschedule_serves(const mca_coll_pschedule_algorithm_t *algorithm,
                                             mca_coll_pschedule_collective_t collective)
{
    return algorithm->collective <= collective && collective <= algorithm->last;
}

/** May a row be used for a problem? Looks only at what is the same on all ranks. */
bool mca_coll_pschedule_allows(const mca_coll_pschedule_algorithm_t *algorithm,
                               const mca_coll_pschedule_problem_t *problem);

#endif /* COLL_PSCHEDULE_ALGORITHMS_H */
