/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_P<collective>_init: resolve the call, choose an algorithm, build the plan, open the links.
 * Collective, and the outcome is agreed on: either all ranks get a request or none does.
 */
#include "coll_pschedule.h"

#include "call/coll_pschedule_help.h"
#include "call/coll_pschedule_relay_cuts.h"
#include "call/coll_pschedule_resolve.h"
#include "coll_pschedule_choice.h"
#include "coll_pschedule_memory.h"
#include "coll_pschedule_module.h"
#include "coll_pschedule_request.h"
#include "plan/coll_pschedule_freeze.h"

#include <limits.h>
#include <stdatomic.h>


/* ---- the plan ---- */

/* The plan could not be frozen: tell the user why. */
static int explain(const mca_coll_pschedule_plan_t *plan,
                   const mca_coll_pschedule_problem_t *problem,
                   const mca_coll_pschedule_algorithm_t *algorithm)
{
    const char *name = mca_coll_pschedule_names[problem->collective];

    if (plan->send_partitions > COLL_PSCHEDULE_KEY_PARTITIONS
        || plan->recv_partitions > COLL_PSCHEDULE_KEY_PARTITIONS) {
        mca_coll_pschedule_help("partitions", name, problem->rank, COLL_PSCHEDULE_KEY_PARTITIONS);
        return MPI_ERR_ARG;
    }
    if (mca_coll_pschedule_no_memory == plan->fault) {
        return MPI_ERR_NO_MEM;
    }
    if (problem->common_partitions > COLL_PSCHEDULE_KEY_PARTITIONS) {
        return MPI_ERR_OTHER; /* another rank's, which says so */
    }
    opal_output(0, "coll/pschedule: %s %s: %s", name, algorithm->name, plan->fault);
    return MPI_ERR_INTERN;
}

static int build_plan(mca_coll_pschedule_request_t *request,
                      const mca_coll_pschedule_problem_t *problem,
                      const mca_coll_pschedule_algorithm_t *algorithm)
{
    request->plan = mca_coll_pschedule_plan_new(problem);
    if (NULL == request->plan) {
        return MPI_ERR_NO_MEM;
    }
    algorithm->build(request->plan, problem);
    if (!mca_coll_pschedule_plan_freeze(request->plan)) {
        return explain(request->plan, problem, algorithm);
    }
    COLL_PSCHEDULE_VERBOSE(2, "rank %d: %u nodes, %u transfers on %u links, %llu bytes of scratch",
                           problem->rank, request->plan->nodes, request->plan->transfers,
                           request->plan->links, (unsigned long long) request->plan->scratch);
    return MPI_SUCCESS;
}

/* ---- the request ---- */

/* All that can be done without the other ranks. */
static int prepare_request(mca_coll_pschedule_request_t *request,
                           const mca_coll_pschedule_problem_t *problem,
                           const mca_coll_pschedule_algorithm_t *algorithm,
                           const mca_coll_pschedule_topology_t *topology)
{
    ompi_op_t *op = request->buffers.op;
    int error = build_plan(request, problem, algorithm);

    if (MPI_SUCCESS == error) {
        error = mca_coll_pschedule_memory_make(request, topology);
        mca_coll_pschedule_hold_make(&request->hold, request->plan, request->links);
    }
    /* A function of the user's may not expect to be called by a thread that is not the user's. */
    request->application_only = NULL != op && !ompi_op_is_intrinsic(op);
    if (MPI_SUCCESS == error && !mca_coll_pschedule_backend_init(request)) {
        error = MPI_ERR_NO_MEM;
    }
    if (MPI_SUCCESS == error) {
        error = mca_coll_pschedule_ports_have_room(request);
    }
    return error;
}

static int make_request(const mca_coll_pschedule_call_t *call,
                        mca_coll_pschedule_resolved_t *resolved,
                        mca_coll_pschedule_own_module_t *own,
                        const mca_part_ucx_link_api_t *links,
                        const mca_coll_pschedule_steering_t *steering,
                        ompi_request_t **handle)
{
    const mca_coll_pschedule_topology_t *topology = &own->topology;
    mca_coll_pschedule_problem_t *problem = &resolved->problem;
    const mca_coll_pschedule_algorithm_t *algorithm = mca_coll_pschedule_choose(problem, steering);
    mca_coll_pschedule_request_t *request;
    int error = MPI_SUCCESS;

    /* Relays of unequal blocks are told how these are cut. All ranks have chosen the same row. */
    if (!problem->uniform && 0 != (algorithm->limits & COLL_PSCHEDULE_RELAY_CUTS)) {
        error = mca_coll_pschedule_relay_cuts_exchange(call->comm, problem);
    }
    if (MPI_SUCCESS != error) {
        mca_coll_pschedule_buffers_release(&resolved->buffers);
        return error;
    }
    request = mca_coll_pschedule_request_new(links, call);
    error = MPI_ERR_NO_MEM;
    if (NULL != request) {
        request->buffers = resolved->buffers;
        error = prepare_request(request, problem, algorithm, topology);
    } else {
        mca_coll_pschedule_buffers_release(&resolved->buffers);
    }
    /* Links are announced only if all ranks are going to open theirs: the communicator stays until
     * what one end has begun the other one has answered. */
    error = mca_coll_pschedule_agree_on_outcome(call->comm, error);
    if (MPI_SUCCESS == error) {
        const mca_coll_pschedule_match_t match = {.number = (int) (own->inits++ & INT_MAX),
                                                  .fingerprint = resolved->fingerprint};

        error = mca_coll_pschedule_ports_open(request, topology, &match);
        error = mca_coll_pschedule_agree_on_outcome(call->comm, error);
    }
    if (MPI_SUCCESS == error) {
        /* Nobody closes a link before every rank knows what has become of its own: the other end
         * might still be waiting, or be content. */
        error = mca_coll_pschedule_ports_await(request);
        error = mca_coll_pschedule_agree_on_outcome(call->comm, error);
    }
    if (MPI_SUCCESS == error) {
        links->hide(&request->shm); /* all ranks have what they need of it */
        *handle = &request->any.super;
    } else if (NULL != request) {
        OMPI_REQUEST_FINI(&request->any.super);
        mca_coll_pschedule_request_destroy(request);
    }
    return error;
}

/* ---- the call ---- */

/* Once per communicator, and the same on all ranks. */
static void learn_topology(mca_coll_pschedule_topology_t *topology,
                           const mca_coll_pschedule_call_t *call,
                           const mca_part_ucx_link_api_t *links)
{
    const mca_coll_pschedule_hosts_t *hosts = &topology->hosts;

    if (topology->known) {
        return;
    }
    mca_coll_pschedule_topology_agree(topology, call->comm,
                                      MPI_SUCCESS == call->error ? links : NULL,
                                      mca_coll_pschedule_params.hosts);
    if (topology->known && 0 == ompi_comm_rank(call->comm)) {
        COLL_PSCHEDULE_VERBOSE(
            1, "%s: %d ranks on %u hosts%s, %u to %u on each, %s; those of a host %s%s",
            call->comm->c_name, ompi_comm_size(call->comm), hosts->count,
            NULL == mca_coll_pschedule_params.hosts ? "" : " (made up)", hosts->fewest, hosts->most,
            hosts->contiguous ? "host by host" : "in another order",
            hosts->shares ? "share memory" : "do not share memory",
            mca_coll_pschedule_hosts_are_crowded(hosts) ? ", and outnumber its processors" : "");
    }
}

/* Of each partitioned collective, as it fails; of persistent ones, which others make, once. */
static void tell_fault(const mca_coll_pschedule_call_t *call, const char *fault)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;

    if (NULL == call->front) {
        mca_coll_pschedule_help("tuning", mca_coll_pschedule_names[call->collective], fault);
    } else if (!atomic_flag_test_and_set(&told)) {
        mca_coll_pschedule_help("tuning-persistent", fault);
    }
}

/* Sets the call's error where nothing can be made, whatever is asked for: other ranks may wait, and
 * must hear of it. Returns why; NULL: there is no error, or the user has been told. */
static const char *refuse(mca_coll_pschedule_call_t *call, const mca_part_ucx_link_api_t *links)
{
    const char *fault = mca_coll_pschedule_params.tuning.fault;

    if (MPI_SUCCESS != call->error) {
        return "the address of the request is NULL";
    }
    if (NULL == links) {
        call->error = MPI_ERR_UNSUPPORTED_OPERATION;
        return "part/ucx is not the part component in use there";
    }
    if (OMPI_COMM_CHECK_ASSERT_NO_ANY_SOURCE(call->comm)) {
        call->error = MPI_ERR_COMM; /* links would never meet: their listener names no source */
        return "the communicator has the assertion mpi_assert_no_any_source";
    }
    if ('\0' != fault[0]) {
        call->error = MPI_ERR_OTHER;
        tell_fault(call, fault);
        return NULL;
    }
    call->error = links->prepare();
    switch (call->error) {
    case MPI_SUCCESS:
        return NULL;
    case MPI_ERR_NO_MEM:
        return "memory is short";
    default:
        return "part/ucx has no path there";
    }
}

/* Does who asks for a persistent collective want it served here, now that all is known? All ranks
 * find the same. */
static bool is_wanted(const mca_coll_pschedule_front_t *front,
                      const mca_coll_pschedule_resolved_t *resolved)
{
    return NULL == front
           || front->wants(front->context, &resolved->problem, resolved->uncontested);
}

/* With all ranks. */
static int agree_and_make(mca_coll_pschedule_own_module_t *own,
                          const mca_coll_pschedule_call_t *call, ompi_request_t **request)
{
    mca_coll_pschedule_topology_t *topology = &own->topology;
    const mca_part_ucx_link_api_t *links = mca_coll_pschedule_links();
    const mca_coll_pschedule_steering_t steering
        = mca_coll_pschedule_steering_read(call->collective);
    mca_coll_pschedule_call_t checked = *call;
    const char *refusal = refuse(&checked, links);
    mca_coll_pschedule_resolved_t resolved;
    mca_coll_pschedule_terms_t terms;
    int error;

    learn_topology(topology, &checked, links);
    terms = (mca_coll_pschedule_terms_t) {.refusal = refusal,
                                          .chunk = mca_coll_pschedule_params.chunk,
                                          .shared_chunk = mca_coll_pschedule_params.shared_chunk,
                                          .lone_path = MPI_SUCCESS != checked.error
                                                       || links->network_paths() < 2,
                                          .uncontested = NULL != call->front
                                                         && call->front->uncontested,
                                          .steering = mca_coll_pschedule_steering_number(
                                              call->collective, &steering),
                                          .hosts = topology->known ? &topology->hosts : NULL};
    error = mca_coll_pschedule_resolve(&checked, &terms, &resolved);
    if (MPI_SUCCESS != error) {
        return error;
    }
    mca_coll_pschedule_fit_chunk(&resolved.problem);
    if (is_wanted(call->front, &resolved)) {
        error = make_request(call, &resolved, own, links, &steering, request);
    } else {
        mca_coll_pschedule_buffers_release(&resolved.buffers);
        error = MPI_ERR_UNSUPPORTED_OPERATION;
    }
    mca_coll_pschedule_resolved_free(&resolved);
    return error;
}

/* A rank that cannot take part does not come to the first agreement, and the others would wait for
 * it there. Persistent ones have asked. Where PMIx does not tell, it is taken to come. */
static int meet(mca_coll_pschedule_own_module_t *own, const mca_coll_pschedule_call_t *call)
{
    if (NULL != call->front) {
        return MPI_SUCCESS;
    }
    mca_coll_pschedule_peers_ask(call->comm, &own->peers);
    if (own->peers.stranger < 0) {
        return MPI_SUCCESS;
    }
    mca_coll_pschedule_help("stranger", mca_coll_pschedule_names[call->collective],
                            own->peers.stranger);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

int mca_coll_pschedule_init(mca_coll_pschedule_module_t *module,
                            const mca_coll_pschedule_call_t *call, ompi_request_t **request)
{
    mca_coll_pschedule_own_module_t *own = (mca_coll_pschedule_own_module_t *) module;
    int error = meet(own, call);

    return MPI_SUCCESS == error ? agree_and_make(own, call, request) : error;
}
