/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The engine's backend (see coll_pschedule_backend.h).
 */
#include "coll_pschedule_backend.h"

#include "call/coll_pschedule_staging.h"
#include "coll_pschedule_request.h"

#include <stdlib.h>

/* Bytes of an operation that takes less time than to defer it. */
#define CHEAP 1024u

static void backend_result(void *context, uint32_t partition)
{
    mca_coll_pschedule_request_t *request = context;

    atomic_store_explicit(&request->arrived[partition],
                          atomic_load_explicit(&request->epoch, memory_order_relaxed),
                          memory_order_release);
}

static void do_node(mca_coll_pschedule_request_t *request, uint32_t node)
{
    const mca_coll_pschedule_vertex_t *vertex = &request->plan->vertex[node];

    switch (vertex->kind) {
    case COLL_PSCHEDULE_NODE_READY:
        mca_coll_pschedule_buffers_stage(&request->buffers, vertex->item, false);
        break;
    case COLL_PSCHEDULE_NODE_RESULT:
        mca_coll_pschedule_buffers_stage(&request->buffers, vertex->item, true);
        backend_result(request, vertex->item);
        break;
    default:
        mca_coll_pschedule_buffers_operate(&request->buffers,
                                           &request->plan->operation[vertex->item],
                                           COLL_PSCHEDULE_NODE_REDUCE == vertex->kind);
        break;
    }
}

/* False after a failure, when the buffers are the user's again: nothing is begun, and the request
 * waits for what has begun. First counted, then looked at; who completes it does the opposite. */
static bool work(mca_coll_pschedule_request_t *request, uint32_t node)
{
    bool good;

    atomic_fetch_add(&request->working, 1);
    good = MPI_SUCCESS == atomic_load(&request->error);
    if (good) {
        do_node(request, node);
    }
    atomic_fetch_sub(&request->working, 1);
    return good;
}

static void run_job(mca_part_ucx_task_t *task)
{
    mca_coll_pschedule_job_t *job = (mca_coll_pschedule_job_t *) (void *) task;
    mca_coll_pschedule_request_t *request = job->owner;
    uint32_t node = job->node;

    if (work(request, node)) { /* with the last of an epoch the request may be freed */
        mca_coll_pschedule_engine_worked(&request->engine, node);
    }
}

/* An operation that any thread may do, also under locks of part/ucx. */
static bool is_cheap(const mca_coll_pschedule_request_t *request, uint32_t node)
{
    uint32_t item = request->plan->vertex[node].item;

    return !request->application_only && request->plan->operation[item].bytes <= CHEAP;
}

static bool backend_defer(void *context, uint32_t node, bool at_once)
{
    mca_coll_pschedule_request_t *request = context;

    if (at_once && is_cheap(request, node)) {
        return work(request, node);
    }
    request->links->defer(&request->job[request->job_of[node]].task, request->application_only);
    return false;
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
        .send = mca_coll_pschedule_ports_send,
        .defer = backend_defer,
        .loads = request->buffers.loads,
        .stores = request->buffers.stores,
        .result = backend_result,
        .done = backend_done};
    return make_jobs(request)
           && mca_coll_pschedule_engine_init(&request->engine, request->plan, &request->backend,
                                             request);
}
