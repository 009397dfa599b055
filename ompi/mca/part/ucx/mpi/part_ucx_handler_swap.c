/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Replacing error handlers (see part_ucx_handler_swap.h). To keep the binding from raising an error
 * on the wrong communicator, that communicator gets a handler of ours for a moment. When the
 * binding calls it, it puts the old one back and drops the call, as the right handler has been
 * invoked already. A call by another thread, for an error of its own, goes to the old handler. All
 * this happens on error paths only.
 */
#include "mpi/part_ucx_handler_swap.h"

#include "base/part_ucx_clock.h"
#include "base/part_ucx_thread_local.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>

/* The communicator whose handler is replaced, and its own handler; under `replacing`. */
static ompi_communicator_t *replaced;
static ompi_errhandler_t *original;
static ompi_errhandler_t *detour;
static pthread_mutex_t replacing = PTHREAD_MUTEX_INITIALIZER;

/* This thread has replaced a handler, and the binding has not called it yet. */
static PART_UCX_THREAD_LOCAL bool expected;

void mca_part_ucx_handler_swap_replace(ompi_communicator_t *comm, ompi_errhandler_t *by,
                                       ompi_errhandler_t **former)
{
    OBJ_RETAIN(by);
    OPAL_THREAD_LOCK(&comm->c_lock); /* as MPI_Comm_set_errhandler */
    *former = comm->error_handler;
    /* Errors of other threads read the handler without the lock; `by` then looks for the former. */
    atomic_thread_fence(memory_order_release);
    comm->error_handler = by;
    OPAL_THREAD_UNLOCK(&comm->c_lock);
}

void mca_part_ucx_handler_swap_restore(ompi_communicator_t *comm, ompi_errhandler_t *by,
                                       ompi_errhandler_t *former)
{
    OPAL_THREAD_LOCK(&comm->c_lock);
    if (by == comm->error_handler) {
        comm->error_handler = former;
        former = by;
    }
    OPAL_THREAD_UNLOCK(&comm->c_lock);
    OBJ_RELEASE(former);
}

static void put_back(void)
{
    mca_part_ucx_handler_swap_restore(replaced, detour, original);
    expected = false;
    pthread_mutex_unlock(&replacing);
}

/* The lock is held for a few instructions of another thread; unless the call it expects never
 * comes because the program has set another handler in between. */
bool mca_part_ucx_handler_swap_lock(void)
{
    uint64_t until = mca_part_ucx_clock_ns() + UINT64_C(1000000000);

    if (expected) {
        put_back(); /* the call that was expected has never come */
    }
    while (0 != pthread_mutex_trylock(&replacing)) {
        if (mca_part_ucx_clock_ns() > until) {
            return false;
        }
        sched_yield();
    }
    return true;
}

void mca_part_ucx_handler_swap_unlock(void)
{
    pthread_mutex_unlock(&replacing);
}

/* Of another thread: by now the communicator may have its own handler back. */
static void on_error(MPI_Comm *comm, int *error, ...)
{
    ompi_errhandler_t *own = (*comm)->error_handler;
    const char *function;
    va_list arguments;

    if (expected) {
        put_back();
        return;
    }
    /* The other detour (part_ucx_failed_requests.c) looks at it. */
    va_start(arguments, error);
    function = va_arg(arguments, const char *);
    va_end(arguments);
    (void) ompi_errhandler_invoke(detour == own ? original : own, *comm,
                                  OMPI_ERRHANDLER_TYPE_COMM, *error, function);
}

void mca_part_ucx_handler_swap_drop_next(ompi_communicator_t *comm)
{
    if (NULL == comm->error_handler || !mca_part_ucx_handler_swap_lock()) {
        return; /* a program of sessions only has no such communicator */
    }
    if (NULL == detour
        && MPI_SUCCESS != PMPI_Comm_create_errhandler((MPI_Comm_errhandler_function *) on_error,
                                                      &detour)) {
        mca_part_ucx_handler_swap_unlock();
        return;
    }
    expected = true;
    replaced = comm;
    mca_part_ucx_handler_swap_replace(comm, detour, &original);
}
