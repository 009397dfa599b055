/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors that completion calls of Open MPI 6 have still to raise (see part_ucx_owed.h).
 */
#include "part_ucx_owed.h"

#include <pthread.h>
#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/errhandler/errcode.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/runtime/mpiruntime.h"

/* All of this under `lock`, which is taken on error paths only. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mca_part_ucx_any_request_t *owed; /* the one that failed last comes first */
static ompi_errhandler_t *detour;
static ompi_errhandler_t *original;      /* what the detour replaces, or has replaced last */

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
    mca_part_ucx_any_request_t **link = &owed;

    while (NULL != *link && request != *link) {
        link = &(*link)->owed.next;
    }
    return link;
}

/* As MPI_Comm_set_errhandler, which the program may call meanwhile. */
static void set_handler(ompi_communicator_t *comm, ompi_errhandler_t *handler)
{
    OBJ_RETAIN(handler);
    OBJ_RELEASE(comm->error_handler);
    comm->error_handler = handler;
}

static void restore_handler(void)
{
    ompi_communicator_t *target = raised_on();

    if (NULL != target && NULL != detour && detour == target->error_handler) {
        set_handler(target, original); /* else the program has set another one */
    }
}

static void unlist(mca_part_ucx_any_request_t **link)
{
    *link = (*link)->owed.next;
    if (NULL == owed) {
        restore_handler();
    }
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
 * completed several, and raises the first error only, so the others are passed over: they are
 * chosen only if there is no other, for they may be another thread's.
 */
static mca_part_ucx_any_request_t **choose(int error)
{
    mca_part_ucx_any_request_t **chosen = NULL;

    for (mca_part_ucx_any_request_t **link = &owed; NULL != *link; link = &(*link)->owed.next) {
        if (has_completed_with(*link, error)
            && (NULL == chosen || ((*chosen)->owed.passed && !(*link)->owed.passed))) {
            chosen = link;
        }
    }
    for (mca_part_ucx_any_request_t *request = owed; NULL != request && NULL != chosen;
         request = request->owed.next) {
        request->owed.passed = request->owed.passed
                               || OMPI_REQUEST_INACTIVE == request->super.req_state;
    }
    return chosen;
}

/* ---- the detour ---- */

/* Completion calls give their names to error handlers. */
static bool is_completion_call(const char *name)
{
    return NULL != name && (NULL != strstr(name, "MPI_Wait") || NULL != strstr(name, "MPI_Test"));
}

/* The communicator that the error belongs to, with a reference; NULL: not to one of ours. */
static ompi_communicator_t *take_owner(int error)
{
    ompi_communicator_t *owner = NULL;
    mca_part_ucx_any_request_t **link;

    pthread_mutex_lock(&lock);
    link = choose(error);
    if (NULL != link) {
        owner = (*link)->super.req_mpi_object.comm;
        OBJ_RETAIN(owner);
        unlist(link);
    }
    pthread_mutex_unlock(&lock);
    return owner;
}

static void on_error(MPI_Comm *comm, int *error, ...)
{
    ompi_communicator_t *owner = NULL;
    const char *name;
    va_list arguments;

    va_start(arguments, error);
    name = va_arg(arguments, const char *);
    va_end(arguments);
    if (is_completion_call(name)) {
        owner = take_owner(*error);
    }
    if (NULL == owner) {
        (void) ompi_errhandler_invoke(original, *comm, OMPI_ERRHANDLER_TYPE_COMM, *error, name);
    } else {
        (void) ompi_errhandler_invoke(owner->error_handler, owner, OMPI_ERRHANDLER_TYPE_COMM,
                                      *error, name);
        OBJ_RELEASE(owner);
    }
}

static bool install(void)
{
    ompi_communicator_t *target = raised_on();

    if (NULL == target) {
        return false;
    }
    if (NULL == detour
        && MPI_SUCCESS != PMPI_Comm_create_errhandler((MPI_Comm_errhandler_function *) on_error,
                                                      &detour)) {
        return false;
    }
    if (detour != target->error_handler) {
        if (NULL != original) {
            OBJ_RELEASE(original);
        }
        original = target->error_handler;
        OBJ_RETAIN(original);
        set_handler(target, detour);
    }
    return true;
}

bool mca_part_ucx_owed_add(mca_part_ucx_any_request_t *request)
{
    bool listed;

    pthread_mutex_lock(&lock);
    listed = install();
    request->owed.passed = false;
    if (listed && NULL == *find(request)) {
        request->owed.next = owed;
        owed = request;
    }
    pthread_mutex_unlock(&lock);
    return listed;
}

void mca_part_ucx_owed_remove(mca_part_ucx_any_request_t *request)
{
    mca_part_ucx_any_request_t **link;

    pthread_mutex_lock(&lock);
    link = find(request);
    if (NULL != *link) {
        unlist(link);
    }
    pthread_mutex_unlock(&lock);
}

void mca_part_ucx_owed_forget(void)
{
    pthread_mutex_lock(&lock);
    owed = NULL;
    restore_handler();
    pthread_mutex_unlock(&lock);
}
