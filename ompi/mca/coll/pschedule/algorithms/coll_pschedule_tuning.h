/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A tuning file: what has been measured of a machine, for the choice of algorithms. Text, one
 * NAME = VALUE per line; what follows a # is a comment.
 *
 *   version = 1                 must come first
 *   latency = 23                and local_latency, bandwidth, host_bandwidth, copy_bandwidth: as
 *                               the MCA variables of these names
 *   allgather = lanes_ring ranks 16 hosts 4 bytes 65536-
 *                               this row for these calls, where it may serve them: measuring knows
 *                               better than the model. Each range is one number, FROM-TO, FROM- or
 *                               -TO, and may be left out. The first line that fits counts.
 *   persistent_allgather = served ranks 16 hosts 4 bytes 1024-
 *                               or handed_on: what coll_pschedule_persistent auto does with such
 *                               calls of MPI_Allgather_init
 *
 * Bytes are those of the call as the choice sees them: common_bytes of a problem.
 */
#ifndef COLL_PSCHEDULE_TUNING_H
#define COLL_PSCHEDULE_TUNING_H

#include "algorithms/coll_pschedule_select.h"

#include <stdio.h>

enum { COLL_PSCHEDULE_TUNING_VERSION = 1 };

/** A range of numbers, ends included. */
typedef struct mca_coll_pschedule_span_t {
    uint64_t least;
    uint64_t most;
} mca_coll_pschedule_span_t;

/** What is done with a persistent collective of MPI. */
typedef enum mca_coll_pschedule_tuned_t {
    COLL_PSCHEDULE_TUNED_NOT, /**< the file does not say */
    COLL_PSCHEDULE_TUNED_SERVED,
    COLL_PSCHEDULE_TUNED_HANDED_ON
} mca_coll_pschedule_tuned_t;

/** A row for certain calls, or what is done with them. */
typedef struct mca_coll_pschedule_wish_t {
    mca_coll_pschedule_collective_t collective;
    bool persistent; /**< it is about those of MPI */
    int row; /**< 1 + its index in the table; mca_coll_pschedule_tuned_t of persistent ones */
    mca_coll_pschedule_span_t ranks;
    mca_coll_pschedule_span_t hosts;
    mca_coll_pschedule_span_t bytes;
} mca_coll_pschedule_wish_t;

typedef struct mca_coll_pschedule_tuning_t {
    mca_coll_pschedule_rates_t rates; /**< those it does not name are as before */
    uint32_t given;                   /**< bit k: the file names constant k */
    mca_coll_pschedule_wish_t *wish;
    uint32_t wishes;
    char fault[200]; /**< what is wrong with the file; empty: nothing */
} mca_coll_pschedule_tuning_t;

/** The constants of the model by name. */
typedef struct mca_coll_pschedule_constant_t {
    const char *name; /**< in the file, and of the MCA variable */
    size_t offset;    /**< of an unsigned in mca_coll_pschedule_rates_t */
    unsigned least;
} mca_coll_pschedule_constant_t;

enum { COLL_PSCHEDULE_CONSTANTS = 5 };
extern const mca_coll_pschedule_constant_t
    mca_coll_pschedule_constants[COLL_PSCHEDULE_CONSTANTS];

/** One of the constants. */
unsigned *mca_coll_pschedule_constant(mca_coll_pschedule_rates_t *rates, int index);

/**
 * Read a file. What another one has said before is forgotten.
 *
 * @param name  for messages
 * @return false when something is wrong with it: `fault` tells, and nothing else is to be used
 */
bool mca_coll_pschedule_tuning_read(mca_coll_pschedule_tuning_t *tuning, FILE *file,
                                    const char *name);

/** The row that the file has for a problem: 1 + its index in the table, or 0. */
int mca_coll_pschedule_tuning_row(const mca_coll_pschedule_tuning_t *tuning,
                                  const mca_coll_pschedule_problem_t *problem);

/** A number of what the file wishes for a collective, to be compared between ranks. */
uint32_t mca_coll_pschedule_tuning_number(const mca_coll_pschedule_tuning_t *tuning,
                                          mca_coll_pschedule_collective_t collective);

/** What it says of a persistent one. */
mca_coll_pschedule_tuned_t
mca_coll_pschedule_tuning_persistent(const mca_coll_pschedule_tuning_t *tuning,
                                     const mca_coll_pschedule_problem_t *problem);

/** May it have one served, wherever the ranks are? `bytes`: UINT64_MAX: not known. */
bool mca_coll_pschedule_tuning_may_serve(const mca_coll_pschedule_tuning_t *tuning,
                                         mca_coll_pschedule_collective_t collective,
                                         uint64_t bytes);

/** A number of all that it says of persistent ones; 0: nothing. */
uint32_t mca_coll_pschedule_tuning_persistent_number(const mca_coll_pschedule_tuning_t *tuning);

/** Forget all. */
void mca_coll_pschedule_tuning_free(mca_coll_pschedule_tuning_t *tuning);

#endif /* COLL_PSCHEDULE_TUNING_H */
