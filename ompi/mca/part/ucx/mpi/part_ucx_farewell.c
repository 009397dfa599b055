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

void mca_part_ucx_farewell(void)
{
    struct sigaction action;
    sigset_t broken_pipe;

    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    if (0 == sigaction(SIGPIPE, NULL, &action) && SIG_DFL == action.sa_handler) {
        (void) pthread_sigmask(SIG_BLOCK, &broken_pipe, NULL);
    }
}
