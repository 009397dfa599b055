/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the application's threads are doing (see part_ucx_app_activity.h).
 */
#include "path/part_ucx_app_activity.h"

#include "base/part_ucx_clock.h"
#include "base/part_ucx_thread_local.h"
#include "path/part_ucx_paths.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Processor time without progress after which a thread may be outside MPI, and after which it is:
 * most of what Open MPI does between two calls of our progress takes less. */
#define PERHAPS_NS UINT64_C(200000)
#define OUTSIDE_NS UINT64_C(900000)

/* After so long it counts as outside, whatever the system says: it may have been preempted while it
 * computed. */
#define PREEMPTED_NS UINT64_C(20000000)

int mca_part_ucx_app_activity_self(void)
{
    static PART_UCX_THREAD_LOCAL int self;

    if (0 == self) {
        self = (int) syscall(SYS_gettid);
    }
    return self;
}

/* Processor time of a thread; false if it has ended. The clock of a thread of the own process has
 * this number on Linux (pthread_getcpuclockid, which needs a thread that still lives). */
static bool processor_time(int thread, uint64_t *ns)
{
    clockid_t clock = (clockid_t) (~(unsigned) thread << 3 | 6u);
    struct timespec time;

    if (0 == thread || 0 != clock_gettime(clock, &time)) {
        return false;
    }
    *ns = (uint64_t) time.tv_sec * UINT64_C(1000000000) + (uint64_t) time.tv_nsec;
    return true;
}

/* Does the thread run, or would it, had it a processor? Its state follows its name in brackets. */
static bool can_run(int thread)
{
    char text[512];
    const char *name_end;
    ssize_t length;
    int fd;

    snprintf(text, sizeof(text), "/proc/self/task/%d/stat", thread);
    fd = open(text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    length = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    name_end = strrchr(text, ')');
    return NULL != name_end && 0 == strncmp(name_end, ") R", 3);
}

/* Who holds a path's lock is not the helper, which asks; so it is a thread inside MPI, perhaps for
 * long: many small messages over TCP take a system call each. */
static bool is_driving(void)
{
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        if (mca_part_ucx_lock_is_held(&mca_part_ucx_paths.path[i].lock)) {
            return true;
        }
    }
    return false;
}

static void begin(mca_part_ucx_app_activity_t *app, unsigned progress)
{
    app->progress = progress;
    app->thread = atomic_load_explicit(&mca_part_ucx_process.app_thread, memory_order_relaxed);
    app->where = processor_time(app->thread, &app->used_ns) ? PART_UCX_INSIDE : PART_UCX_OUTSIDE;
    app->since_ns = mca_part_ucx_clock_ns();
}

static mca_part_ucx_where_t judge(const mca_part_ucx_app_activity_t *app)
{
    uint64_t now;
    uint64_t used = processor_time(app->thread, &now) ? now - app->used_ns : UINT64_MAX;

    if (used >= OUTSIDE_NS || mca_part_ucx_clock_ns() - app->since_ns >= PREEMPTED_NS
        || (used < PERHAPS_NS && !can_run(app->thread))) {
        return PART_UCX_OUTSIDE;
    }
    return used >= PERHAPS_NS ? PART_UCX_PERHAPS : PART_UCX_INSIDE;
}

mca_part_ucx_where_t mca_part_ucx_app_activity_look(mca_part_ucx_app_activity_t *app, bool know)
{
    unsigned progress = atomic_load_explicit(&mca_part_ucx_process.app_progress,
                                             memory_order_relaxed);

    if (progress != app->progress || (know && PART_UCX_OUTSIDE != app->where && is_driving())) {
        begin(app, progress);
    } else if (PART_UCX_OUTSIDE != app->where) {
        app->where = know ? judge(app) : PART_UCX_OUTSIDE;
    }
    return app->where;
}
