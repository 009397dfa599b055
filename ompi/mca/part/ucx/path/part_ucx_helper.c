/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The helper thread (see part_ucx_helper.h). Its states:
 *
 *   idle      no request is active and nothing is in flight: waits for `wake` or for a message,
 *             without limit
 *   standby   an application thread progresses: looks again after a short sleep
 *   watching  nobody else progresses: all workers are armed, epoll_wait on their descriptors
 *   working   there were events: drives the paths until they are quiet
 */
#include "path/part_ucx_helper.h"

#include "path/part_ucx_paths.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_params.h"
#include "process/part_ucx_process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "ompi/constants.h"

/* How long the helper stands by after it saw an application thread progress. */
#define STANDBY_MS 1

/* While it watches, it looks at the paths at least so often: shared memory has no event for
 * "room again", and partly filled units must not be held for ever. */
#define WATCH_MS 5

static struct {
    pthread_t thread;
    bool running;
    int epoll_fd;
    int wake_fd;
    atomic_bool idle;     /* sleeps without limit */
    atomic_bool watching; /* sleeps until a worker has events, or for a short time */
    atomic_bool stop;
} helper = {.epoll_fd = -1, .wake_fd = -1};

bool mca_part_ucx_helper_wanted(void)
{
    return PART_UCX_ASYNC_OFF != mca_part_ucx_params.async;
}

void mca_part_ucx_helper_note_app(void)
{
    /* A hint, not a count: lost updates do no harm, so no read-modify-write. */
    atomic_store_explicit(
        &mca_part_ucx_process.app_progress,
        atomic_load_explicit(&mca_part_ucx_process.app_progress, memory_order_relaxed) + 1,
        memory_order_relaxed);
}

static void ring(void)
{
    uint64_t one = 1;
    ssize_t written = write(helper.wake_fd, &one, sizeof(one));

    (void) written; /* a full counter means that it is awake anyway */
}

void mca_part_ucx_helper_wake_for_work(void)
{
    if (helper.running && !atomic_load(&helper.idle)
        && atomic_load(&helper.watching) && atomic_exchange(&helper.watching, false)) {
        ring();
    }
}

void mca_part_ucx_helper_wake(void)
{
    if (helper.running && atomic_load(&helper.idle) && atomic_exchange(&helper.idle, false)) {
        ring();
    }
}

static void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = 0, .tv_nsec = ms * 1000000};

    (void) nanosleep(&time, NULL);
}

/* Make every worker wake us. False: one has events right now, or its lock is taken. */
static bool arm_all(void)
{
    bool armed = true;

    for (int i = 0; i < mca_part_ucx_paths.count && armed; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];

        if (!mca_part_ucx_path_is_open(path) || path->event_fd < 0) {
            continue;
        }
        if (!mca_part_ucx_lock_try(&path->lock)) {
            mca_part_ucx_helper_note_app(); /* its holder progresses, perhaps for long: stand by */
            return false;
        }
        armed = UCS_OK == ucp_worker_arm(path->worker);
        mca_part_ucx_lock_release(&path->lock);
        /* Work that was queued meanwhile: do it instead of sleeping. */
        armed = armed && mca_part_ucx_queue_empty(&path->queue);
    }
    return armed;
}

static void drain_wake(void)
{
    uint64_t value;
    ssize_t got = read(helper.wake_fd, &value, sizeof(value));

    (void) got;
}

/*
 * Sleep until a worker or a starter calls, at most `timeout` ms (-1: no limit); true if a worker
 * did.
 */
static bool watch(int timeout)
{
    struct epoll_event events[PART_UCX_MAX_PATHS + 1];
    int count = epoll_wait(helper.epoll_fd, events, PART_UCX_MAX_PATHS + 1, timeout);
    bool worker = false;

    for (int i = 0; i < count; ++i) {
        if (events[i].data.fd == helper.wake_fd) {
            drain_wake();
        } else {
            worker = true;
        }
    }
    return worker;
}

/* Every path, also those not in use: one of them may be what a peer is connecting to. */
static int drive_all(void)
{
    int events = 0;

    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        events += mca_part_ucx_path_drive(&mca_part_ucx_paths.path[i], false);
    }
    return events;
}

/* Nothing is active. What was sent last may still be in UCX's queues: see it off, then sleep. */
static void idle(void)
{
    if (!mca_part_ucx_paths_quiet(0.0)) {
        sleep_ms(STANDBY_MS);
        return;
    }
    if (0 != drive_all() || !arm_all()) {
        return;
    }
    atomic_store(&helper.idle, true);
    if (0 == atomic_load(&mca_part_ucx_process.active) && !atomic_load(&helper.stop)) {
        (void) watch(-1);
    }
    atomic_store(&helper.idle, false);
}

/* Sleep until there is something to do; requests are active. */
static void watch_workers(void)
{
    bool events = false;

    atomic_store(&helper.watching, true);
    if (mca_part_ucx_tasks_empty(&mca_part_ucx_process.tasks)) {
        events = watch(WATCH_MS);
    }
    atomic_store(&helper.watching, false);
    if (events) {
        (void) drive_all();
    }
}

static void *helper_main(void *unused)
{
    unsigned seen = atomic_load_explicit(&mca_part_ucx_process.app_progress, memory_order_relaxed);

    (void) unused;
    while (!atomic_load(&helper.stop)) {
        unsigned now =
            atomic_load_explicit(&mca_part_ucx_process.app_progress, memory_order_relaxed);

        if (now != seen) {
            seen = now;
            sleep_ms(STANDBY_MS);
        } else if (0 == atomic_load(&mca_part_ucx_process.active)) {
            idle();
        } else if (0 == mca_part_ucx_paths_drive(false)
                   && 0 == mca_part_ucx_tasks_run(&mca_part_ucx_process.tasks, INT_MAX)
                   && arm_all()) {
            watch_workers();
        }
    }
    return NULL;
}

static int add_fd(int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    return epoll_ctl(helper.epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

void mca_part_ucx_helper_add(const mca_part_ucx_path_t *path)
{
    if (helper.running && path->event_fd >= 0) {
        if (0 != add_fd(path->event_fd)) {
            PART_UCX_VERBOSE(1, "path %d does not wake the helper thread", path->index);
        }
        mca_part_ucx_helper_wake(); /* it must arm the path before it sleeps again */
        mca_part_ucx_helper_wake_for_work();
    }
}

static int open_fds(void)
{
    helper.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    helper.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (helper.epoll_fd < 0 || helper.wake_fd < 0 || 0 != add_fd(helper.wake_fd)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        if (mca_part_ucx_paths.path[i].event_fd >= 0
            && 0 != add_fd(mca_part_ucx_paths.path[i].event_fd)) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return OMPI_SUCCESS;
}

static void close_fds(void)
{
    if (helper.epoll_fd >= 0) {
        close(helper.epoll_fd);
    }
    if (helper.wake_fd >= 0) {
        close(helper.wake_fd);
    }
    helper.epoll_fd = -1;
    helper.wake_fd = -1;
}

int mca_part_ucx_helper_start(void)
{
    sigset_t all, before;
    bool wanted = false;
    int rc;

    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        wanted = wanted || mca_part_ucx_paths.path[i].event_fd >= 0;
    }
    if (!wanted) {
        return OMPI_SUCCESS;
    }
    rc = open_fds();
    if (OMPI_SUCCESS == rc) {
        /* The application's signals are the application's threads' business. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        atomic_store(&helper.stop, false);
        rc = 0 == pthread_create(&helper.thread, NULL, helper_main, NULL)
                 ? OMPI_SUCCESS
                 : OMPI_ERR_OUT_OF_RESOURCE;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (OMPI_SUCCESS == rc) {
        helper.running = true;
    } else {
        close_fds();
        PART_UCX_VERBOSE(1, "no helper thread: early partitions move only inside MPI calls");
    }
    return OMPI_SUCCESS;
}

void mca_part_ucx_helper_stop(void)
{
    if (!helper.running) {
        return;
    }
    atomic_store(&helper.stop, true);
    ring();
    pthread_join(helper.thread, NULL);
    helper.running = false;
    close_fds();
}
