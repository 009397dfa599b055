/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_P<collective>_init: resolve the call, choose an algorithm, build the plan, open the links.
 * Collective, and the outcome is agreed on: either all ranks get a request or none does.
 */
#include "coll_pschedule_request.h"

#include "coll_pschedule_help.h"
#include "plan/coll_pschedule_select.h"

#include <limits.h>
#include <stdlib.h>

#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "opal/util/output.h"

/* Alignment of scratch memory: whole cache lines, and vector instructions. */
#define SCRATCH_ALIGN 64u

static void tell_choice(const mca_coll_pschedule_resolved_t *resolved,
                        const mca_coll_pschedule_algorithm_t *algorithm, const char *why)
{
    const mca_coll_pschedule_problem_t *problem = &resolved->problem;

    if (0 == problem->rank) {
        opal_output_verbose(1, mca_coll_pschedule_output,
                            "%s of %llu bytes in %u partitions on %d ranks: %s (%s)",
                            mca_coll_pschedule_names[problem->collective],
                            (unsigned long long) problem->common_bytes,
                            problem->common_partitions, problem->size, algorithm->name, why);
    }
}

static bool has_too_many_partitions(const mca_coll_pschedule_plan_t *plan)
{
    return plan->send_partitions > COLL_PSCHEDULE_KEY_PARTITIONS
           || plan->recv_partitions > COLL_PSCHEDULE_KEY_PARTITIONS;
}

static int build_plan(mca_coll_pschedule_request_t *request,
                      const mca_coll_pschedule_resolved_t *resolved)
{
    const mca_coll_pschedule_params_t *params = &mca_coll_pschedule_params;
    const mca_coll_pschedule_problem_t *problem = &resolved->problem;
    const mca_coll_pschedule_algorithm_t *algorithm;
    const char *why;

    algorithm = mca_coll_pschedule_select(problem, params->forced[problem->collective],
                                          params->latency_us, params->bandwidth, &why);
    if (NULL == algorithm) {
        return MPI_ERR_UNSUPPORTED_OPERATION;
    }
    tell_choice(resolved, algorithm, why);
    request->plan = mca_coll_pschedule_plan_new(problem);
    if (NULL == request->plan) {
        return MPI_ERR_NO_MEM;
    }
    algorithm->build(request->plan, problem);
    if (!mca_coll_pschedule_plan_freeze(request->plan)) {
        if (has_too_many_partitions(request->plan)) {
            mca_coll_pschedule_help("partitions", mca_coll_pschedule_names[problem->collective],
                                    problem->rank, COLL_PSCHEDULE_KEY_PARTITIONS);
            return MPI_ERR_ARG;
        }
        opal_output(0, "coll/pschedule: %s %s: %s", mca_coll_pschedule_names[problem->collective],
                    algorithm->name, mca_coll_pschedule_plan_fault(request->plan));
        return MPI_ERR_INTERN;
    }
    opal_output_verbose(2, mca_coll_pschedule_output,
                        "rank %d: %u nodes, %u transfers on %u links, %llu bytes of scratch",
                        problem->rank, request->plan->nodes, request->plan->transfers,
                        request->plan->links, (unsigned long long) request->plan->scratch);
    return MPI_SUCCESS;
}

/* Where ranks share memory, what they send each other is copied into it right away. Behind it lies
 * the list of where that goes. */
static bool share_scratch(mca_coll_pschedule_request_t *request)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;
    uint64_t list_at = (plan->scratch + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    uint64_t list_bytes = (uint64_t) plan->transfers * sizeof(*request->piece);

    if (0 == plan->scratch || !request->links->share(&request->shm, list_at + list_bytes)) {
        return false;
    }
    request->buffers.base[COLL_PSCHEDULE_SPACE_SCRATCH] = (char *) (uintptr_t) request->shm.base;
    request->piece = (void *) (uintptr_t) (request->shm.base + list_at);
    return true;
}

static bool allocate_scratch(mca_coll_pschedule_request_t *request)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;
    void *scratch = NULL;

    if (0 != plan->scratch && 0 != posix_memalign(&scratch, SCRATCH_ALIGN, plan->scratch)) {
        return false;
    }
    request->buffers.base[COLL_PSCHEDULE_SPACE_SCRATCH] = scratch;
    request->piece = calloc(plan->transfers + 1, sizeof(*request->piece));
    return NULL != request->piece;
}

static int allocate(mca_coll_pschedule_request_t *request, bool shares)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;

    if (!(shares && share_scratch(request)) && !allocate_scratch(request)) {
        return MPI_ERR_NO_MEM;
    }
    request->marked = calloc(plan->send_partitions + 1, sizeof(*request->marked));
    request->arrived = calloc(plan->recv_partitions + 1, sizeof(*request->arrived));
    if (NULL == request->marked || NULL == request->arrived
        || !mca_part_ucx_claims_init(&request->claims, plan->recv_partitions)) {
        return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* All that can be done without the other ranks. */
static int prepare_request(mca_coll_pschedule_request_t *request,
                           const mca_coll_pschedule_resolved_t *resolved)
{
    ompi_op_t *op;
    int error = build_plan(request, resolved);

    if (MPI_SUCCESS == error) {
        error = allocate(request, resolved->problem.shares);
    }
    op = request->buffers.op;
    /* A function of the user's may not expect to be called by a thread that is not the user's. */
    request->application_only = NULL != op && !ompi_op_is_intrinsic(op);
    if (MPI_SUCCESS == error && !mca_coll_pschedule_backend_init(request)) {
        error = MPI_ERR_NO_MEM;
    }
    return error;
}

/* The worst outcome of any rank; a rank that has none of its own says MPI_ERR_OTHER. */
static int agree(ompi_communicator_t *comm, int error)
{
    int mine = MPI_SUCCESS == error ? 0 : 1;
    int any = 1;
    int rc = comm->c_coll->coll_allreduce(&mine, &any, 1, &ompi_mpi_int.dt, &ompi_mpi_op_max.op,
                                          comm, comm->c_coll->coll_allreduce_module);

    if (MPI_SUCCESS != error) {
        return error;
    }
    return OMPI_SUCCESS != rc || 0 != any ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int make_request(const mca_coll_pschedule_call_t *call,
                        mca_coll_pschedule_resolved_t *resolved,
                        const mca_part_ucx_link_api_t *links, ompi_request_t **handle)
{
    mca_coll_pschedule_request_t *request = mca_coll_pschedule_request_new(links, call);
    int error = MPI_ERR_NO_MEM;

    if (NULL != request) {
        request->buffers = resolved->buffers;
        error = prepare_request(request, resolved);
    } else {
        mca_coll_pschedule_buffers_release(&resolved->buffers);
    }
    /* Links are announced only if all ranks are going to open theirs: one whose announcement and
     * withdrawal are still under way might meet a link of the next init. */
    error = agree(call->comm, error);
    if (MPI_SUCCESS == error) {
        error = agree(call->comm, mca_coll_pschedule_wires_open(request, resolved->fingerprint));
    }
    if (MPI_SUCCESS == error) {
        /* Nobody closes a link before every rank knows what has become of its own: the other end
         * might still be waiting, or be content. */
        error = agree(call->comm, mca_coll_pschedule_wires_await(request));
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

/* All processes should find the same: either all of them are on one host or not. */
static bool is_on_one_host(ompi_communicator_t *comm)
{
    for (int i = 0; i < ompi_group_size(comm->c_local_group); ++i) {
        /* Processes of this host are always known; others need not be looked up for this. */
        const ompi_proc_t *proc = ompi_group_peer_lookup_existing(comm->c_local_group, i);

        if (NULL == proc || !OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags)) {
            return false;
        }
    }
    return true;
}

/*
 * Several transfers should be under way on every path at any time, or paths idle while a rank
 * reduces what came last. A rank of a reduction deals with an N-th of the vector at a time; cut
 * that in as many pieces, as long as they are not so small that their number costs more.
 */
#define PIECES_UNDER_WAY 64u
#define SMALLEST_CHUNK   16384u

static void cut_finer(mca_coll_pschedule_problem_t *problem)
{
    uint64_t share = problem->common_bytes / ((uint64_t) problem->size * PIECES_UNDER_WAY);
    bool reduces = COLL_PSCHEDULE_REDUCE <= problem->collective
                   && problem->collective <= COLL_PSCHEDULE_EXSCAN;

    share = share < SMALLEST_CHUNK ? SMALLEST_CHUNK : share;
    if (reduces && share < problem->chunk) {
        problem->chunk = share;
    }
}

/* More pieces than there are keys for would be needed for a partition of 64 GiB. */
static void cut_coarser(mca_coll_pschedule_problem_t *problem)
{
    uint64_t least = mca_coll_pschedule_least_chunk(problem);

    problem->chunk = problem->chunk < least ? least : problem->chunk;
}

/* A number of all that the choice of an algorithm depends on and that may differ between ranks. */
static int steering(mca_coll_pschedule_collective_t collective, bool one_host)
{
    const mca_coll_pschedule_params_t *params = &mca_coll_pschedule_params;
    uint32_t mixed = (((uint32_t) params->forced[collective] * 1000003u + params->latency_us)
                          * 1000003u + params->bandwidth) * 2u + (one_host ? 1u : 0u);

    return (int) (mixed & INT_MAX);
}

static void make_terms(mca_coll_pschedule_terms_t *terms, const mca_coll_pschedule_call_t *call,
                       const mca_part_ucx_link_api_t *links)
{
    const mca_coll_pschedule_params_t *params = &mca_coll_pschedule_params;
    bool one_host = is_on_one_host(call->comm);

    *terms = (mca_coll_pschedule_terms_t) {.chunk = one_host ? params->shared_chunk : params->chunk,
                                           .steering = steering(call->collective, one_host),
                                           .one_host = one_host,
                                           .links = links};
    if (one_host && MPI_SUCCESS == call->error && 0 == ompi_comm_rank(call->comm)) {
        (void) links->probe(&terms->probe);
    }
}

int mca_coll_pschedule_init(const mca_coll_pschedule_call_t *call, ompi_request_t **request)
{
    const mca_part_ucx_link_api_t *links = mca_coll_pschedule_links();
    mca_coll_pschedule_call_t checked = *call;
    mca_coll_pschedule_resolved_t resolved;
    mca_coll_pschedule_terms_t terms;
    int error;

    if (MPI_SUCCESS == checked.error) { /* other ranks may have part/ucx, and wait */
        checked.error = NULL == links ? MPI_ERR_UNSUPPORTED_OPERATION : links->prepare();
    }
    make_terms(&terms, &checked, links);
    error = mca_coll_pschedule_resolve(&checked, &terms, &resolved);
    if (NULL != links) {
        links->unshare(&terms.probe);
    }
    if (MPI_SUCCESS != error) {
        return error;
    }
    if (!terms.one_host) {
        cut_finer(&resolved.problem);
    }
    cut_coarser(&resolved.problem);
    error = make_request(call, &resolved, links, request);
    mca_coll_pschedule_resolved_free(&resolved);
    return error;
}
