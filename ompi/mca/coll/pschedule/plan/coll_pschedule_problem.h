/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What one rank asks of a partitioned collective, in bytes: the input of the algorithms. Pure: no
 * MPI types, no pointers to user memory. Everything that an algorithm needs to know of the other
 * ranks has been exchanged when a problem exists, so every rank builds its plan alone, and the
 * plans of all ranks fit together.
 *
 * Two buffers: SEND holds what this rank contributes, RECV what it gets. Each is a list of blocks
 * (one, or one per rank or neighbour), and every block is cut in equal partitions, which the user
 * counts through over all blocks. With `in_place` there is no SEND: contributions are in RECV.
 *
 *   collective              send blocks       recv blocks      contribution[k], k = 0 ...
 *   bcast                   1 at the root     1 elsewhere      (1) the root's
 *   gather(v)               1                 N at the root    (N) of rank k
 *   scatter(v)              N at the root     1                (N) the root's for rank k
 *   allgather(v)            1                 N                (N) of rank k
 *   alltoall(v,w)           N                 N                (N) of rank k for this rank
 *   reduce                  1                 1 at the root    none; all ranks have the same
 *   allreduce, scan, exscan 1                 1                none; the same
 *   reduce_scatter(_block)  N                 1                (N) block k (the same on all ranks)
 *   neighbor_allgather(v)   1                 sources          (sources) of source k
 *   neighbor_alltoall(v,w)  destinations      sources          (sources) of source k, for this rank
 *
 * In place, blocks of contributions are still described in `send`, with offsets into RECV: the one
 * of this rank for gather (root), allgather, reduce (root), allreduce, scan, exscan; all N for
 * reduce_scatter(_block), whose result goes to the beginning of RECV. In place, the root of a
 * scatter has recv_blocks 0: its block stays where it is.
 */
#ifndef COLL_PSCHEDULE_PROBLEM_H
#define COLL_PSCHEDULE_PROBLEM_H

#include "plan/coll_pschedule_each.h"
#include "plan/coll_pschedule_hosts.h"

#include <stdbool.h>
#include <stdint.h>

/** The 21 collectives: COLL_PSCHEDULE_BCAST, and so on. */
typedef enum mca_coll_pschedule_collective_t {
#define COLL_PSCHEDULE_NUMBER(collective, name, type) COLL_PSCHEDULE_##collective,
    COLL_PSCHEDULE_EACH(COLL_PSCHEDULE_NUMBER)
#undef COLL_PSCHEDULE_NUMBER
    COLL_PSCHEDULE_COLLECTIVES /**< how many there are */
} mca_coll_pschedule_collective_t;

/** Bytes and how their contributor cut them. */
typedef struct mca_coll_pschedule_cut_t {
    uint64_t bytes;      /**< a multiple of `partitions` */
    uint32_t partitions; /**< at least 1, also when there are no bytes */
} mca_coll_pschedule_cut_t;

/** A range of a buffer of this rank. */
typedef struct mca_coll_pschedule_block_t {
    uint64_t offset;              /**< bytes from the beginning of the buffer */
    mca_coll_pschedule_cut_t cut; /**< as this rank cut it */
    uint32_t first;               /**< number of its first partition in the buffer */
} mca_coll_pschedule_block_t;

/** A rank in the list of neighbours that is MPI_PROC_NULL. */
#define COLL_PSCHEDULE_NOBODY (-1)

/** One edge of a process topology, as one of its ends sees it. */
typedef struct mca_coll_pschedule_edge_t {
    int32_t rank; /**< the other end, or COLL_PSCHEDULE_NOBODY */
    uint32_t key; /**< tells the edges of one pair and direction apart; the same at both ends */
} mca_coll_pschedule_edge_t;

/** A problem; the arrays belong to the caller and are not needed after the plan is built. */
typedef struct mca_coll_pschedule_problem_t {
    mca_coll_pschedule_collective_t collective;
    int32_t rank;     /**< of this process */
    int32_t size;     /**< number of ranks */
    int32_t root;     /**< of a rooted collective */
    bool in_place;    /**< on this rank: contributions are in RECV */
    bool ordered;     /**< the operator does not commute: apply it in the order of ranks */
    uint32_t element; /**< bytes of an element that an operator works on; otherwise 1 */
    uint64_t chunk;   /**< no transfer is larger than this (but at least an element); all equal */
    uint32_t send_blocks;
    uint32_t recv_blocks;
    const mca_coll_pschedule_block_t *send;
    const mca_coll_pschedule_block_t *recv;
    const mca_coll_pschedule_cut_t *contribution; /**< see above */
    const mca_coll_pschedule_cut_t *relay_cuts;   /**< of alltoall(v, w) with relays where blocks
                                                   * differ, or NULL: for each rank of this host the
                                                   * cuts of its blocks for all ranks, then those
                                                   * of the blocks of all ranks for it */
    uint32_t sources;      /**< of neighbourhood collectives */
    uint32_t destinations; /**< likewise */
    const mca_coll_pschedule_edge_t *source;
    const mca_coll_pschedule_edge_t *destination;

    /* The same on all ranks. The choice of an algorithm looks at nothing else, but for the root,
     * `ordered`, `element`, `chunk` and the blocks of a reduce_scatter, which are, too. */
    uint64_t common_bytes;      /**< of the largest contribution of a rank (of one pair of ranks,
                                 * for scatter and alltoall); of the whole for reductions */
    uint32_t common_partitions; /**< most partitions that such a contribution is cut in */
    bool common_in_place;       /**< some rank works in place */
    bool whole;                 /**< all partitions are marked together, and nobody sees when a
                                 * part of the result comes: they may wait for each other */
    bool uniform;               /**< all contributions have the same bytes and partitions */
    bool lone_path;             /**< some rank has less than two network paths */
    bool one_host;              /**< all ranks are on one: there is no network */
    bool shares;                /**< what they send each other can be copied into shared memory */
    const mca_coll_pschedule_hosts_t *hosts; /**< which ranks are on which host, or NULL */
} mca_coll_pschedule_problem_t;

/** Bytes of the largest contribution, times ranks, up to which contributions go on together. */
#define COLL_PSCHEDULE_TOGETHER UINT64_C(16384)

/** Do small contributions wait for each other (patterns/coll_pschedule_together.h)? In one piece
 * each: what relays hold in slots must all have come before any of it leaves, so none may wait for
 * a slot. The same on all ranks. No alltoall of blocks that differ has an algorithm for it. */
static inline bool mca_coll_pschedule_goes_together(const mca_coll_pschedule_problem_t *problem)
{
    return problem->whole && problem->collective >= COLL_PSCHEDULE_ALLGATHER
           && problem->collective
                  <= (problem->uniform ? COLL_PSCHEDULE_ALLTOALLW : COLL_PSCHEDULE_ALLGATHERV)
           && problem->common_bytes <= problem->chunk
           && problem->common_bytes <= COLL_PSCHEDULE_TOGETHER / (uint64_t) problem->size;
}

#endif /* COLL_PSCHEDULE_PROBLEM_H */
