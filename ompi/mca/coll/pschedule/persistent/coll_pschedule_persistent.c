/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What becomes of a call for a persistent collective (see coll_pschedule_persistent.h).
 */
#include "persistent/coll_pschedule_persistent.h"

#include "persistent/coll_pschedule_counters.h"
#include "persistent/coll_pschedule_entries.h"
#include "persistent/coll_pschedule_front_request.h"
#include "persistent/coll_pschedule_persistent_params.h"
#include "persistent/coll_pschedule_verdict.h"

#include "call/coll_pschedule_agree.h"
#include "call/coll_pschedule_help.h"
#include "call/coll_pschedule_neighbors.h"
#include "plan/coll_pschedule_mix.h"

#include <stdatomic.h>

#include "ompi/constants.h"
#include "ompi/errhandler/errcode.h"

typedef mca_coll_pschedule_persistent_t persistent_t;
typedef mca_coll_pschedule_asked_t asked_t;

static const mca_coll_pschedule_tuning_t no_tuning;

mca_coll_pschedule_persistent_params_t mca_coll_pschedule_persistent_params
    = {.mode = COLL_PSCHEDULE_MODE_AUTO, .trial = 64, .tuning = &no_tuning};

uint32_t mca_coll_pschedule_persistent_number(int priority)
{
    const mca_coll_pschedule_persistent_params_t *params = &mca_coll_pschedule_persistent_params;
    bool chooses = COLL_PSCHEDULE_MODE_AUTO == params->mode;
    const uint32_t part[] = {(uint32_t) priority,
                             (uint32_t) params->mode,
                             chooses ? mca_coll_pschedule_verdict_number() : 0,
                             chooses ? params->trial : 0,
                             chooses && params->inexact,
                             chooses ? mca_coll_pschedule_tuning_persistent_number(params->tuning)
                                     : 0};
    uint32_t mixed = mca_coll_pschedule_mix_all(0, part, sizeof(part) / sizeof(part[0]));

    if (COLL_PSCHEDULE_MODE_OFF == params->mode) {
        return 0;
    }
    return 0 == mixed ? 1 : mixed;
}

/* ---- on a communicator ---- */

void mca_coll_pschedule_persistent_enable(mca_coll_pschedule_module_t *module,
                                          persistent_t *persistent,
                                          mca_coll_pschedule_peers_t *peers,
                                          ompi_communicator_t *comm)
{
    if (COLL_PSCHEDULE_MODE_OFF == mca_coll_pschedule_persistent_params.mode
        || OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2) {
        return;
    }
    *persistent = (persistent_t) {.peers = peers};
    module->persistent = persistent;
    mca_coll_pschedule_previous_save(&persistent->previous, comm);
    mca_coll_pschedule_entries_install(&module->super, &persistent->previous, comm);
}

void mca_coll_pschedule_persistent_disable(mca_coll_pschedule_module_t *module,
                                           ompi_communicator_t *comm)
{
    if (NULL != module->persistent) {
        mca_coll_pschedule_previous_restore(&module->persistent->previous, &module->super, comm);
    }
}

void mca_coll_pschedule_persistent_free(mca_coll_pschedule_module_t *module)
{
    if (NULL != module->persistent) {
        mca_coll_pschedule_previous_release(&module->persistent->previous);
        module->persistent = NULL;
    }
}

/* ---- a call ---- */

/* What is found on the way. */
typedef struct choice_t {
    persistent_t *persistent;
    asked_t *asked;
    bool contested;
    const char *why;
} choice_t;

static bool is_auto(void)
{
    return COLL_PSCHEDULE_MODE_AUTO == mca_coll_pschedule_persistent_params.mode;
}

/* Not the call has failed, but the communicator. */
static bool is_broken(int error)
{
#if defined(MPI_ERR_PROC_FAILED) && defined(MPI_ERR_REVOKED)
    return MPI_ERR_PROC_FAILED == error || MPI_ERR_REVOKED == error;
#else
    (void) error;
    return false;
#endif
}

/* All processes serve a persistent collective, or none. So what is not known is an error. */
static int ask_peers(choice_t *choice)
{
    mca_coll_pschedule_peers_t *peers = choice->persistent->peers;

    mca_coll_pschedule_peers_ask(choice->asked->call.comm, peers);
    if (!peers->known) {
        mca_coll_pschedule_help("no-answer", (int) peers->unanswered);
        return MPI_ERR_OTHER;
    }
    choice->why = "some process does not serve, or with other settings";
    return peers->serve && peers->stranger < 0 ? MPI_SUCCESS : COLL_PSCHEDULE_HANDED_ON;
}

/* Processes of one job agree on which of them are on one node. */
static mca_coll_pschedule_where_t place_of(const choice_t *choice)
{
    if (!ompi_group_have_remote_peers(choice->asked->call.comm->c_local_group)) {
        return COLL_PSCHEDULE_ONE_NODE;
    }
    return COLL_PSCHEDULE_PROSPECT_BAD == choice->persistent->prospect
               ? COLL_PSCHEDULE_NODES_IN_VAIN
               : COLL_PSCHEDULE_NODES;
}

/* Is it sure that this is not served, by what all ranks know alone? Then nobody is asked, no path
 * is opened, nothing is agreed on. */
static bool is_out(choice_t *choice)
{
    mca_coll_pschedule_where_t place = place_of(choice);
    uint64_t bytes = UINT64_MAX;

    choice->why = COLL_PSCHEDULE_NODES_IN_VAIN == place
                      ? "some rank has one network path only, or none like Open MPI's own"
                      : "not known to be faster here with so many bytes";
    (void) mca_coll_pschedule_asked_bytes(choice->asked, &bytes);
    return is_auto()
           && !mca_coll_pschedule_verdict_early(choice->asked->call.collective, bytes, place);
}

/* Once per communicator of several nodes, before any path is opened. */
static int see_prospect(mca_coll_pschedule_module_t *module, choice_t *choice)
{
    mca_coll_pschedule_prospect_t *prospect = &choice->persistent->prospect;
    bool all;
    int error;

    if (!is_auto() || COLL_PSCHEDULE_NODES != place_of(choice)
        || COLL_PSCHEDULE_PROSPECT_UNKNOWN != *prospect) {
        return MPI_SUCCESS;
    }
    error = mca_coll_pschedule_agree_on_all(choice->asked->call.comm, module->gains(), &all);
    if (MPI_SUCCESS != error) {
        return is_broken(error) ? error : COLL_PSCHEDULE_HANDED_ON;
    }
    *prospect = all ? COLL_PSCHEDULE_PROSPECT_GOOD : COLL_PSCHEDULE_PROSPECT_BAD;
    return is_out(choice) ? COLL_PSCHEDULE_HANDED_ON : MPI_SUCCESS;
}

/* What Open MPI (5.0 to main) makes for a persistent collective is not given back when its request
 * is freed: a schedule, and of reductions memory for the data. So a process has so many contests,
 * and none for large reductions. */
#define CONTESTS        256
#define CONTESTED_BYTES (UINT64_C(64) * 1024)

static atomic_uint contests;

static bool is_small_enough(const asked_t *asked)
{
    uint64_t bytes = 0;

    return !mca_coll_pschedule_shapes[asked->call.collective].reduces
           || (mca_coll_pschedule_asked_bytes(asked, &bytes) && bytes <= CONTESTED_BYTES);
}

/*
 * What is right shall not become wrong. Open MPI's own (5.0 to main)
 *   - take buffers that begin at one address for one buffer, as in MPI_IN_PLACE, also where the
 *     blocks that are sent and received lie apart;
 *   - mix up the blocks of neighbours who meet twice: all of an alltoall have one tag.
 */
static bool is_right_there(const mca_coll_pschedule_call_t *call)
{
    if (NULL != call->send.buffer && call->send.buffer == call->recv.buffer) {
        return false;
    }
    switch (call->collective) {
    case COLL_PSCHEDULE_NEIGHBOR_ALLTOALL:
    case COLL_PSCHEDULE_NEIGHBOR_ALLTOALLV:
    case COLL_PSCHEDULE_NEIGHBOR_ALLTOALLW:
        return !mca_coll_pschedule_neighbors_meet_twice(call->comm);
    default:
        return true;
    }
}

/* Does this rank have nothing against a contest? Its votes are counted by who served an allreduce
 * before. */
static bool may_be_contested(const choice_t *choice)
{
    const asked_t *asked = choice->asked;

    return MPI_SUCCESS == asked->call.error && is_auto()
           && 0 != mca_coll_pschedule_persistent_params.trial
           && (mca_coll_pschedule_persistent_params.inexact
               || mca_coll_pschedule_asked_is_exact(asked))
           && is_small_enough(asked) && is_right_there(&asked->call)
           && NULL != choice->persistent->previous.allreduce && atomic_load(&contests) < CONTESTS;
}

/* All ranks agree on what is asked for. */
static bool wants(void *context, const mca_coll_pschedule_problem_t *problem, bool uncontested)
{
    choice_t *choice = context;
    bool good = !is_auto() || mca_coll_pschedule_verdict(problem);

    choice->contested = !uncontested;
    choice->why = good ? "" : "not known to be faster here in this place";
    return good;
}

/* The call is not contested. */
static void drop_rival(asked_t *asked)
{
    if (NULL != asked->rival) {
        (void) mca_coll_pschedule_rival_free(asked->rival);
        asked->rival = NULL;
    }
}

static int make(mca_coll_pschedule_module_t *module, choice_t *choice, ompi_request_t **request)
{
    mca_coll_pschedule_call_t *call = &choice->asked->call;
    mca_coll_pschedule_front_request_t *served
        = mca_coll_pschedule_front_request_new(call->comm, call->collective);
    mca_coll_pschedule_front_t front = {.over = mca_coll_pschedule_front_request_over,
                                        .wants = wants,
                                        .context = choice};
    int error;

    if (may_be_contested(choice)) {
        choice->asked->rival = mca_coll_pschedule_rival_new(choice->asked);
    }
    front.uncontested = NULL == choice->asked->rival;
    call->front = &front;
    if (NULL == served) {
        call->error = MPI_ERR_NO_MEM; /* the other ranks must hear of it */
    } else {
        front.request = &served->super.super;
    }
    choice->why = "some rank cannot";
    error = module->init(module, call, NULL == served ? NULL : &served->inner);
    if (MPI_SUCCESS != error || !choice->contested) {
        drop_rival(choice->asked);
    }
    if (MPI_SUCCESS == error) {
        *request = &served->super.super;
        return MPI_SUCCESS;
    }
    if (NULL != served) {
        mca_coll_pschedule_front_request_drop(served);
    }
    return is_broken(error) ? error : COLL_PSCHEDULE_HANDED_ON;
}

/* One line for each outcome per communicator and collective. */
static void tell(const choice_t *choice, bool served)
{
    const mca_coll_pschedule_call_t *call = &choice->asked->call;
    unsigned char *told = &choice->persistent->told[call->collective];
    unsigned char bit = served ? 1 : 2;

    if (0 == (*told & bit) && 0 == ompi_comm_rank(call->comm)) {
        COLL_PSCHEDULE_VERBOSE(1, "persistent %s on %s: %s%s%s",
                               mca_coll_pschedule_names[call->collective], call->comm->c_name,
                               served ? "served" : "handed on", '\0' == *choice->why ? "" : ", ",
                               choice->why);
    }
    *told |= bit;
}

int mca_coll_pschedule_persistent_serve(mca_coll_pschedule_module_t *module, asked_t *asked,
                                        ompi_request_t **request)
{
    choice_t choice = {.persistent = module->persistent, .asked = asked};
    int outcome = is_out(&choice) ? COLL_PSCHEDULE_HANDED_ON : ask_peers(&choice);

    if (MPI_SUCCESS == outcome) {
        outcome = see_prospect(module, &choice);
    }
    if (MPI_SUCCESS == outcome) {
        outcome = make(module, &choice, request);
    }
    if (MPI_SUCCESS == outcome || COLL_PSCHEDULE_HANDED_ON == outcome) {
        mca_coll_pschedule_counters_add(MPI_SUCCESS == outcome);
        tell(&choice, MPI_SUCCESS == outcome);
    }
    return outcome;
}

int mca_coll_pschedule_persistent_contest(mca_coll_pschedule_module_t *module, const asked_t *asked,
                                          int rc, ompi_request_t *rival, ompi_request_t **request)
{
    mca_coll_pschedule_front_request_t *front = (mca_coll_pschedule_front_request_t *) *request;

    ++contests;
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_pschedule_rival_join(asked->rival, &module->persistent->previous,
                                           asked->call.comm, rival);
    }
    /* All ranks have one, or none does. */
    rc = OMPI_SUCCESS == rc ? MPI_SUCCESS : ompi_errcode_get_mpi_code(rc);
    rc = mca_coll_pschedule_agree_on_outcome(asked->call.comm, rc);
    if (MPI_SUCCESS == rc) {
        front->rival = asked->rival;
        return MPI_SUCCESS;
    }
    /* Where one could not be made, its rank has counted fewer nonblocking collectives than others:
     * so the communicator is of no further use. */
    (void) mca_coll_pschedule_rival_free(asked->rival);
    (void) (*request)->req_free(request);
    return rc;
}
