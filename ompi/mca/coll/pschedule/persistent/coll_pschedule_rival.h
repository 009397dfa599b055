/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The same persistent collective as who served it before makes it: the other way of a contest
 * (coll_pschedule_contest.h). Belongs to the request that the program has (front_request), which
 * starts either this or its own.
 *
 * All ranks make their rivals in the same call, and let them go in the same round.
 */
#ifndef COLL_PSCHEDULE_RIVAL_H
#define COLL_PSCHEDULE_RIVAL_H

#include "ompi_config.h"
#include "ompi/request/request.h"
#include "persistent/coll_pschedule_contest.h"
#include "persistent/coll_pschedule_previous.h"

#include <stdatomic.h>

typedef struct mca_coll_pschedule_rival_t {
    mca_coll_pschedule_contest_t contest;
    ompi_request_t *request; /**< owned */
    ompi_request_t *vote;    /**< an allreduce of `ballot`, owned; NULL: the rival has won */
    uint64_t ballot[COLL_PSCHEDULE_CONTESTANTS]; /**< of this rank; after the vote, of all */
    bool voted; /**< in the last round, and nobody has looked at that yet */
    bool stuck; /**< a request could not be started, so that it never completes */

    ompi_request_t *front; /**< of this round: what completes with it */
    atomic_int pending;    /**< of this round: parts that are not over */
    atomic_int error;      /**< MPI_SUCCESS, or the first one */
} mca_coll_pschedule_rival_t;

/**
 * The rival of a call, for which who served it before has made `request`; owned. Collective as an
 * init of MPI is, and sends no message.
 *
 * @return NULL: no memory, and `request` is still the caller's
 */
mca_coll_pschedule_rival_t *
mca_coll_pschedule_rival_new(const mca_coll_pschedule_previous_t *previous,
                             ompi_communicator_t *comm, ompi_request_t *request);

/**
 * A round of the front request begins, which is pending already. What is the rival's of it has been
 * started: all, or a vote, or nothing.
 *
 * Unless all of it is served here without a vote, it has parts: what is served, the vote, and who
 * starts them. The last that is over completes the front
 * request.
 */
mca_coll_pschedule_turn_t mca_coll_pschedule_rival_begin(mca_coll_pschedule_rival_t *rival,
                                                         ompi_request_t *front);

/** A part of the round is over. The rival may be freed then. */
void mca_coll_pschedule_rival_settle(mca_coll_pschedule_rival_t *rival, int error);

/** What is served here of the round is over: likewise, also if it has no parts. */
void mca_coll_pschedule_rival_here_over(mca_coll_pschedule_rival_t *rival, int error);

/** Between two rounds: what the last one has brought. */
mca_coll_pschedule_result_t mca_coll_pschedule_rival_result(mca_coll_pschedule_rival_t *rival);

/** All rounds are the rival's from now on. */
void mca_coll_pschedule_rival_wins(mca_coll_pschedule_rival_t *rival);

/** Between two rounds. */
void mca_coll_pschedule_rival_free(mca_coll_pschedule_rival_t *rival);

/** The same, but its request is the caller's again. */
ompi_request_t *mca_coll_pschedule_rival_give_back(mca_coll_pschedule_rival_t *rival);

#endif /* COLL_PSCHEDULE_RIVAL_H */
