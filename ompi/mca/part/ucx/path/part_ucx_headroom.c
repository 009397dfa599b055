/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Room for UCX's thread and descriptors (see part_ucx_headroom.h).
 */
#include "path/part_ucx_headroom.h"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* An epoll set and a pipe of UCX's thread; an epoll set, an event and sockets of a worker. */
#define DESCRIPTORS 16

static void *end(void *unused)
{
    return unused;
}

/* The program's signals are not for it. */
static bool has_thread(void)
{
    sigset_t all, before;
    pthread_t thread;
    bool created;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    created = 0 == pthread_create(&thread, NULL, end, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (created) {
        pthread_join(thread, NULL);
    }
    return created;
}

static bool has_descriptors(void)
{
    int descriptor[DESCRIPTORS];
    int count = 0;

    while (count < DESCRIPTORS && -1 != (descriptor[count] = eventfd(0, EFD_CLOEXEC))) {
        ++count;
    }
    for (int i = 0; i < count; ++i) {
        close(descriptor[i]);
    }
    return DESCRIPTORS == count;
}

bool mca_part_ucx_headroom(void)
{
    return has_descriptors() && has_thread();
}
