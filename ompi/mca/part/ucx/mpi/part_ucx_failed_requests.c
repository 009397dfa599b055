/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors that completion calls have still to raise (see part_ucx_failed_requests.h).
 */
#include "mpi/part_ucx_failed_requests.h"

#include "base/part_ucx_clock.h"
#include "base/part_ucx_thread_local.h"
#include "mpi/part_ucx_handler_swap.h"

#include <pthread.h>
#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/errhandler/errcode.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/runtime/mpiruntime.h"

/* All of this under `lock`, which is taken on error paths only. Handlers are replaced under that of
 * part_ucx_handler_swap.h, taken before. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mca_part_ucx_any_request_t *failed; /* the one that failed last comes first */
static int freed;                        /* threads that have a `next` */
static ompi_errhandler_t *detour;
static ompi_errhandler_t *original;      /* what it replaces, or has replaced last; a reference */

/* What a completion call frees together, it frees in a shorter time. */
#define TOGETHER_NS UINT64_C(100000000)

/* A failed request that this thread has freed, perhaps in a completion call. */
static PART_UCX_THREAD_LOCAL struct {
    ompi_communicator_t *comm; /* a reference; NULL: none */
    int error;
    uint64_t since;
} next;

/* Where completion calls raise what belongs to no object; NULL: on no communicator. */
static ompi_communicator_t *raised_on(void)
{
    if (ompi_mpi_state < OMPI_MPI_STATE_INIT_COMPLETED
        || ompi_mpi_state >= OMPI_MPI_STATE_FINALIZE_PAST_COMM_SELF_DESTRUCT) {
        return NULL; /* a program that has sessions only */
    }
    return ompi_mpi_compat_mpi3 ? &ompi_mpi_comm_world.comm : &ompi_mpi_comm_self.comm;
}

/* ---- the list ---- */

static mca_part_ucx_any_request_t **find(const mca_part_ucx_any_request_t *request)
{
    mca_part_ucx_any_request_t **link = &failed;

    while (NULL != *link && request != *link) {
        link = &(*link)->failed.next;
    }
    return link;
}

static bool has_completed_with(const mca_part_ucx_any_request_t *request, int error)
{
    const ompi_request_t *super = &request->super;

    return OMPI_REQUEST_INACTIVE == super->req_state
           && MPI_SUCCESS != super->req_status.MPI_ERROR
           && error == ompi_errcode_get_mpi_code(super->req_status.MPI_ERROR);
}

/*
 * The request whose error a completion call raises now; NULL: none of ours. The call may have
 * completed several, and raises only the error of the first in its array. So the others are passed
 * over, and chosen only if there is no other: they may be another thread's, or the first in the
 * array of a later call, which raises the error of a request that has long been inactive.
 */
static mca_part_ucx_any_request_t *choose(int error)
{
    mca_part_ucx_any_request_t *chosen = NULL;

    for (mca_part_ucx_any_request_t *request = failed; NULL != request;
         request = request->failed.next) {
        if (has_completed_with(request, error)
            && (NULL == chosen || (chosen->failed.passed && !request->failed.passed))) {
            chosen = request;
        }
    }
    for (mca_part_ucx_any_request_t *request = failed; NULL != request && NULL != chosen;
         request = request->failed.next) {
        request->failed.passed = request->failed.passed
                               || OMPI_REQUEST_INACTIVE == request->super.req_state;
    }
    return chosen;
}

/* ---- the detour ---- */

/* The communicator that the error belongs to, with a reference; NULL: not to one of ours. */
static ompi_communicator_t *find_owner(int error)
{
    mca_part_ucx_any_request_t *request;
    ompi_communicator_t *owner = NULL;

    if (NULL != next.comm && error == next.error) {
        owner = next.comm;
        next.comm = NULL;
        --freed;
        return owner;
    }
    request = choose(error);
    if (NULL != request) {
        owner = request->super.req_mpi_object.comm;
        OBJ_RETAIN(owner);
    }
    return owner;
}

/* The handler of MPI_COMM_SELF is ours. Completion calls give their names to handlers. */
static void on_error(MPI_Comm *comm, int *error, ...)
{
    ompi_communicator_t *owner = NULL, *target = *comm;
    ompi_errhandler_t *handler;
    const char *name;
    va_list arguments;

    va_start(arguments, error);
    name = va_arg(arguments, const char *);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    if (NULL != name && (NULL != strstr(name, "MPI_Wait") || NULL != strstr(name, "MPI_Test"))) {
        owner = find_owner(*error);
    }
    target = NULL != owner ? owner : target;
    handler = NULL != owner && detour != owner->error_handler ? owner->error_handler : original;
    OBJ_RETAIN(handler);
    pthread_mutex_unlock(&lock);
    (void) ompi_errhandler_invoke(handler, target, OMPI_ERRHANDLER_TYPE_COMM, *error, name);
    OBJ_RELEASE(handler);
    if (NULL != owner) {
        OBJ_RELEASE(owner);
    }
}

static bool install(void)
{
    ompi_communicator_t *target = raised_on();

    if (NULL == target
        || (NULL == detour
            && MPI_SUCCESS != PMPI_Comm_create_errhandler((MPI_Comm_errhandler_function *) on_error,
                                                          &detour))) {
        return false;
    }
    if (detour != target->error_handler) {
        if (NULL != original) {
            OBJ_RELEASE(original);
        }
        mca_part_ucx_handler_swap_replace(target, detour, &original);
    }
    return true;
}

static void restore(void)
{
    ompi_communicator_t *target = raised_on();

    if (NULL != target && NULL != original && NULL == failed && 0 == freed) {
        OBJ_RETAIN(original);
        mca_part_ucx_handler_swap_restore(target, detour, original);
    }
}

/* Both locks; false: they are not to be had. */
static bool enter(void)
{
    if (!mca_part_ucx_handler_swap_lock()) {
        return false;
    }
    pthread_mutex_lock(&lock);
    return true;
}

static void leave(void)
{
    pthread_mutex_unlock(&lock);
    mca_part_ucx_handler_swap_unlock();
}

/* ---- failed requests ---- */

bool mca_part_ucx_failed_requests_add(mca_part_ucx_any_request_t *request)
{
    bool listed;

    if (!enter()) {
        return false;
    }
    listed = install();
    request->failed.passed = false;
    if (listed && NULL == *find(request)) {
        request->failed.next = failed;
        failed = request;
    }
    leave();
    return listed;
}

void mca_part_ucx_failed_requests_remove(mca_part_ucx_any_request_t *request)
{
    bool entered = enter(); /* if not, the handler stays */
    mca_part_ucx_any_request_t **link;

    if (!entered) {
        pthread_mutex_lock(&lock);
    }
    link = find(request);
    if (NULL != *link) {
        *link = (*link)->failed.next;
    }
    if (entered) {
        restore();
        leave();
    } else {
        pthread_mutex_unlock(&lock);
    }
}

void mca_part_ucx_failed_requests_next(ompi_request_t *request)
{
    ompi_communicator_t *comm = request->req_mpi_object.comm;
    uint64_t now = mca_part_ucx_clock_ns();

    /* Of several it raises the error of the one that it has freed first. One that was freed before
     * was freed by the program: no call comes for it. */
    if (comm == raised_on() || (NULL != next.comm && now - next.since < TOGETHER_NS) || !enter()) {
        return;
    }
    if (install()) {
        if (NULL == next.comm) {
            ++freed;
        } else {
            OBJ_RELEASE(next.comm);
        }
        OBJ_RETAIN(comm);
        next.comm = comm;
        next.error = ompi_errcode_get_mpi_code(request->req_status.MPI_ERROR);
        next.since = now;
    }
    leave();
}

void mca_part_ucx_failed_requests_forget(void)
{
    bool entered = enter();

    if (entered) {
        for (; NULL != failed; failed = failed->failed.next) {
            /* For a session that goes on, as in completes_with_error() of errors.c. */
            failed->super.req_type = OMPI_REQUEST_COLL;
        }
        freed = 0;
        restore();
        leave();
    }
}
