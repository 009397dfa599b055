/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Life of a request from MPI_Start to its end: epochs, MPI_Pready, MPI_Parrived, completion, free.
 * How one is made is in coll_pschedule_init.c.
 */
#include "coll_pschedule_request.h"

#include "call/coll_pschedule_help.h"
#include "coll_pschedule_memory.h"

#include <string.h>

#include "ompi/communicator/communicator.h"
#include "api/part_ucx_epoch.h"
#include "opal/runtime/opal_progress.h"

/* ---- completion ---- */

static void tell_failure(mca_coll_pschedule_request_t *request)
{
    uint32_t broken = atomic_load(&request->broken) - 1;

    mca_coll_pschedule_help("failed", NULL == request->front ? "partitioned" : "persistent",
                            mca_coll_pschedule_names[request->collective],
                            ompi_comm_rank(request->comm),
                            (int) request->plan->link[broken].peer);
}

/* The program has another request. This one may be freed as soon as that one knows. */
static void complete_front(mca_coll_pschedule_request_t *request, int error)
{
    request->any.super.req_complete = REQUEST_COMPLETED;
    request->any.super.req_state = OMPI_REQUEST_INACTIVE;
    request->over(request->front, error);
}

static void complete(mca_part_ucx_task_t *task)
{
    mca_coll_pschedule_request_t *request
        = PART_UCX_CONTAINER(task, mca_coll_pschedule_request_t, final);
    const mca_part_ucx_link_api_t *links = request->links;
    int error = atomic_load(&request->error);

    if (MPI_SUCCESS != error) {
        /* Now, not when the request is freed: before that, the program may wait for a neighbour
         * that waits for us in this collective. */
        if (!mca_coll_pschedule_ports_abandon(request) || 0 != atomic_load(&request->working)) {
            links->post_final(task); /* something still uses the buffers: later again */
            return;
        }
        tell_failure(request);
    }
    request->any.super.req_status = ompi_status_empty;
    links->active(-1);
    if (NULL != request->front) {
        complete_front(request, error);
        return;
    }
    request->any.super.req_status.MPI_ERROR = error;
    links->complete(&request->any.super);
}

void mca_coll_pschedule_request_settle(mca_coll_pschedule_request_t *request, int error)
{
    int none = MPI_SUCCESS;
    bool over = MPI_SUCCESS != error;

    /* Before it counts: the last one completes the request, which may be freed then unless it has
     * failed. */
    if (over) {
        (void) atomic_compare_exchange_strong(&request->error, &none, error);
    }
    over = 1 == atomic_fetch_sub(&request->pending, 1) || over;
    if (over && atomic_exchange(&request->running, false)) {
        request->links->post_final(&request->final);
    }
}

/* ---- start ---- */

static void begin(mca_coll_pschedule_request_t *request)
{
    ompi_request_t *super = &request->any.super;

    if (mca_part_ucx_epoch_is_last(atomic_load(&request->epoch))) {
        mca_part_ucx_claims_forget(&request->claims);
    }
    super->req_status.MPI_ERROR = MPI_SUCCESS;
    super->req_type = OMPI_REQUEST_PART; /* an error may have changed it */
    super->req_complete = REQUEST_PENDING;
    super->req_state = OMPI_REQUEST_ACTIVE;
    /* Other threads are let in by the links and the engine, which are started later. */
    atomic_store_explicit(&request->epoch, mca_part_ucx_epoch_next(atomic_load(&request->epoch)),
                          memory_order_release);
    /* The plan, every link, and request_start(), which still needs the request meanwhile. */
    atomic_store_explicit(&request->pending, 2 + request->plan->links, memory_order_release);
    request->links->active(1);
    request->buffers.float_mode = mca_coll_pschedule_float_mode();
    mca_coll_pschedule_hold_begin(&request->hold);
    mca_coll_pschedule_engine_arm(&request->engine);
}

/* All partitions of what the program does not mark itself, in the order that the plan wishes. */
static void mark_all(mca_coll_pschedule_request_t *request)
{
    const uint32_t *order = request->plan->order;

    for (uint32_t i = 0; i < request->plan->send_partitions; ++i) {
        mca_coll_pschedule_engine_ready(&request->engine, NULL == order ? i : order[i]);
    }
}

static void request_start(mca_coll_pschedule_request_t *request)
{
    const mca_part_ucx_link_api_t *links = request->links;

    begin(request);
    /* No link may be given up before all have been started: an error waits for `running`. */
    if (MPI_SUCCESS == atomic_load(&request->error)) { /* else its links have been given up */
        /* What is sent at once leaves before this rank gets ready to receive. */
        mca_coll_pschedule_ports_start(request, true);
        mca_coll_pschedule_engine_start(&request->engine);
        if (NULL != request->front) {
            mark_all(request);
        }
        mca_coll_pschedule_ports_start(request, false);
    }
    atomic_store(&request->running, true);
    mca_coll_pschedule_request_settle(request, atomic_load(&request->error));
    links->push();
    /* A failed one is left to progress: it completes with another type, which this epoch's calls of
     * MPI_Pready must not meet. Before this call returns, nobody frees it. */
    if (MPI_SUCCESS == atomic_load(&request->error)) {
        links->finals();
    }
}

static int requests_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; ++i) {
        request_start((mca_coll_pschedule_request_t *) requests[i]);
    }
    return OMPI_SUCCESS;
}

/* ---- MPI_Pready ---- */

/* Who marks all leaves the order to the plan. */
static const uint32_t *order_of(const mca_coll_pschedule_plan_t *plan, size_t low, size_t high)
{
    return 0 == low && high + 1 == plan->send_partitions ? plan->order : NULL;
}

static int request_pready(mca_part_ucx_any_request_t *any, size_t low, size_t high)
{
    mca_coll_pschedule_request_t *request = (mca_coll_pschedule_request_t *) any;
    const mca_part_ucx_link_api_t *links = request->links;
    uint32_t epoch = atomic_load_explicit(&request->epoch, memory_order_relaxed);
    const uint32_t *order;
    int rc = MPI_SUCCESS;
    bool failed, now;

    if (OMPI_REQUEST_ACTIVE != any->super.req_state || 0 == request->plan->send_partitions) {
        return MPI_ERR_REQUEST;
    }
    if (low > high || high >= request->plan->send_partitions
        || (low != high && mca_part_ucx_epoch_any(request->marked, low, high, epoch))) {
        return MPI_ERR_ARG;
    }
    order = order_of(request->plan, low, high);
    /* One that had failed before it was started does nothing. The work of the failed epoch may
     * still be in the lists, where it must not be put once more. */
    failed = MPI_SUCCESS != atomic_load(&request->error);
    now = mca_coll_pschedule_hold_count(&request->hold, (uint32_t) (high - low) + 1);
    for (size_t i = low; i <= high; ++i) {
        uint32_t partition = NULL == order ? (uint32_t) i : order[i];

        if (epoch == atomic_exchange(&request->marked[partition], epoch)) {
            rc = MPI_ERR_ARG;
        } else if (!failed) {
            /* With the last partition the request may complete, and be freed by another thread. */
            mca_coll_pschedule_engine_ready(&request->engine, partition);
        }
    }
    if (now) {
        links->push();
        if (!failed) {
            links->finals();
        }
    } else {
        links->later();
    }
    return rc;
}

/* ---- MPI_Parrived ---- */

static bool all_arrived(mca_coll_pschedule_request_t *request, size_t low, size_t high)
{
    uint32_t epoch = atomic_load_explicit(&request->epoch, memory_order_relaxed);

    while (low <= high
           && epoch == atomic_load_explicit(&request->arrived[low], memory_order_acquire)) {
        ++low;
    }
    return low > high;
}

static int request_parrived(mca_part_ucx_any_request_t *any, size_t low, size_t high, int *flag)
{
    mca_coll_pschedule_request_t *request = (mca_coll_pschedule_request_t *) any;
    bool inactive;

    if (0 == request->plan->recv_partitions) {
        return MPI_ERR_REQUEST;
    }
    if (low > high || high >= request->plan->recv_partitions) {
        return MPI_ERR_ARG;
    }
    *flag = 1;
    /* First the state, then the flags, although it is enough: another thread's MPI_Wait may have
     * made it inactive, and who is told so here reads the buffer. */
    inactive = OMPI_REQUEST_ACTIVE != __atomic_load_n(&any->super.req_state, __ATOMIC_ACQUIRE);
    if (all_arrived(request, low, high) || inactive) {
        return MPI_SUCCESS;
    }
    *flag = 0;
    if (MPI_SUCCESS != atomic_load(&request->error)) {
        return atomic_load(&request->error);
    }
    request->links->miss();
    return MPI_SUCCESS;
}

/* ---- MPIX_Parrived_any and MPIX_Parrived_some: each partition once per iteration ---- */

/* An epoch of a request, for mca_part_ucx_claims_answer(). */
typedef struct claimable_t {
    mca_coll_pschedule_request_t *request;
    uint32_t epoch;
} claimable_t;

static bool is_claimable(void *context, uint32_t partition)
{
    claimable_t *claimable = context;

    return claimable->epoch
           == atomic_load_explicit(&claimable->request->arrived[partition], memory_order_acquire);
}

static int request_claim(mca_part_ucx_any_request_t *any, int room, int *count, int partitions[])
{
    mca_coll_pschedule_request_t *request = (mca_coll_pschedule_request_t *) any;
    bool active = OMPI_REQUEST_ACTIVE == any->super.req_state;
    claimable_t claimable = {.request = request, .epoch = atomic_load(&request->epoch)};
    mca_part_ucx_claimer_t claimer = {.claims = &request->claims,
                                      .epoch = claimable.epoch,
                                      .active = active,
                                      .error = atomic_load(&request->error),
                                      .claimable = is_claimable,
                                      .context = &claimable};
    int rc;

    *count = MPI_UNDEFINED;
    if (0 == request->plan->recv_partitions) {
        return MPI_SUCCESS;
    }
    rc = mca_part_ucx_claims_answer(&claimer, room, count, partitions);
    if (MPI_SUCCESS == rc && 0 == *count) {
        request->links->miss();
    }
    return rc;
}

/* ---- MPIX_Pbuf_prepare ---- */

/* The ranks meet once in an epoch, however often a rank calls. Also when this rank has failed:
 * others may not have, and wait for it. */
static int request_prepare_begin(mca_part_ucx_any_request_t *any)
{
    mca_coll_pschedule_request_t *request = (mca_coll_pschedule_request_t *) any;
    ompi_communicator_t *comm = request->comm;
    uint32_t epoch = atomic_load(&request->epoch);
    int rc = OMPI_SUCCESS;

    if (OMPI_REQUEST_ACTIVE != any->super.req_state) {
        return MPI_ERR_REQUEST;
    }
    if (epoch != request->prepared) {
        rc = comm->c_coll->coll_ibarrier(comm, &request->barrier,
                                         comm->c_coll->coll_ibarrier_module);
        request->prepared = OMPI_SUCCESS == rc ? epoch : request->prepared;
    }
    return OMPI_SUCCESS == rc ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* A rank whose request has failed before may not come. That fails this one, too, sooner or later:
 * then the barrier stays, and the communicator with it. */
static int await_others(mca_coll_pschedule_request_t *request)
{
    while (MPI_REQUEST_NULL != request->barrier && !REQUEST_COMPLETE(request->barrier)) {
        if (MPI_SUCCESS != atomic_load(&request->error)) {
            request->links->keep(request->comm);
            return MPI_ERR_OTHER;
        }
        opal_progress();
    }
    return MPI_REQUEST_NULL == request->barrier
                   || OMPI_SUCCESS == ompi_request_wait(&request->barrier, MPI_STATUS_IGNORE)
               ? MPI_SUCCESS
               : MPI_ERR_OTHER;
}

static int request_prepare(mca_part_ucx_any_request_t *any)
{
    mca_coll_pschedule_request_t *request = (mca_coll_pschedule_request_t *) any;
    int rc = request_prepare_begin(any);
    int error;

    if (MPI_ERR_REQUEST == rc) {
        return rc;
    }
    rc = MPI_SUCCESS == rc ? await_others(request) : rc;
    error = atomic_load(&request->error);
    error = MPI_SUCCESS == error ? rc : error;
    return MPI_SUCCESS == error ? mca_coll_pschedule_ports_prepare(request) : error;
}

const mca_part_ucx_ops_t mca_coll_pschedule_request_ops = {.version = MCA_PART_UCX_OPS_VERSION,
                                                           .pready = request_pready,
                                                           .parrived = request_parrived,
                                                           .prepare_begin
                                                           = request_prepare_begin,
                                                           .prepare = request_prepare,
                                                           .claim = request_claim};

/* ---- making and freeing ---- */

void mca_coll_pschedule_request_destroy(mca_coll_pschedule_request_t *request)
{
    bool failed = MPI_SUCCESS != atomic_load(&request->error) && 0 != atomic_load(&request->epoch);

    OBJ_RELEASE(request->comm);
    if (failed) {
        return; /* transfers may still be under way in links that were given up: memory stays */
    }
    mca_coll_pschedule_ports_close(request);
    mca_coll_pschedule_memory_free(request);
    OBJ_RELEASE(request);
}

static int request_free(ompi_request_t **handle)
{
    mca_coll_pschedule_request_t *request = (mca_coll_pschedule_request_t *) *handle;
    ompi_request_t *super = *handle;

    if (!mca_part_ucx_may_be_freed(super)) {
        return request->links->raise(request->comm, MPI_ERR_REQUEST, "MPI_Request_free");
    }
    request->links->freed(super);
    if (NULL != request->front && MPI_SUCCESS != request->front->req_status.MPI_ERROR) {
        /* Until Open MPI 5.0.9 this is a completion call, which raises the error on it next. */
        request->links->keep(request->comm);
    }
    OMPI_REQUEST_FINI(super);
    mca_coll_pschedule_request_destroy(request);
    *handle = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int request_cancel(ompi_request_t *super, int complete_flag)
{
    mca_coll_pschedule_request_t *request = (mca_coll_pschedule_request_t *) super;

    (void) complete_flag;
    return request->links->raise(request->comm, MPI_ERR_REQUEST, "MPI_Cancel");
}

mca_coll_pschedule_request_t *
mca_coll_pschedule_request_new(const mca_part_ucx_link_api_t *links,
                               const mca_coll_pschedule_call_t *call)
{
    mca_coll_pschedule_request_t *request = OBJ_NEW(mca_coll_pschedule_request_t);
    ompi_request_t *super;

    if (NULL == request) {
        return NULL;
    }
    super = &request->any.super;
    OMPI_REQUEST_INIT(super, true);
    super->req_type = OMPI_REQUEST_PART;
    super->req_start = requests_start;
    super->req_free = request_free;
    super->req_cancel = request_cancel;
    super->req_mpi_object.comm = call->comm;
    super->req_status = ompi_status_empty;
    request->any.ops = &mca_coll_pschedule_request_ops;
    request->barrier = MPI_REQUEST_NULL;
    request->links = links;
    request->comm = call->comm;
    OBJ_RETAIN(call->comm);
    request->collective = call->collective;
    request->front = NULL == call->front ? NULL : call->front->request;
    request->over = NULL == call->front ? NULL : call->front->over;
    request->final.run = complete;
    return request;
}

static void request_construct(mca_coll_pschedule_request_t *request)
{
    memset((char *) request + sizeof(ompi_request_t), 0,
           sizeof(*request) - sizeof(ompi_request_t));
}

OBJ_CLASS_INSTANCE(mca_coll_pschedule_request_t, ompi_request_t, request_construct, NULL);
