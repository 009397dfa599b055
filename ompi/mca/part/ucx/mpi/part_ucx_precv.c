/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receiving requests: MPI_Parrived, MPIX_Parrived_any and _some, MPIX_Pbuf_prepare.
 */
#include "mpi/part_ucx_request.h"

#include "base/part_ucx_poll.h"
#include "base/part_ucx_thread_local.h"
#include "channel/part_ucx_recv.h"
#include "path/part_ucx_app_activity.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_process.h"

/* An MPI_Parrived that finds nothing makes progress now and then, and calls Open MPI's whole
 * progress engine every so many of those times. */
#define PROGRESS_PER_OPAL 4u

static mca_part_ucx_recv_t *recv_of(const mca_part_ucx_request_t *request)
{
    return mca_part_ucx_recv_of(request->channel);
}

/* ---- MPI_Parrived ---- */

/* What comes through shared memory comes over that path, and to look at each other one costs a
 * system call. A thread that asks for several receives in turn may have its turn here always for
 * the same one: so only every other time. */
static int drive(mca_part_ucx_recv_t *recv, unsigned times)
{
    return recv->endpoint->path == mca_part_ucx_paths.shared && 0 == times % 2
               ? mca_part_ucx_path_drive(recv->endpoint->path, true)
               : mca_part_ucx_paths_drive(true);
}

/* Something is missing: make progress now and then, so that a loop over Parrived always ends. */
static void miss(mca_part_ucx_recv_t *recv)
{
    static PART_UCX_THREAD_LOCAL struct {
        mca_part_ucx_poll_t poll;
        unsigned times;
    } thread;

    if (!mca_part_ucx_poll_due(&thread.poll)) {
        return;
    }
    if (PART_UCX_MATCHED != mca_part_ucx_channel_state(&recv->super)
        || 0 == ++thread.times % PROGRESS_PER_OPAL) {
        mca_part_ucx_process_progress();
    } else {
        mca_part_ucx_app_activity_note();
        if (0 != drive(recv, thread.times)) {
            mca_part_ucx_paths_drive_pushed(); /* such as a READY */
        }
    }
    mca_part_ucx_poll_over(&thread.poll);
}

static bool all_arrived(mca_part_ucx_recv_t *recv, size_t low, size_t high)
{
    mca_part_ucx_arrivals_t *arrivals;
    uint32_t epoch = mca_part_ucx_recv_epoch(recv);

    if (OPAL_UNLIKELY(PART_UCX_MATCHED != mca_part_ucx_channel_state(&recv->super))) {
        return false;
    }
    arrivals = atomic_load_explicit(&recv->arrivals, memory_order_acquire);
    while (low <= high && mca_part_ucx_arrivals_has(arrivals, low, epoch)) {
        ++low;
    }
    return low > high;
}

static int precv_parrived(mca_part_ucx_any_request_t *any, size_t low, size_t high, int *flag)
{
    mca_part_ucx_request_t *request = (mca_part_ucx_request_t *) any;
    mca_part_ucx_recv_t *recv;
    bool inactive;
    int error;

    if (OPAL_UNLIKELY(low > high || high >= request->partitions)) {
        return MPI_ERR_ARG;
    }
    *flag = 1;
    if (mca_part_ucx_request_is_null(request)) {
        return MPI_SUCCESS;
    }
    recv = recv_of(request);
    /* First this, then the flags, although it is enough: the thread that is told so reads the
     * buffer. */
    inactive = !mca_part_ucx_request_is_active(request);
    if (OPAL_LIKELY(all_arrived(recv, low, high)) || inactive) {
        return MPI_SUCCESS;
    }
    *flag = 0;
    error = atomic_load(&request->channel->error);
    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        return error;
    }
    miss(recv);
    *flag = all_arrived(recv, low, high);
    return MPI_SUCCESS;
}

/* ---- MPIX_Parrived_any, MPIX_Parrived_some ---- */

/* An epoch of a match, for mca_part_ucx_claims_answer(). */
typedef struct claimable_t {
    mca_part_ucx_arrivals_t *arrivals; /* NULL: not matched yet, nothing has arrived */
    uint32_t epoch;
} claimable_t;

static bool is_claimable(void *context, uint32_t partition)
{
    claimable_t *claimable = context;

    return NULL != claimable->arrivals
           && mca_part_ucx_arrivals_has(claimable->arrivals, partition, claimable->epoch);
}

static int precv_claim(mca_part_ucx_any_request_t *any, int room, int *count, int partitions[])
{
    mca_part_ucx_request_t *request = (mca_part_ucx_request_t *) any;
    mca_part_ucx_recv_t *recv;
    /* First the state, then `arrived`, also if it is inactive: another thread may have completed
     * it, and who is told so here reads the buffer. */
    bool active = mca_part_ucx_request_is_active(request);
    bool arrived = 0 != atomic_load_explicit(&any->arrived, memory_order_acquire);
    claimable_t claimable = {.arrivals = NULL};
    mca_part_ucx_claimer_t claimer = {.claims = &request->claims,
                                      .active = active,
                                      .claimable = active && !arrived ? is_claimable : NULL,
                                      .context = &claimable};
    int rc;

    *count = MPI_UNDEFINED;
    if (mca_part_ucx_request_is_null(request)) {
        return MPI_SUCCESS;
    }
    recv = recv_of(request);
    claimer.epoch = claimable.epoch = mca_part_ucx_recv_epoch(recv);
    claimer.error = mca_part_ucx_channel_error(request->channel);
    if (PART_UCX_MATCHED == mca_part_ucx_channel_state(request->channel)) {
        claimable.arrivals = atomic_load_explicit(&recv->arrivals, memory_order_acquire);
    }
    rc = mca_part_ucx_claims_answer(&claimer, room, count, partitions);
    if (MPI_SUCCESS == rc && 0 == *count) {
        miss(recv);
    }
    return rc;
}

/* The receive side of MPIX_Pbuf_prepare: MPI_Start has told the sender already. */
static int precv_prepare(mca_part_ucx_any_request_t *any)
{
    mca_part_ucx_request_t *request = (mca_part_ucx_request_t *) any;

    if (!mca_part_ucx_request_is_active(request)) {
        return MPI_ERR_REQUEST;
    }
    mca_part_ucx_process_progress();
    return mca_part_ucx_channel_error(request->channel);
}

static const mca_part_ucx_ops_t precv_ops = {.version = MCA_PART_UCX_OPS_VERSION,
                                             .parrived = precv_parrived,
                                             .prepare = precv_prepare,
                                             .claim = precv_claim};

/* ---- creation ---- */

static void finished(void *context, int error)
{
    mca_part_ucx_request_t *request = context;

    if (MPI_SUCCESS == error) {
        atomic_store_explicit(&request->any.arrived, request->partitions, memory_order_release);
    }
    mca_part_ucx_request_ended(request, error);
}

static const mca_part_ucx_observer_t observer = {.finished = finished};

static bool make_channel(mca_part_ucx_request_t *request, const mca_part_ucx_init_t *init)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_new();

    if (NULL == recv) {
        return false;
    }
    mca_part_ucx_request_attach(request, init, &recv->super, &observer);
    return true;
}

mca_part_ucx_request_t *mca_part_ucx_precv_new(const mca_part_ucx_init_t *init)
{
    mca_part_ucx_request_t *request = mca_part_ucx_request_new(init, &precv_ops);

    if (NULL == request) {
        return NULL;
    }
    atomic_store(&request->any.arrived, request->partitions); /* not started */
    if (!mca_part_ucx_claims_init(&request->claims, request->partitions)
        || !make_channel(request, init)) {
        mca_part_ucx_request_destroy(request);
        return NULL;
    }
    return request;
}
