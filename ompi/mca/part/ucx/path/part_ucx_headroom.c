/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Room for UCX's thread and descriptors (see part_ucx_headroom.h).
 */
#include "path/part_ucx_headroom.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

/* UCX's thread, and the helper. */
#define THREADS 2

/* An epoll set and a pipe of UCX's thread; an epoll set, an event and sockets of a worker. */
#define DESCRIPTORS 16

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *stay(void *unused)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return unused;
}

/* All at the same time. */
static bool has_threads(void)
{
    pthread_t thread[THREADS];
    int count = 0;

    pthread_mutex_lock(&gate);
    while (count < THREADS && 0 == pthread_create(&thread[count], NULL, stay, NULL)) {
        ++count;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < count; ++i) {
        pthread_join(thread[i], NULL);
    }
    return THREADS == count;
}

static bool has_descriptors(void)
{
    int descriptor[DESCRIPTORS];
    int count = 0;

    while (count < DESCRIPTORS
           && -1 != (descriptor[count] = open("/dev/null", O_RDONLY | O_CLOEXEC))) {
        ++count;
    }
    for (int i = 0; i < count; ++i) {
        close(descriptor[i]);
    }
    return DESCRIPTORS == count;
}

bool mca_part_ucx_headroom(void)
{
    return has_descriptors() && has_threads();
}
