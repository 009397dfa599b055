/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the engine runs on: links of part/ucx for transfers, its deferred tasks for work.
 */
#include "coll_pschedule_request.h"

#include <stdlib.h>

/* ---- links ---- */

static void wire_moved(void *context, uint32_t piece)
{
    mca_coll_pschedule_wire_t *wire = context;

    mca_coll_pschedule_engine_moved(&wire->owner->engine, wire->first + piece);
}

static void wire_finished(void *context, int error)
{
    mca_coll_pschedule_wire_t *wire = context;
    mca_coll_pschedule_request_t *request = wire->owner;
    unsigned none = 0;

    if (MPI_SUCCESS != error) {
        (void) atomic_compare_exchange_strong(&request->broken, &none,
                                              (unsigned) (wire - request->wire) + 1);
    }
    mca_coll_pschedule_request_settle(request, error);
}

static const mca_part_ucx_observer_t observer = {.moved = wire_moved, .finished = wire_finished};

static int open_wire(mca_coll_pschedule_request_t *request, uint32_t index, uint32_t fingerprint)
{
    const mca_coll_pschedule_link_t *link = &request->plan->link[index];
    mca_coll_pschedule_wire_t *wire = &request->wire[index];
    mca_part_ucx_link_init_t init = {.comm = request->comm,
                                     .peer = link->peer,
                                     .count = link->count,
                                     .piece = &request->piece[link->first],
                                     .fingerprint = fingerprint,
                                     .warm = NULL != request->buffers.op,
                                     .shm = 0 != request->shm.base ? &request->shm : NULL,
                                     .observer = &observer,
                                     .context = wire};

    wire->owner = request;
    wire->first = link->first;
    return link->is_send ? request->links->open_send(&init, &wire->link)
                         : request->links->open_recv(&init, &wire->link);
}

static void place_pieces(mca_coll_pschedule_request_t *request)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;

    for (uint32_t i = 0; i < plan->transfers; ++i) {
        const mca_coll_pschedule_transfer_t *transfer = &plan->transfer[i];
        uintptr_t base = (uintptr_t) request->buffers.base[transfer->place.space];

        request->piece[i] = (mca_part_ucx_piece_t) {.address = base + transfer->place.offset,
                                                    .bytes = transfer->bytes};
    }
}

/* With fault tolerance: who has died does not answer, nor who has left init because of that. */
static int broken(ompi_communicator_t *comm)
{
    int error = MPI_SUCCESS;

#if OPAL_ENABLE_FT_MPI
    (void) ompi_comm_iface_coll_check(comm, &error);
#else
    (void) comm;
#endif
    return error;
}

int mca_coll_pschedule_wires_await(mca_coll_pschedule_request_t *request)
{
    int error = MPI_SUCCESS;

    for (uint32_t i = 0; i < request->plan->links; ++i) {
        int state = request->links->state(request->wire[i].link);

        while (MPI_ERR_PENDING == state && MPI_SUCCESS == broken(request->comm)) {
            opal_progress();
            state = request->links->state(request->wire[i].link);
        }
        if (MPI_SUCCESS == error) {
            error = MPI_ERR_PENDING == state ? broken(request->comm) : state;
        }
    }
    return error;
}

int mca_coll_pschedule_wires_open(mca_coll_pschedule_request_t *request, uint32_t fingerprint)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;
    int error = MPI_SUCCESS;

    request->wire = calloc(plan->links + 1, sizeof(*request->wire));
    if (NULL == request->wire) {
        return MPI_ERR_NO_MEM;
    }
    place_pieces(request);
    for (uint32_t i = 0; i < plan->links && MPI_SUCCESS == error; ++i) {
        error = open_wire(request, i, fingerprint);
    }
    return error;
}

void mca_coll_pschedule_wires_close(mca_coll_pschedule_request_t *request)
{
    for (uint32_t i = 0; NULL != request->wire && i < request->plan->links; ++i) {
        if (NULL != request->wire[i].link) {
            request->links->close(request->wire[i].link);
        }
    }
}

bool mca_coll_pschedule_wires_abandon(mca_coll_pschedule_request_t *request)
{
    bool all = true;

    /* None waits for another: the other ends of all have to give up, too. */
    for (uint32_t i = 0; i < request->plan->links; ++i) {
        mca_coll_pschedule_wire_t *wire = &request->wire[i];

        wire->abandoned = wire->abandoned || request->links->abandon(wire->link);
        all = all && wire->abandoned;
    }
    return all;
}

/* ---- backend ---- */

static void backend_send(void *context, uint32_t transfer)
{
    mca_coll_pschedule_request_t *request = context;
    const mca_coll_pschedule_wire_t *wire = &request->wire[request->plan->transfer[transfer].link];

    request->links->mark(wire->link, transfer - wire->first);
}

static void run_job(mca_part_ucx_task_t *task)
{
    mca_coll_pschedule_job_t *job = (mca_coll_pschedule_job_t *) (void *) task;
    mca_coll_pschedule_request_t *request = job->owner;
    uint32_t node = job->node;
    bool good;

    /* After a failure the buffers are the user's again: nothing is begun, and the request waits for
     * what has begun. First counted, then looked at; who completes it does the opposite. */
    atomic_fetch_add(&request->working, 1);
    good = MPI_SUCCESS == atomic_load(&request->error);
    if (good) {
        mca_coll_pschedule_engine_work(&request->engine, node);
    }
    atomic_fetch_sub(&request->working, 1);
    if (good) { /* with the last of an epoch the request may be freed */
        mca_coll_pschedule_engine_worked(&request->engine, node);
    }
}

static void backend_defer(void *context, uint32_t node)
{
    mca_coll_pschedule_request_t *request = context;

    request->links->defer(&request->job[request->job_of[node]].task, request->application_only);
}

static void backend_operate(void *context, const mca_coll_pschedule_operation_t *operation,
                            bool reduce)
{
    mca_coll_pschedule_request_t *request = context;

    mca_coll_pschedule_buffers_operate(&request->buffers, operation, reduce);
}

static void backend_load(void *context, uint32_t partition)
{
    mca_coll_pschedule_request_t *request = context;

    mca_coll_pschedule_buffers_load(&request->buffers, partition);
}

static void backend_store(void *context, uint32_t partition)
{
    mca_coll_pschedule_request_t *request = context;

    mca_coll_pschedule_buffers_store(&request->buffers, partition);
}

static void backend_result(void *context, uint32_t partition)
{
    mca_coll_pschedule_request_t *request = context;

    atomic_store_explicit(&request->arrived[partition],
                          atomic_load_explicit(&request->epoch, memory_order_relaxed),
                          memory_order_release);
}

static void backend_done(void *context)
{
    mca_coll_pschedule_request_settle(context, MPI_SUCCESS);
}

static bool can_be_deferred(const mca_coll_pschedule_request_t *request, uint32_t node)
{
    switch (request->plan->vertex[node].kind) {
    case COLL_PSCHEDULE_NODE_REDUCE:
    case COLL_PSCHEDULE_NODE_COPY:
        return true;
    case COLL_PSCHEDULE_NODE_READY:
        return request->buffers.loads;
    case COLL_PSCHEDULE_NODE_RESULT:
        return request->buffers.stores;
    default:
        return false;
    }
}

static bool make_jobs(mca_coll_pschedule_request_t *request)
{
    uint32_t nodes = request->plan->nodes;
    uint32_t count = 0;

    request->job_of = calloc(nodes + 1, sizeof(*request->job_of));
    if (NULL == request->job_of) {
        return false;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        if (can_be_deferred(request, i)) {
            request->job_of[i] = count++;
        }
    }
    request->job = calloc(count + 1, sizeof(*request->job));
    if (NULL == request->job) {
        return false;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        if (can_be_deferred(request, i)) {
            request->job[request->job_of[i]] = (mca_coll_pschedule_job_t) {
                .task.run = run_job, .owner = request, .node = i};
        }
    }
    return true;
}

bool mca_coll_pschedule_backend_init(mca_coll_pschedule_request_t *request)
{
    request->backend = (mca_coll_pschedule_backend_t) {
        .send = backend_send,
        .defer = backend_defer,
        .operate = backend_operate,
        .load = request->buffers.loads ? backend_load : NULL,
        .store = request->buffers.stores ? backend_store : NULL,
        .result = backend_result,
        .done = backend_done};
    return make_jobs(request)
           && mca_coll_pschedule_engine_init(&request->engine, request->plan, &request->backend,
                                             request);
}
