/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of the 21 collectives, and how their buffers look: what the check of arguments, the
 * exchange between the ranks and the making of a problem need to know of each, as data.
 */
#ifndef COLL_PSCHEDULE_SHAPES_H
#define COLL_PSCHEDULE_SHAPES_H

#include "plan/coll_pschedule_problem.h"

/** How the arguments of a buffer describe its blocks. */
typedef enum mca_coll_pschedule_form_t {
    COLL_PSCHEDULE_FORM_EVEN,    /**< all alike, one after another */
    COLL_PSCHEDULE_FORM_STACKED, /**< lists of partitions and counts, one after another */
    COLL_PSCHEDULE_FORM_SPREAD,  /**< lists of partitions, counts, displacements in extents */
    COLL_PSCHEDULE_FORM_TYPED    /**< with datatypes, too; displacements in bytes */
} mca_coll_pschedule_form_t;

/** How many blocks a buffer has. */
typedef enum mca_coll_pschedule_number_t {
    COLL_PSCHEDULE_ONE,
    COLL_PSCHEDULE_PER_RANK,
    COLL_PSCHEDULE_PER_SOURCE,
    COLL_PSCHEDULE_PER_DESTINATION
} mca_coll_pschedule_number_t;

/** Which ranks have a buffer. */
typedef enum mca_coll_pschedule_who_t {
    COLL_PSCHEDULE_ALL,
    COLL_PSCHEDULE_ROOT,
    COLL_PSCHEDULE_NOT_ROOT
} mca_coll_pschedule_who_t;

/** Where MPI_IN_PLACE may stand. */
typedef enum mca_coll_pschedule_in_place_t {
    COLL_PSCHEDULE_NOWHERE,
    COLL_PSCHEDULE_FOR_SEND,
    COLL_PSCHEDULE_FOR_SEND_AT_ROOT,
    COLL_PSCHEDULE_FOR_RECV_AT_ROOT
} mca_coll_pschedule_in_place_t;

/** The exchange in which ranks hear how the contributions that they get are cut. */
typedef enum mca_coll_pschedule_cut_exchange_t {
    COLL_PSCHEDULE_CUTS_KNOWN,       /**< none, all have the same: bcast and reductions */
    COLL_PSCHEDULE_CUTS_TO_ALL,      /**< one cut, to all ranks */
    COLL_PSCHEDULE_CUTS_FROM_ROOT,   /**< a cut per rank, by the root to all */
    COLL_PSCHEDULE_CUTS_TO_EACH,     /**< a cut per rank, to that rank */
    COLL_PSCHEDULE_CUTS_TO_NEIGHBORS /**< a cut per destination, to that neighbour */
} mca_coll_pschedule_cut_exchange_t;

typedef struct mca_coll_pschedule_shape_t {
    mca_coll_pschedule_form_t send_form;
    mca_coll_pschedule_number_t send_blocks;
    mca_coll_pschedule_who_t senders;
    mca_coll_pschedule_form_t recv_form; /**< of reductions: follows from the send side */
    mca_coll_pschedule_number_t recv_blocks;
    mca_coll_pschedule_who_t receivers;
    mca_coll_pschedule_in_place_t in_place;
    mca_coll_pschedule_cut_exchange_t cuts;
    bool rooted;
    bool reduces;
    bool neighbors;
} mca_coll_pschedule_shape_t;

/** Is a rank among those who have a buffer? */
static inline bool mca_coll_pschedule_is_among(mca_coll_pschedule_who_t who, bool is_root)
{
    return COLL_PSCHEDULE_ALL == who || (COLL_PSCHEDULE_ROOT == who) == is_root;
}

/** Names of the collectives as the MCA variables and messages spell them. */
extern const char *const mca_coll_pschedule_names[COLL_PSCHEDULE_COLLECTIVES];

extern const mca_coll_pschedule_shape_t mca_coll_pschedule_shapes[COLL_PSCHEDULE_COLLECTIVES];

#endif /* COLL_PSCHEDULE_SHAPES_H */
