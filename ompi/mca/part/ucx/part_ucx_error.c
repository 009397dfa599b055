/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Error handlers (see part_ucx_error.h). To keep the binding from raising an error on the wrong
 * communicator, that communicator gets a handler of ours for a moment. When the binding calls it,
 * it puts the old one back and drops the call (the right handler has been invoked already) or
 * passes it on to the right communicator. A call by another thread, for an error of its own, goes
 * to the old handler. All this happens on error paths only.
 */
#include "part_ucx_error.h"

#include "part_ucx_owed.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "ompi/errhandler/errcode.h"
#include "ompi/errhandler/errhandler.h"

/* The communicator whose handler is replaced, and its own handler; under `replacing`. */
static ompi_communicator_t *replaced;
static ompi_errhandler_t *original;
static ompi_errhandler_t *detour;
static pthread_mutex_t replacing = PTHREAD_MUTEX_INITIALIZER;

/* This thread has replaced a handler, and the binding has not called it yet. */
static _Thread_local bool expected __attribute__((tls_model("initial-exec")));

/* Where that call goes; NULL: nowhere. A reference is held. */
static _Thread_local ompi_communicator_t *destination __attribute__((tls_model("initial-exec")));

static void put_back(void)
{
    if (detour == replaced->error_handler) {
        replaced->error_handler = original; /* else the program has set another one meanwhile */
    }
    expected = false;
    pthread_mutex_unlock(&replacing);
}

static void on_error(MPI_Comm *comm, int *error, ...)
{
    ompi_errhandler_t *own = original;
    ompi_communicator_t *target = destination;

    if (!expected) {
        (void) ompi_errhandler_invoke(own, *comm, OMPI_ERRHANDLER_TYPE_COMM, *error, NULL);
        return;
    }
    put_back();
    destination = NULL;
    if (NULL != target) {
        (void) ompi_errhandler_invoke(target->error_handler, target, OMPI_ERRHANDLER_TYPE_COMM,
                                      *error, "a completion call (partitioned request)");
        OBJ_RELEASE(target);
    }
}

/* The lock is held for a few instructions of another thread; unless the call it expects never
 * comes because the program has set another handler in between. */
static bool lock_replacing(void)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    return 0 == pthread_mutex_timedlock(&replacing, &limit);
}

/* Take the binding's next call to `target`'s handler, and send it to `comm` (NULL: drop it). */
static void take_next(ompi_communicator_t *target, ompi_communicator_t *comm)
{
    if (expected) {
        put_back(); /* the call that was expected has never come */
    }
    if (NULL == target->error_handler || !lock_replacing()) {
        return; /* a program of sessions only has no such communicator */
    }
    if (NULL == detour
        && MPI_SUCCESS != PMPI_Comm_create_errhandler((MPI_Comm_errhandler_function *) on_error,
                                                      &detour)) {
        pthread_mutex_unlock(&replacing);
        return;
    }
    expected = true;
    destination = comm;
    if (NULL != comm) {
        OBJ_RETAIN(comm);
    }
    replaced = target;
    original = target->error_handler;
    target->error_handler = detour;
}

/* The communicator that the binding raises an error on. */
static ompi_communicator_t *raised_on(mca_part_ucx_raised_t binding)
{
    if (PART_UCX_RAISED_ON_WORLD == binding || ompi_mpi_compat_mpi3) {
        return &ompi_mpi_comm_world.comm;
    }
    return &ompi_mpi_comm_self.comm;
}

int mca_part_ucx_error_raise(ompi_communicator_t *comm, int error, const char *function,
                             mca_part_ucx_raised_t binding)
{
    ompi_communicator_t *target = raised_on(binding);

    if (comm != target) { /* else the binding does just what is wanted */
        (void) ompi_errhandler_invoke(comm->error_handler, comm, OMPI_ERRHANDLER_TYPE_COMM, error,
                                      function);
        take_next(target, NULL);
    }
    return error;
}

void mca_part_ucx_error_completes(ompi_request_t *request)
{
#if OMPI_MAJOR_VERSION >= 6
    if (!mca_part_ucx_owed_add((mca_part_ucx_any_request_t *) request)) {
        /* Completion calls look the object up by the type of the request: a collective's error is
         * raised on req_mpi_object.comm. MPI_Start sets the type back. */
        request->req_type = OMPI_REQUEST_COLL;
    }
#else
    (void) request; /* the completion call will free it: see below */
#endif
}

void mca_part_ucx_error_freed(ompi_request_t *request)
{
#if OMPI_MAJOR_VERSION < 6
    ompi_communicator_t *comm = request->req_mpi_object.comm;
    ompi_communicator_t *target = raised_on(PART_UCX_RAISED_WITHOUT_OBJECT);

    /* A completion call has made it inactive, frees it because of its error, and raises the error
     * of the first such request next. */
    if (MPI_SUCCESS != request->req_status.MPI_ERROR
        && OMPI_REQUEST_INACTIVE == request->req_state && comm != target && !expected) {
        take_next(target, comm);
    }
#else
    mca_part_ucx_owed_remove((mca_part_ucx_any_request_t *) request);
#endif
}
