/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The other way of a contest (see coll_pschedule_rival.h).
 */
#include "persistent/coll_pschedule_rival.h"

#include "persistent/coll_pschedule_settings.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "ompi/constants.h"

typedef mca_coll_pschedule_rival_t rival_t;

/* ---- making ---- */

/* Seen in stacks, by which the tests know what Open MPI does not give back (lsan.supp). */
static void vote_served_before(rival_t *rival, const mca_coll_pschedule_previous_t *previous,
                               ompi_communicator_t *comm, int *outcome)
{
    *outcome = previous->allreduce(MPI_IN_PLACE, rival->ballot, COLL_PSCHEDULE_CONTESTANTS,
                                   MPI_UINT64_T, MPI_MAX, comm, MPI_INFO_NULL, &rival->vote,
                                   previous->allreduce_module);
}

rival_t *mca_coll_pschedule_rival_new(const mca_coll_pschedule_previous_t *previous,
                                      ompi_communicator_t *comm, ompi_request_t *request)
{
    rival_t *rival = calloc(1, sizeof(*rival));
    int outcome;

    if (NULL == rival) {
        return NULL;
    }
    mca_coll_pschedule_contest_make(&rival->contest, mca_coll_pschedule_settings.trial);
    vote_served_before(rival, previous, comm, &outcome);
    if (OMPI_SUCCESS != outcome) {
        free(rival);
        return NULL;
    }
    rival->request = request;
    return rival;
}

/* ---- a round ---- */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
}

/* All of the round is over. */
static void complete(rival_t *rival, int error)
{
    ompi_request_t *front = rival->front;

    if (NULL != rival->vote) {
        mca_coll_pschedule_contest_over(&rival->contest, now_ns());
    }
    front->req_status.MPI_ERROR = error;
    ompi_request_complete(front, true); /* who waits for it may free the rival */
}

void mca_coll_pschedule_rival_settle(rival_t *rival, int error)
{
    int none = MPI_SUCCESS;

    if (MPI_SUCCESS != error) {
        (void) atomic_compare_exchange_strong(&rival->error, &none, error);
    }
    if (1 == atomic_fetch_sub(&rival->pending, 1)) {
        complete(rival, atomic_load(&rival->error));
    }
}

void mca_coll_pschedule_rival_here_over(rival_t *rival, int error)
{
    if (0 == atomic_load(&rival->pending)) {
        complete(rival, error);
    } else {
        mca_coll_pschedule_rival_settle(rival, error);
    }
}

/* Called by Open MPI before `request` counts as complete: see await(). */
static int request_over(ompi_request_t *request)
{
    mca_coll_pschedule_rival_settle(request->req_complete_cb_data, request->req_status.MPI_ERROR);
    return OMPI_SUCCESS;
}

/* Another thread may be about to complete it: it has called request_over(). */
static void await(const ompi_request_t *request)
{
    while (!REQUEST_COMPLETE(request)) {
        sched_yield();
    }
    atomic_thread_fence(memory_order_acquire);
}

/* A rank without anything to move has a request that nobody starts. */
static bool is_empty(const ompi_request_t *request)
{
    return OMPI_REQUEST_NOOP == request->req_type || NULL == request->req_start;
}

static void start(rival_t *rival, ompi_request_t *request)
{
    int rc;

    if (is_empty(request)) {
        mca_coll_pschedule_rival_settle(rival, MPI_SUCCESS);
        return;
    }
    await(request);
    request->req_complete_cb = request_over;
    request->req_complete_cb_data = rival;
    rc = request->req_start(1, &request);
    if (OMPI_SUCCESS != rc) {
        rival->stuck = true;
        mca_coll_pschedule_rival_settle(rival, rc);
    }
}

mca_coll_pschedule_turn_t mca_coll_pschedule_rival_begin(rival_t *rival, ompi_request_t *front)
{
    mca_coll_pschedule_turn_t turn = {.who = COLL_PSCHEDULE_THERE};

    rival->front = front;
    if (MPI_SUCCESS != atomic_load(&rival->error)) { /* of no further use */
        atomic_store(&rival->pending, 1);
        return turn;
    }
    if (NULL != rival->vote) {
        turn = mca_coll_pschedule_contest_next(&rival->contest, now_ns());
    }
    rival->voted = turn.votes;
    if (COLL_PSCHEDULE_HERE == turn.who && !turn.votes) {
        return turn;
    }
    atomic_store(&rival->pending, turn.votes ? 3 : 2);
    if (COLL_PSCHEDULE_THERE == turn.who) {
        start(rival, rival->request);
    }
    if (turn.votes) {
        mca_coll_pschedule_contest_ballot(&rival->contest, rival->ballot);
        start(rival, rival->vote);
    }
    return turn;
}

/* ---- the outcome ---- */

mca_coll_pschedule_result_t mca_coll_pschedule_rival_result(rival_t *rival)
{
    bool voted = rival->voted;

    rival->voted = false;
    return voted && MPI_SUCCESS == atomic_load(&rival->error)
               ? mca_coll_pschedule_contest_count(&rival->contest, rival->ballot)
               : COLL_PSCHEDULE_GOES_ON;
}

/* One whose start has failed may never complete, and cannot be freed then. */
static void give_up(rival_t *rival, ompi_request_t **request)
{
    if (NULL != *request && !rival->stuck) {
        await(*request);
        (void) (*request)->req_free(request);
    }
    *request = NULL;
}

void mca_coll_pschedule_rival_wins(rival_t *rival)
{
    give_up(rival, &rival->vote);
}

ompi_request_t *mca_coll_pschedule_rival_give_back(rival_t *rival)
{
    ompi_request_t *request = rival->request;

    rival->request = NULL;
    mca_coll_pschedule_rival_free(rival);
    return request;
}

void mca_coll_pschedule_rival_free(rival_t *rival)
{
    give_up(rival, &rival->vote);
    give_up(rival, &rival->request);
    free(rival);
}
