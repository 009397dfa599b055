/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The helper thread (see part_ucx_helper.h). Its states:
 *
 *   idle      no request is active and nothing is in flight: waits for `wake` or for a message,
 *             without limit
 *   standby   an application thread is inside MPI: looks again after a short sleep
 *   watching  none is: all workers are armed, epoll_wait on their descriptors
 *   working   there were events: drives the paths until they are quiet
 *
 * What it finds when it looks decides when it looks again: each time that nobody needed it, it
 * sleeps twice as long. So a rank that waits inside MPI, or computes while nothing is to be moved,
 * gives it next to no processor time. Who has work for it ends a long sleep.
 */
#include "path/part_ucx_helper.h"

#include "path/part_ucx_app_activity.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_params.h"
#include "process/part_ucx_process.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

/* How long the helper stands by, in ms: at first; at most; and that while no request is active. */
#define STANDBY_MS 1
#define STANDBY_MOST_MS 16
#define IDLE_STANDBY_MS 128

/* So many rings in a row that brought nothing are believed. */
#define VAIN_RINGS 4

/* How long it watches before it looks at the paths, in ms: while something waits that no event
 * tells of (room in shared memory, a partly filled unit), and at most. */
#define WATCH_MS 5
#define WATCH_MOST_MS 80

/* How long exit() waits for it, in ms. */
#define EXIT_MS 100

/* So often in a row it looks again at once when nothing happens and a worker cannot be armed. */
#define REFUSALS 8

/* How deep the helper sleeps. Who has something for it rings if it sleeps at least so deep. */
typedef enum depth_t {
    AWAKE, /* or about to look */
    WATCH, /* for WATCH_MS, for want of events */
    LONG   /* longer than STANDBY_MS or WATCH_MS, perhaps without limit */
} depth_t;

static struct {
    pthread_t thread;
    atomic_bool running;
    int epoll_fd;
    int wake_fd;
    int vain_rings; /* since an application thread was last seen outside MPI */
    int standby_ms; /* how long it stands by, and watches, next */
    int watch_ms;
    int refusals;                    /* in a row */
    mca_part_ucx_app_activity_t app; /* what it knows of the application's threads */
    atomic_int depth;
    atomic_bool driving; /* it is at work on paths, or has been preempted there */
    atomic_bool watching; /* or about to arm the workers */
    atomic_bool stop;
    atomic_bool ended;
    pid_t process; /* in which it was started; 0: not yet */
} helper = {.epoll_fd = -1, .wake_fd = -1, .standby_ms = STANDBY_MS, .watch_ms = WATCH_MS};

bool mca_part_ucx_helper_wanted(void)
{
    return PART_UCX_ASYNC_OFF != mca_part_ucx_params.async;
}

static void ring(void)
{
    uint64_t one = 1;
    ssize_t written = write(helper.wake_fd, &one, sizeof(one));

    (void) written; /* a full counter means that it is awake anyway */
}

/* Whoever takes the note of a sleep away rings, also if that has become another one meanwhile: the
 * next one finds it awake, and does not. */
static void end_sleep(depth_t least)
{
    if (atomic_load_explicit(&helper.running, memory_order_relaxed)
        && atomic_load(&helper.depth) >= (int) least
        && AWAKE != atomic_exchange(&helper.depth, AWAKE)) {
        ring();
    }
}

void mca_part_ucx_helper_wake_for_work(void)
{
    end_sleep(WATCH);
}

void mca_part_ucx_helper_wake(void)
{
    end_sleep(LONG);
}

bool mca_part_ucx_helper_watches(void)
{
    return atomic_load(&helper.watching);
}

void mca_part_ucx_helper_make_way(void)
{
    if (atomic_load_explicit(&helper.driving, memory_order_relaxed)) {
        sched_yield();
    }
}

/* Make every worker wake us. False: one has events right now, or its lock is taken. `waits` becomes
 * true if something waits on a path that no event tells of. */
static bool arm_all(bool *waits)
{
    bool armed = true;

    atomic_store(&helper.watching, true);
    for (int i = 0; i < mca_part_ucx_paths.count && armed; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];

        if (!mca_part_ucx_path_is_open(path)) {
            continue;
        }
        if (!mca_part_ucx_lock_try(&path->lock)) {
            /* Its holder progresses, perhaps for long: stand by. */
            mca_part_ucx_app_activity_advance();
            return false;
        }
        armed = !mca_part_ucx_path_is_open(path) /* it has been closed meanwhile */
                || path->event_fd < 0
                || (UCS_OK == ucp_worker_arm(path->worker) && path->user->doze(path));
        *waits = *waits || NULL != path->pending
                 || (mca_part_ucx_path_is_open(path) && path->user->waits(path));
        mca_part_ucx_lock_release(&path->lock);
        /* Who queued something meanwhile found the lock taken: do it instead of sleeping. */
        if (!mca_part_ucx_queue_empty(&path->queue)) {
            atomic_store_explicit(&helper.driving, true, memory_order_relaxed);
            (void) mca_part_ucx_path_drive(path, false);
            atomic_store_explicit(&helper.driving, false, memory_order_relaxed);
            armed = false;
        }
    }
    return armed;
}

static void drain_wake(void)
{
    uint64_t value;
    ssize_t got = read(helper.wake_fd, &value, sizeof(value));

    (void) got;
}

/* Sleep until somebody rings, at most `ms`; true if somebody did. */
static bool nap(int ms)
{
    struct pollfd wake = {.fd = helper.wake_fd, .events = POLLIN};
    bool rung = poll(&wake, 1, ms) > 0;

    if (rung) {
        drain_wake();
    }
    return rung;
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
            helper.watch_ms = WATCH_MS;
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

    atomic_store_explicit(&helper.driving, true, memory_order_relaxed);
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        events += mca_part_ucx_path_drive(&mca_part_ucx_paths.path[i], false);
    }
    atomic_store_explicit(&helper.driving, false, memory_order_relaxed);
    return events;
}

/* Paths, and what others have left to do. */
static int work(void)
{
    int events;

    atomic_store_explicit(&helper.driving, true, memory_order_relaxed);
    events = mca_part_ucx_paths_drive(false);
    atomic_store_explicit(&helper.driving, false, memory_order_relaxed);
    return events + mca_part_ucx_tasks_run(&mca_part_ucx_process.tasks, INT_MAX);
}

/* Nothing has happened; were the workers armed? UCX refuses that while a message waits for room in
 * a receiver's shared memory, of which no event tells, and the receiver may be away for long. */
static void rest_if_refused(bool armed)
{
    helper.refusals = armed ? 0 : helper.refusals + 1;
    if (helper.refusals > REFUSALS) {
        helper.refusals = REFUSALS;
        (void) nap(STANDBY_MS);
    }
}

/* Nothing is active. What was sent last may still be in UCX's queues: see it off, then sleep. */
static void idle(void)
{
    bool waits = false, armed;

    if (!mca_part_ucx_paths_quiet(0.0)) {
        (void) nap(STANDBY_MS);
        return;
    }
    /* Before it arms them: who opens a path that it has passed by, or starts a request, rings. */
    atomic_store(&helper.depth, LONG);
    if (0 == drive_all()) {
        armed = arm_all(&waits);
        rest_if_refused(armed);
        if (armed && 0 == atomic_load(&mca_part_ucx_process.active) && !atomic_load(&helper.stop)) {
            (void) watch(-1);
        }
    }
    atomic_store(&helper.watching, false);
    atomic_store(&helper.depth, AWAKE);
}

/*
 * An application thread looks after the paths. A ring says that it may soon be gone. Where it never
 * was when the helper looked, as in a loop of small rounds, rings only cost: no more of them.
 */
static void standby(bool perhaps)
{
    bool heeds = helper.vain_rings < VAIN_RINGS;
    bool active = 0 != atomic_load(&mca_part_ucx_process.active);
    int most = perhaps ? STANDBY_MS : active || !heeds ? STANDBY_MOST_MS : IDLE_STANDBY_MS;
    int ms = helper.standby_ms < most ? helper.standby_ms : most;
    bool rung;

    atomic_store(&helper.depth, heeds && ms > STANDBY_MS ? LONG : AWAKE);
    rung = nap(ms);
    atomic_store(&helper.depth, AWAKE);
    helper.vain_rings += rung ? 1 : 0;
    helper.standby_ms = rung ? STANDBY_MS : 2 * ms;
    helper.watch_ms = WATCH_MS;
}

/*
 * Requests are active and nobody looks after them: work, and if there is nothing to do, sleep until
 * there is. Who leaves something behind on a path after `depth` was set ends the sleep; what was
 * left there before is seen.
 */
static void stand_in(void)
{
    bool waits = false, events = false, worked, armed;

    helper.standby_ms = STANDBY_MS;
    helper.vain_rings = 0;
    atomic_store(&helper.depth, helper.watch_ms > WATCH_MS ? LONG : WATCH);
    worked = 0 != work();
    armed = !worked && arm_all(&waits);
    rest_if_refused(worked || armed);
    if (!armed) {
        helper.watch_ms = WATCH_MS;
    } else if (mca_part_ucx_tasks_empty(&mca_part_ucx_process.tasks)) {
        helper.watch_ms = waits ? WATCH_MS : helper.watch_ms;
        events = watch(helper.watch_ms);
        helper.watch_ms = events                            ? WATCH_MS
                          : helper.watch_ms < WATCH_MOST_MS ? 2 * helper.watch_ms
                                                            : WATCH_MOST_MS;
    }
    atomic_store(&helper.watching, false);
    atomic_store(&helper.depth, AWAKE);
    if (events) {
        (void) drive_all();
    }
}

static void *helper_main(void *unused)
{
    bool know = PART_UCX_ASYNC_AUTO == mca_part_ucx_params.async;

    (void) unused;
    (void) prctl(PR_SET_NAME, "part_ucx"); /* in top, debuggers and core files */
    while (!atomic_load(&helper.stop)) {
        mca_part_ucx_where_t where = mca_part_ucx_app_activity_look(&helper.app, know);

        if (PART_UCX_OUTSIDE != where) {
            standby(PART_UCX_PERHAPS == where);
        } else if (0 == atomic_load(&mca_part_ucx_process.active)) {
            idle();
        } else {
            stand_in();
        }
    }
    atomic_store(&helper.ended, true);
    return NULL;
}

static int add_fd(int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    /* It may still be there from before. */
    return 0 == epoll_ctl(helper.epoll_fd, EPOLL_CTL_ADD, fd, &event) || EEXIST == errno ? 0 : -1;
}

void mca_part_ucx_helper_add(const mca_part_ucx_path_t *path)
{
    if (helper.running && path->event_fd >= 0) {
        if (0 != add_fd(path->event_fd)) {
            PART_UCX_VERBOSE(1, "path %d does not wake the helper thread", path->index);
        }
        mca_part_ucx_helper_wake_for_work(); /* it must arm the path before it sleeps again */
    }
}

static bool open_fds(void)
{
    helper.epoll_fd = helper.epoll_fd < 0 ? epoll_create1(EPOLL_CLOEXEC) : helper.epoll_fd;
    helper.wake_fd
        = helper.wake_fd < 0 ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : helper.wake_fd;
    if (helper.epoll_fd < 0 || helper.wake_fd < 0 || 0 != add_fd(helper.wake_fd)) {
        return false;
    }
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        if (mca_part_ucx_paths.path[i].event_fd >= 0
            && 0 != add_fd(mca_part_ucx_paths.path[i].event_fd)) {
            return false;
        }
    }
    return true;
}

void mca_part_ucx_helper_close(void)
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

/* The application's signals are the application's threads' business; but not those that this thread
 * causes itself, such as by writing to a page that a handler of the program's makes writable: what
 * is blocked then ends the process. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t others;

    sigfillset(&others);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); ++i) {
        sigdelset(&others, own[i]);
    }
    pthread_sigmask(SIG_SETMASK, &others, before);
}

/* exit() without MPI_Finalize: what the thread writes to must not be given back under its hands by
 * the destructors that follow. Whoever calls may hold a lock that it waits for. */
static void stop_at_exit(void)
{
    if (!atomic_load(&helper.running) || getpid() != helper.process) {
        return;
    }
    atomic_store(&helper.stop, true);
    ring();
    for (int i = 0; i < EXIT_MS && !atomic_load(&helper.ended); ++i) {
        (void) poll(NULL, 0, 1);
    }
}

static bool start_thread(void)
{
    sigset_t before;
    bool started;

    if (0 == helper.process) {
        (void) atexit(stop_at_exit);
    }
    helper.process = getpid();
    atomic_store(&helper.stop, false);
    atomic_store(&helper.ended, false);
    block_signals(&before);
    started = 0 == pthread_create(&helper.thread, NULL, helper_main, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void mca_part_ucx_helper_start(void)
{
    bool wanted = false;

    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        wanted = wanted || mca_part_ucx_paths.path[i].event_fd >= 0;
    }
    if (!wanted) {
        return;
    }
    if (open_fds() && start_thread()) {
        atomic_store(&helper.running, true);
    } else {
        PART_UCX_VERBOSE(1, "no helper thread: early partitions move only inside MPI calls");
    }
}

void mca_part_ucx_helper_stop(void)
{
    if (!atomic_load(&helper.running)) {
        return;
    }
    atomic_store(&helper.stop, true);
    ring();
    pthread_join(helper.thread, NULL);
    atomic_store(&helper.running, false);
}
