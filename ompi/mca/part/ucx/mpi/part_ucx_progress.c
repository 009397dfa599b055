/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's progress callback (see part_ucx_progress.h).
 */
#include "mpi/part_ucx_progress.h"

#include "base/part_ucx_thread_local.h"
#include "mpi/part_ucx_request.h"
#include "path/part_ucx_app_activity.h"
#include "path/part_ucx_helper.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_watchdog.h"
#include "wireup/part_ucx_wireup.h"

/* An idle process looks at its paths only every so many calls of opal_progress(): peers may
 * still need it (wire-up, acknowledgements), but not urgently. */
#define IDLE_CALLS 32u

/* Set-up messages are looked for in every call while a request is unmatched, else seldom. */
#define SETUP_CALLS 32u

/* And every so many calls while requests give up: a program may call only now and then. */
#define HURRY_CALLS 4u

/* A call that finds something complete only tells of it, but for every so many calls. */
#define DONE_CALLS 8u

/* Deferred tasks that one call of opal_progress() runs before it looks at the paths again. */
#define TASKS_PER_CALL 4

static int setup_progress(void)
{
    int events = 0;

    if (0 == pthread_mutex_trylock(&mca_part_ucx_process.setup_lock)) {
        events = mca_part_ucx_wireup_progress();
        mca_part_ucx_watchdog();
        pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    }
    return events;
}

/* Operators of the user, in one thread at a time, as Open MPI's nonblocking collectives do: of a
 * program in which one thread reduces they need not be fit for more, whatever others do in MPI. */
static int run_app_tasks(void)
{
    static mca_part_ucx_lock_t running;
    int events = 0;

    if (mca_part_ucx_lock_try(&running)) {
        events = mca_part_ucx_tasks_run(&mca_part_ucx_process.app_tasks, TASKS_PER_CALL);
        mca_part_ucx_lock_release(&running);
    }
    return events;
}

static int run_tasks(void)
{
    int events = 0;

    if (!mca_part_ucx_tasks_empty(&mca_part_ucx_process.tasks)) {
        events += mca_part_ucx_tasks_run(&mca_part_ucx_process.tasks, TASKS_PER_CALL);
    }
    if (!mca_part_ucx_tasks_empty(&mca_part_ucx_process.app_tasks)) {
        events += run_app_tasks();
    }
    if (0 != events) {
        mca_part_ucx_paths_drive_pushed();
    }
    return events;
}

static bool hurries(unsigned calls)
{
    return atomic_load_explicit(&mca_part_ucx_process.watch_soon, memory_order_relaxed)
           && 0 == calls % HURRY_CALLS;
}

int mca_part_ucx_progress(void)
{
    static PART_UCX_THREAD_LOCAL unsigned calls;
    int events = 0;

    if (!atomic_load_explicit(&mca_part_ucx_process.progressing, memory_order_acquire)) {
        return 0;
    }
    mca_part_ucx_app_activity_note();
    ++calls;
    if (0 == atomic_load_explicit(&mca_part_ucx_process.active, memory_order_relaxed)
        && 0 != calls % IDLE_CALLS && !hurries(calls)) {
        return 0;
    }
    /* What MPI_Pready or MPI_Start has completed: to look at the paths for it costs a system call
     * each. */
    if (!mca_part_ucx_queue_empty(&mca_part_ucx_process.done) && 0 != calls % DONE_CALLS) {
        return mca_part_ucx_requests_complete();
    }
    events += mca_part_ucx_paths_drive(true);
    if (0 == events) {
        mca_part_ucx_helper_make_way();
    } else {
        mca_part_ucx_paths_drive_pushed(); /* what has come may have given work to a path before */
    }
    events += run_tasks();
    if (0 != atomic_load_explicit(&mca_part_ucx_process.unmatched, memory_order_relaxed)
        || 0 == calls % SETUP_CALLS || hurries(calls)) {
        events += setup_progress();
    }
    if (!mca_part_ucx_queue_empty(&mca_part_ucx_process.done)) {
        events += mca_part_ucx_requests_complete();
    }
    return events;
}
