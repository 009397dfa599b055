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
#include "persistent/coll_pschedule_asked.h"
#include "persistent/coll_pschedule_contest.h"
#include "persistent/coll_pschedule_previous.h"

#include <stdatomic.h>

/** A ballot has one number more than contestants: not 0 where the round has failed. */
enum { COLL_PSCHEDULE_FAILED = COLL_PSCHEDULE_CONTESTANTS, COLL_PSCHEDULE_BALLOT };

typedef struct mca_coll_pschedule_rival_t {
    mca_coll_pschedule_contest_t contest;
    ompi_request_t *request; /**< owned */
    ompi_request_t *vote;    /**< an allreduce of `ballot`, owned; NULL: the rival has won */
    uint64_t ballot[COLL_PSCHEDULE_BALLOT]; /**< of this rank; after the vote, of all */
    MPI_Datatype *datatype; /**< what `request` uses; references held */
    size_t datatypes;
    bool votes; /**< in this round, or in the last one, and nobody has looked at that yet */

    ompi_request_t *front; /**< of this round: what completes with it */
    bool timed;            /**< of this round: since `began`, seconds */
    double began;
    atomic_int pending;    /**< of this round: parts that are not over */
    atomic_bool counted;   /**< of this round: the vote, if there is one, is over */
    atomic_int error;      /**< MPI_SUCCESS, or the first one of all rounds: nothing is decided any
                            * more */
    atomic_bool stuck;     /**< a request may never complete */
} mca_coll_pschedule_rival_t;

/** The rival of a call, before it is known whether the ranks want one. NULL: no memory. */
mca_coll_pschedule_rival_t *mca_coll_pschedule_rival_new(const mca_coll_pschedule_asked_t *asked);

/**
 * It is wanted, and who served the call before has made `request`; owned from now on. Collective as
 * an init of MPI is, and sends no message.
 *
 * @return an Open MPI code: who served an allreduce before may make none
 */
int mca_coll_pschedule_rival_join(mca_coll_pschedule_rival_t *rival,
                                  const mca_coll_pschedule_previous_t *previous,
                                  ompi_communicator_t *comm, ompi_request_t *request);

/**
 * A round of the front request begins, which is pending already. If the rival serves it, it has
 * been started.
 *
 * Unless all of it is served here without a vote, it has parts: what is served, the vote, which
 * follows that, and who starts them. The last that is over completes the front request. A rank
 * whose part has failed votes, too, so that the round fails on all: else the others would go on to
 * a turn in which they wait for it. It does not wait for the vote itself: some rank may not take
 * part.
 */
mca_coll_pschedule_turn_t mca_coll_pschedule_rival_begin(mca_coll_pschedule_rival_t *rival,
                                                         ompi_request_t *front);

/** Of a round that has parts: all has been started. The rival may be freed then. */
void mca_coll_pschedule_rival_started(mca_coll_pschedule_rival_t *rival);

/** What is served of the round is over, here or there: likewise, also if it has no parts. */
void mca_coll_pschedule_rival_served(mca_coll_pschedule_rival_t *rival, int error);

/** Between two rounds: what the last one has brought. */
mca_coll_pschedule_result_t mca_coll_pschedule_rival_result(mca_coll_pschedule_rival_t *rival);

/** All rounds are the rival's from now on. */
void mca_coll_pschedule_rival_wins(mca_coll_pschedule_rival_t *rival);

/** Between two rounds, or before it is joined. False: something may never complete, and stays; so
 * must the communicator. */
bool mca_coll_pschedule_rival_free(mca_coll_pschedule_rival_t *rival);

#endif /* COLL_PSCHEDULE_RIVAL_H */
