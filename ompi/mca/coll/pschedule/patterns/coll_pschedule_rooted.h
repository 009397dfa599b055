/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What reductions to a root have in common. Ranks have positions; partial results go to lower
 * positions, and position 0 has the result in the end. Or hosts have positions, each with a rank
 * that leads.
 *
 * When the operator commutes, the root has position 0 and the others follow, host by host. When
 * it does not, positions are ranks, and the result goes from rank 0 to the root if that is another:
 * it is delivered. It depends on the root's contribution, so it comes after that was used, and may
 * overwrite it when the root works in place. The same for hosts, whose ranks follow each other
 * then; the first of each leads. Otherwise the root leads on its host, on others a lane's rank.
 *
 * The transfer that makes the result complete comes right into the receive buffer where position 0
 * is the root and does not work in place: direct. All others come into slots.
 */
#ifndef COLL_PSCHEDULE_ROOTED_H
#define COLL_PSCHEDULE_ROOTED_H

#include "patterns/coll_pschedule_reduction.h"

/** Phases of keys. */
enum { COLL_PSCHEDULE_ROOTED_REDUCE, COLL_PSCHEDULE_ROOTED_DELIVER };

struct mca_coll_pschedule_rooted_t;

/** What happens to a chunk of a partition. */
typedef void mca_coll_pschedule_rooted_build_t(const struct mca_coll_pschedule_rooted_t *at,
                                               mca_coll_pschedule_slots_t *slots,
                                               const mca_coll_pschedule_bit_t *bit);

/** One rank of a reduction to a root. */
typedef struct mca_coll_pschedule_rooted_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    uint32_t positions;
    uint32_t position; /**< of this rank, or of its host */
    bool by_host;      /**< hosts have positions */
    uint32_t lane;     /**< then, of the ranks that lead */
    bool direct;       /**< see above; the same on all ranks */
    mca_coll_pschedule_rooted_build_t *build;
} mca_coll_pschedule_rooted_t;

mca_coll_pschedule_rooted_t
mca_coll_pschedule_rooted(mca_coll_pschedule_plan_t *plan,
                          const mca_coll_pschedule_problem_t *problem);

/** Hosts have positions; ranks of a lane lead. */
mca_coll_pschedule_rooted_t
mca_coll_pschedule_rooted_hosts(mca_coll_pschedule_plan_t *plan,
                                const mca_coll_pschedule_problem_t *problem, uint32_t lane);

/** The rank at a position. */
int32_t mca_coll_pschedule_rooted_rank(const mca_coll_pschedule_rooted_t *at, uint32_t position);

/** The partial result of this rank, and that of higher positions which came in, become one. It is
 * where the latter was, unless the contribution in the receive buffer may take it up. */
mca_coll_pschedule_partial_t mca_coll_pschedule_rooted_join(const mca_coll_pschedule_rooted_t *at,
                                                            mca_coll_pschedule_partial_t mine,
                                                            mca_coll_pschedule_partial_t its,
                                                            uint64_t bytes);

/** Position 0: this is the result. Returns the node after which the partial is not needed. */
mca_coll_pschedule_node_t mca_coll_pschedule_rooted_end(const mca_coll_pschedule_rooted_t *at,
                                                        mca_coll_pschedule_partial_t sum,
                                                        const mca_coll_pschedule_bit_t *bit);

/** mca_coll_pschedule_build_bits() with `build`; receives what is delivered. */
void mca_coll_pschedule_rooted_build(mca_coll_pschedule_rooted_t *at, uint64_t limit,
                                     uint32_t transfers, mca_coll_pschedule_rooted_build_t *build);

/**
 * A chunk on a chain: what comes from the position behind, and the own contribution, go to the one
 * before, or are the result. Returns the node after which the partial result is not needed here; at
 * position 0, of the root, that is when it is there.
 */
mca_coll_pschedule_node_t mca_coll_pschedule_rooted_chain(const mca_coll_pschedule_rooted_t *at,
                                                          mca_coll_pschedule_slots_t *slots,
                                                          const mca_coll_pschedule_bit_t *bit);

/** mca_coll_pschedule_rooted_build() of one that calls that, in a pipeline of short chunks. */
void mca_coll_pschedule_rooted_build_chain(mca_coll_pschedule_plan_t *plan,
                                           const mca_coll_pschedule_problem_t *problem,
                                           mca_coll_pschedule_rooted_build_t *build);

/** Cost of the delivery, added. */
void mca_coll_pschedule_rooted_cost(const mca_coll_pschedule_problem_t *problem,
                                    mca_coll_pschedule_cost_t *cost);

#endif /* COLL_PSCHEDULE_ROOTED_H */
