/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The other way of a contest (see coll_pschedule_rival.h).
 */
#include "persistent/coll_pschedule_rival.h"

#include "persistent/coll_pschedule_persistent_params.h"

#include "api/part_ucx_complete.h"

#include <sched.h>
#include <stdlib.h>

#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/errhandler/errcode.h"

typedef mca_coll_pschedule_rival_t rival_t;

/* ---- making ---- */

/* Open MPI keeps no datatypes for persistent collectives; the program may free them. */
static bool keep_datatypes(rival_t *rival, const mca_coll_pschedule_asked_t *asked)
{
    size_t count = mca_coll_pschedule_asked_datatypes(asked, NULL);

    rival->datatype = calloc(count + 1, sizeof(*rival->datatype));
    if (NULL == rival->datatype) {
        return false;
    }
    rival->datatypes = mca_coll_pschedule_asked_datatypes(asked, rival->datatype);
    for (size_t i = 0; i < rival->datatypes; ++i) {
        if (!ompi_datatype_is_predefined(rival->datatype[i])) {
            OBJ_RETAIN(rival->datatype[i]);
        }
    }
    return true;
}

static void release_datatypes(rival_t *rival)
{
    for (size_t i = 0; i < rival->datatypes; ++i) {
        if (!ompi_datatype_is_predefined(rival->datatype[i])) {
            OBJ_RELEASE(rival->datatype[i]);
        }
    }
    free(rival->datatype);
}

rival_t *mca_coll_pschedule_rival_new(const mca_coll_pschedule_asked_t *asked)
{
    rival_t *rival = calloc(1, sizeof(*rival));

    if (NULL == rival || !keep_datatypes(rival, asked)) {
        free(rival);
        return NULL;
    }
    mca_coll_pschedule_contest_make(&rival->contest, mca_coll_pschedule_persistent_params.trial);
    return rival;
}

/* Seen in stacks, by which the tests know what Open MPI does not give back (lsan.supp). */
static void vote_served_before(rival_t *rival, const mca_coll_pschedule_previous_t *previous,
                               ompi_communicator_t *comm, int *outcome)
{
    *outcome = previous->allreduce(MPI_IN_PLACE, rival->ballot, COLL_PSCHEDULE_BALLOT,
                                   MPI_UINT64_T, MPI_MAX, comm, MPI_INFO_NULL, &rival->vote,
                                   previous->allreduce_module);
}

int mca_coll_pschedule_rival_join(rival_t *rival, const mca_coll_pschedule_previous_t *previous,
                                  ompi_communicator_t *comm, ompi_request_t *request)
{
    int outcome;

    rival->request = request;
    vote_served_before(rival, previous, comm, &outcome);
    if (OMPI_SUCCESS != outcome) {
        rival->vote = NULL;
    }
    return outcome;
}

/* ---- a round ---- */

/* All of the round is over. */
static void complete(rival_t *rival, int error)
{
    ompi_request_t *front = rival->front;

    front->req_status.MPI_ERROR = error;
    mca_part_ucx_complete(front); /* who waits for it may free the rival */
}

/* Says whether it is the first. */
static bool note_error(rival_t *rival, int error)
{
    int none = MPI_SUCCESS;

    return MPI_SUCCESS != error
           && atomic_compare_exchange_strong(&rival->error, &none,
                                             ompi_errcode_get_mpi_code(error));
}

static void parts_over(rival_t *rival, int parts)
{
    if (parts == atomic_fetch_sub(&rival->pending, parts)) {
        complete(rival, atomic_load(&rival->error));
    }
}

/* A part of the round is over. After an error the vote, if it is not over, counts as if it were. */
static void settle(rival_t *rival, int error)
{
    int parts = 1;

    (void) note_error(rival, error);
    if (MPI_SUCCESS != error && !atomic_exchange(&rival->counted, true)) {
        atomic_store(&rival->stuck, true);
        ++parts;
    }
    parts_over(rival, parts);
}

void mca_coll_pschedule_rival_started(rival_t *rival)
{
    settle(rival, MPI_SUCCESS);
}

/* The vote is over, or could not be started. */
static void settle_vote(rival_t *rival, int error)
{
    if (!atomic_exchange(&rival->counted, true)) {
        settle(rival, error);
    }
}

/* Called by Open MPI before the request counts as complete: see await(). */
static int vote_over(ompi_request_t *vote)
{
    rival_t *rival = vote->req_complete_cb_data;
    int error = vote->req_status.MPI_ERROR;

    settle_vote(rival, MPI_SUCCESS == error && 0 != rival->ballot[COLL_PSCHEDULE_FAILED]
                           ? MPI_ERR_OTHER
                           : error);
    return OMPI_SUCCESS;
}

/* Another thread may be about to complete it: it has called one of these. Nobody waits for it by
 * MPI_Wait, which would make it inactive. */
static void await(ompi_request_t *request)
{
    while (!REQUEST_COMPLETE(request)) {
        sched_yield();
    }
    atomic_thread_fence(memory_order_acquire);
    request->req_state = OMPI_REQUEST_INACTIVE;
}

/* A rank without anything to move has a request that nobody starts. */
static bool is_empty(const ompi_request_t *request)
{
    return OMPI_REQUEST_NOOP == request->req_type || NULL == request->req_start;
}

/* Returns an Open MPI code. */
static int start(rival_t *rival, ompi_request_t *request, ompi_request_complete_fn_t over)
{
    int rc;

    await(request);
    request->req_complete_cb = over;
    request->req_complete_cb_data = rival;
    rc = request->req_start(1, &request);
    if (OMPI_SUCCESS != rc) {
        atomic_store(&rival->stuck, true);
    }
    return rc;
}

static void start_vote(rival_t *rival, int error)
{
    int rc;

    mca_coll_pschedule_contest_ballot(&rival->contest, rival->ballot);
    rival->ballot[COLL_PSCHEDULE_FAILED] = MPI_SUCCESS != error;
    rc = start(rival, rival->vote, vote_over);
    if (OMPI_SUCCESS != rc) {
        settle_vote(rival, rc);
    }
}

/* What this round is for has been done, or has failed: what follows takes no time of it. */
static void stop_clock(rival_t *rival)
{
    if (rival->timed) {
        mca_coll_pschedule_contest_add(&rival->contest,
                                       (uint64_t) (1e9 * (PMPI_Wtime() - rival->began)));
    }
}

/* The first error, in a round without a vote. Others may be ahead, and wait at their next vote:
 * they hear of it there. Nobody waits for it here, and this rank may never start its request again.
 */
static void vote_at_once(rival_t *rival, int error)
{
    if (NULL != rival->vote) {
        atomic_store(&rival->counted, true);
        atomic_store(&rival->stuck, true);
        start_vote(rival, error);
    }
}

void mca_coll_pschedule_rival_served(rival_t *rival, int error)
{
    bool first = note_error(rival, error); /* before that of the vote */

    stop_clock(rival);
    if (rival->votes) {
        start_vote(rival, error);
    } else if (first) {
        vote_at_once(rival, error);
    }
    if (0 == atomic_load(&rival->pending)) {
        complete(rival, error);
    } else {
        settle(rival, error);
    }
}

/* As vote_over(). */
static int request_over(ompi_request_t *request)
{
    mca_coll_pschedule_rival_served(request->req_complete_cb_data, request->req_status.MPI_ERROR);
    return OMPI_SUCCESS;
}

static void start_request(rival_t *rival)
{
    bool empty = is_empty(rival->request);
    int rc = empty ? OMPI_SUCCESS : start(rival, rival->request, request_over);

    if (empty || OMPI_SUCCESS != rc) {
        mca_coll_pschedule_rival_served(rival, rc);
    }
}

/* What this rank has not started others wait for: so what is served here is started all the same.
 * If its links have failed, that tells them. */
static mca_coll_pschedule_turn_t begin_failed(rival_t *rival, mca_coll_pschedule_turn_t turn)
{
    rival->timed = rival->votes = turn.votes = false;
    atomic_store(&rival->pending, COLL_PSCHEDULE_HERE == turn.who ? 0 : 1);
    return turn;
}

mca_coll_pschedule_turn_t mca_coll_pschedule_rival_begin(rival_t *rival, ompi_request_t *front)
{
    mca_coll_pschedule_turn_t turn = {.who = COLL_PSCHEDULE_THERE};

    if (NULL != rival->vote) {
        turn = mca_coll_pschedule_contest_next(&rival->contest);
    }
    rival->front = front;
    if (MPI_SUCCESS != atomic_load(&rival->error)) {
        return begin_failed(rival, turn);
    }
    rival->votes = turn.votes;
    rival->timed = turn.timed;
    rival->began = turn.timed ? PMPI_Wtime() : 0.0;
    if (COLL_PSCHEDULE_HERE == turn.who && !turn.votes) {
        return turn;
    }
    atomic_store(&rival->counted, !turn.votes);
    atomic_store(&rival->pending, turn.votes ? 3 : 2);
    if (COLL_PSCHEDULE_THERE == turn.who) {
        start_request(rival);
    }
    return turn;
}

/* ---- the outcome ---- */

mca_coll_pschedule_result_t mca_coll_pschedule_rival_result(rival_t *rival)
{
    bool voted = rival->votes;

    rival->votes = false;
    return voted && MPI_SUCCESS == atomic_load(&rival->error)
               ? mca_coll_pschedule_contest_count(&rival->contest, rival->ballot)
               : COLL_PSCHEDULE_GOES_ON;
}

static void give_up(ompi_request_t **request)
{
    if (NULL != *request) {
        await(*request);
        (void) (*request)->req_free(request);
        *request = NULL;
    }
}

void mca_coll_pschedule_rival_wins(rival_t *rival)
{
    give_up(&rival->vote);
}

bool mca_coll_pschedule_rival_free(rival_t *rival)
{
    bool stuck = atomic_load(&rival->stuck);

    if (!stuck) {
        give_up(&rival->vote);
        give_up(&rival->request);
        release_datatypes(rival);
        free(rival);
    }
    return !stuck;
}
