/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A reduce_scatter, chunk by chunk; and which nodes read which part of the contribution. In place
 * the result goes to the beginning of the buffer, where contributions are: it may be put there when
 * every contribution that it covers has been marked and read.
 */
#ifndef COLL_PSCHEDULE_READERS_H
#define COLL_PSCHEDULE_READERS_H

#include "patterns/coll_pschedule_reduction.h"

/** Nodes by where the part ends that they read; parts follow each other. */
typedef struct mca_coll_pschedule_readers_t {
    mca_coll_pschedule_plan_t *plan;
    bool kept; /**< nothing is kept where nothing works in place */
    uint32_t count;
    uint32_t capacity;
    uint64_t *end;
    mca_coll_pschedule_node_t *node;
} mca_coll_pschedule_readers_t;

/** `node` is the last to read the contribution to a chunk; in the order of chunks. */
void mca_coll_pschedule_readers_add(mca_coll_pschedule_readers_t *readers,
                                    const mca_coll_pschedule_bit_t *bit,
                                    mca_coll_pschedule_node_t node);

/** mca_coll_pschedule_settle() of a chunk of the own block: when all are done that read what it
 * overwrites. */
mca_coll_pschedule_node_t
mca_coll_pschedule_readers_settle(const mca_coll_pschedule_readers_t *readers,
                                  mca_coll_pschedule_partial_t sum,
                                  const mca_coll_pschedule_bit_t *bit);

/** What an algorithm does: `begin` for every partition of every block, of whose bit only block,
 * partition and number are said; then `build` for each of its chunks. */
typedef struct mca_coll_pschedule_scattering_t {
    void (*begin)(void *at, const mca_coll_pschedule_bit_t *bit, uint32_t chunks, uint64_t largest);
    void (*build)(void *at, const mca_coll_pschedule_bit_t *bit);
} mca_coll_pschedule_scattering_t;

/** Do that. What one rank alone has is the result. `readers` are there from the first `begin` to
 * the last `build`. */
void mca_coll_pschedule_build_blocks(mca_coll_pschedule_plan_t *plan,
                                     const mca_coll_pschedule_problem_t *problem,
                                     mca_coll_pschedule_readers_t *readers,
                                     const mca_coll_pschedule_scattering_t *does, void *at);

#endif /* COLL_PSCHEDULE_READERS_H */
