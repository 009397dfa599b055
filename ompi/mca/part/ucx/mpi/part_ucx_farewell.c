/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SIGPIPE while Open MPI's TCP says farewell (see part_ucx_farewell.h).
 */
#include "mpi/part_ucx_farewell.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

/* Read and written by the thread that ends MPI, or the program. */
static bool held;
static pthread_t holder;

static sigset_t broken_pipe(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

void mca_part_ucx_farewell_begins(void)
{
    const sigset_t set = broken_pipe();
    sigset_t before;

    if (!held && 0 == pthread_sigmask(SIG_BLOCK, &set, &before)
        && !sigismember(&before, SIGPIPE)) {
        held = true;
        holder = pthread_self();
    }
}

void mca_part_ucx_farewell_ends(void)
{
    const sigset_t set = broken_pipe();
    const struct timespec at_once = {0, 0};

    if (!held || !pthread_equal(holder, pthread_self())) {
        return;
    }
    held = false;
    while (SIGPIPE == sigtimedwait(&set, NULL, &at_once)) {
    }
    (void) pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
