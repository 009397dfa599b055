/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in for the thread header of Open MPI's pthreads component (see threads_pthreads_mutex.h
 * here): opal/mca/threads/threads.h declares opal_thread_yield() and expects the body from here.
 */

#ifndef MPIX_COMPAT_THREADS_PTHREADS_THREADS_H
#define MPIX_COMPAT_THREADS_PTHREADS_THREADS_H

#include <pthread.h>
#include <signal.h>

#include "opal/mca/threads/pthreads/threads_pthreads.h"
#include "opal/mca/threads/threads.h"

static inline void opal_thread_yield(void)
{
    opal_threads_pthreads_yield_fn();
}

#endif /* MPIX_COMPAT_THREADS_PTHREADS_THREADS_H */
