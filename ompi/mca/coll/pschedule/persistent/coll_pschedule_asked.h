/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What MPI_<collective>_init asks for, as the call of the partitioned collective that does it. The
 * lists of the program are copied: it may free them when init returns.
 */
#ifndef COLL_PSCHEDULE_ASKED_H
#define COLL_PSCHEDULE_ASKED_H

#include "call/coll_pschedule_call.h"
#include "call/coll_pschedule_interface.h"
#include "plan/coll_pschedule_shapes.h"

/** The lists of a buffer whose blocks differ. */
typedef struct mca_coll_pschedule_lists_t {
    int blocks;      /**< 0: MPI does not look at this buffer on this rank */
    MPI_Count total; /**< of the counts, also when there is no memory for copies of them */
    MPI_Count most;  /**< likewise: the largest */
    int *partitions;
    MPI_Count *counts;
    MPI_Aint *displacements;
} mca_coll_pschedule_lists_t;

typedef struct mca_coll_pschedule_asked_t {
    mca_coll_pschedule_call_t call; /**< MPI_ERR_NO_MEM in `error` when memory is short */
    mca_coll_pschedule_lists_t send;
    mca_coll_pschedule_lists_t recv;
    struct mca_coll_pschedule_rival_t *rival; /**< if it is served, and tried beside the one of who
                                               * served it before: to be joined by that */
} mca_coll_pschedule_asked_t;

/** All but the buffers. To be freed. */
void mca_coll_pschedule_asked_begin(mca_coll_pschedule_asked_t *asked,
                                    mca_coll_pschedule_collective_t collective, MPI_Comm comm,
                                    MPI_Info info, int root);

void mca_coll_pschedule_asked_free(mca_coll_pschedule_asked_t *asked);

/** A buffer of blocks that are all alike, as many as the collective has. */
mca_coll_pschedule_side_t mca_coll_pschedule_asked_even(const void *buffer, MPI_Count count,
                                                        MPI_Datatype datatype);

/* One of both buffers has blocks with counts of their own. Then displacements: int ones, or wide
 * ones; none: they lie one after another. */
void mca_coll_pschedule_asked_list(mca_coll_pschedule_asked_t *asked,
                                   mca_coll_pschedule_lists_t *lists,
                                   mca_coll_pschedule_side_t *side, const void *buffer,
                                   mca_coll_pschedule_counts_t counts, MPI_Datatype datatype);
void mca_coll_pschedule_asked_at(mca_coll_pschedule_lists_t *lists, mca_coll_pschedule_side_t *side,
                                 mca_coll_pschedule_displs_t displs);
void mca_coll_pschedule_asked_wide(mca_coll_pschedule_lists_t *lists,
                                   mca_coll_pschedule_side_t *side,
                                   mca_coll_pschedule_wide_displs_t displs);

/**
 * The bytes of data of the largest contribution (of the whole for reductions), where MPI demands
 * that all ranks give the same; else false: what this rank contributes says nothing of others.
 */
bool mca_coll_pschedule_asked_bytes(const mca_coll_pschedule_asked_t *asked, uint64_t *bytes);

/** Is the result the same to the last bit, whoever makes it? Not of reductions of numbers that are
 * rounded, nor with operators of the user. All ranks find the same. */
bool mca_coll_pschedule_asked_is_exact(const mca_coll_pschedule_asked_t *asked);

/** The datatypes that MPI looks at on this rank; not of reductions. Returns how many.
 * @param[out] list  room for as many; NULL: only count them */
size_t mca_coll_pschedule_asked_datatypes(const mca_coll_pschedule_asked_t *asked,
                                          MPI_Datatype *list);

#endif /* COLL_PSCHEDULE_ASKED_H */
