/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Room for UCX's thread and descriptors (see part_ucx_headroom.h).
 */
#include "path/part_ucx_headroom.h"

#include "process/part_ucx_log.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
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

uint64_t mca_part_ucx_descriptors_open(uint64_t all)
{
    DIR *folder = opendir("/proc/self/fd");
    uint64_t count = 0;

    if (NULL == folder) {
        return EMFILE == errno ? all : 0;
    }
    while (NULL != readdir(folder)) {
        ++count;
    }
    (void) closedir(folder);
    return count;
}

/* The limit that a process begins with is often a part of what it may ask for (1024 of 524288). */
uint64_t mca_part_ucx_descriptors_raise(uint64_t wanted)
{
    struct rlimit limit, more;

    if (0 != getrlimit(RLIMIT_NOFILE, &limit)) {
        return UINT64_MAX;
    }
    more = limit;
    if (wanted > limit.rlim_cur) { /* twice as many at least: others need some, too */
        more.rlim_cur = wanted > 2 * limit.rlim_cur ? wanted : 2 * limit.rlim_cur;
        more.rlim_cur = more.rlim_cur < limit.rlim_max ? more.rlim_cur : limit.rlim_max;
    }
    if (more.rlim_cur <= limit.rlim_cur || 0 != setrlimit(RLIMIT_NOFILE, &more)) {
        return limit.rlim_cur;
    }
    PART_UCX_VERBOSE(1, "file descriptors: the limit is %llu now, it was %llu",
                     (unsigned long long) more.rlim_cur, (unsigned long long) limit.rlim_cur);
    return more.rlim_cur;
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
    bool enough = has_descriptors();

    if (!enough) {
        (void) mca_part_ucx_descriptors_raise(mca_part_ucx_descriptors_raise(0) + DESCRIPTORS);
        enough = has_descriptors();
    }
    return enough && has_thread();
}
