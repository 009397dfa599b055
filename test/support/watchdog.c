/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Deadlines: a program that hangs says on every rank what it was doing and where each of its
 * threads stands, reports a failed property, and ends.
 *
 * No helper thread does this, for programs at MPI_THREAD_SINGLE must have one thread; SIGALRM it
 * is. The handler writes with write(2) only. backtrace() allocates on its first use, which is why
 * mt_watchdog_start calls it once before.
 */

#include "internal.h"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SECONDS 60.0
#define MAX_FRAMES      24
#define OWN_FRAMES      3 /* the handler, its caller, the signal trampoline */
#define STACK_SIGNAL    SIGUSR2

static struct {
    int rank;
    char stage[256];
    double armed_at;
    double deadline; /* of the whole program; 0: there is none */
    volatile sig_atomic_t plan_printed;
    volatile sig_atomic_t fired;
} watchdog;

double mt_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

static void pause_for(double seconds)
{
    struct timespec left = {.tv_sec = (time_t) seconds,
                            .tv_nsec = (long) ((seconds - (double) (time_t) seconds) * 1e9)};

    while (0 != nanosleep(&left, &left)) {
        /* interrupted by a signal: sleep the rest */
    }
}

void mt_sleep(double seconds)
{
    pause_for(seconds);
}

static void say(const char *format, ...) MT_PRINTF(1, 2);

static void say(const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length >= (int) sizeof(text)) {
        length = (int) sizeof(text) - 1;
    }
    if (write(STDOUT_FILENO, text, (size_t) length) < 0) {
        return; /* nobody is left to tell */
    }
}

/* "/a/b/libx.so(f+0x1)[0x2]" -> "#   libx.so(f+0x1)[0x2]", line by line. */
static void print_lines(char *text)
{
    char out[8192];
    size_t used = 0;

    for (char *line = strtok(text, "\n"); NULL != line; line = strtok(NULL, "\n")) {
        char *end = strchr(line, '(');
        if (NULL != end) {
            *end = '\0';
            char *slash = strrchr(line, '/');
            line = NULL != slash ? slash + 1 : line;
            *end = '(';
        }
        int length =
            snprintf(out + used, sizeof(out) - used, "# rank %d:   %s\n", watchdog.rank, line);
        if (length < 0 || used + (size_t) length >= sizeof(out)) {
            break;
        }
        used += (size_t) length;
    }
    if (write(STDOUT_FILENO, out, used) < 0) {
        return; /* nobody is left to tell */
    }
}

/* Runs in the thread whose stack is wanted. The lines go through a memory file, so that they
 * leave in one write and do not mix with those of other ranks. */
static void print_stack(int signal_number)
{
    static char text[8192];
    void *frames[MAX_FRAMES];
    int count = backtrace(frames, MAX_FRAMES);
    int skip = count > OWN_FRAMES ? OWN_FRAMES : 0;
    int file = memfd_create("stack", MFD_CLOEXEC);
    (void) signal_number;

    if (file < 0) {
        return;
    }
    dprintf(file, "thread %ld\n", (long) syscall(SYS_gettid));
    backtrace_symbols_fd(frames + skip, count - skip, file);
    ssize_t length = pread(file, text, sizeof(text) - 1, 0);
    close(file);
    if (length > 0) {
        text[length] = '\0';
        print_lines(text);
    }
}

/* Threads that block signals (those of PMIx do) stay silent. */
static void print_all_stacks(void)
{
    long self = (long) syscall(SYS_gettid);
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;

    print_stack(0);
    if (NULL == tasks) {
        return;
    }
    while (NULL != (entry = readdir(tasks))) {
        long thread = strtol(entry->d_name, NULL, 10);
        if (thread > 0 && thread != self) {
            (void) syscall(SYS_tgkill, getpid(), thread, STACK_SIGNAL);
            pause_for(0.02);
        }
    }
    closedir(tasks);
}

static void deadline_passed(int signal_number)
{
    (void) signal_number;
    if (watchdog.fired) {
        _exit(124);
    }
    watchdog.fired = 1;
    say("# rank %d: no end after %.1f s, at: %s\n", watchdog.rank, mt_now() - watchdog.armed_at,
        watchdog.stage);
    print_all_stacks();
    if (0 == watchdog.rank) {
        pause_for(0.5); /* let the other ranks speak first */
        if (watchdog.plan_printed) {
            say("Bail out! hang: %s\n", watchdog.stage);
        } else {
            say("not ok %d - hang: %s\n1..%d\n", mt_properties() + 1, watchdog.stage,
                mt_properties() + 1);
        }
        pause_for(0.2);
    } else {
        pause_for(3.0); /* the end of any rank ends the job: rank 0 must have printed its line */
    }
    _exit(124);
}

void mt_stage(const char *format, ...)
{
    char text[sizeof(watchdog.stage)];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    memcpy(watchdog.stage, text, sizeof(text));
}

void mt_limit(double seconds)
{
    struct itimerval timer;
    /* Before the launcher ends the job, without stacks. */
    double left = watchdog.deadline - mt_now();

    seconds = watchdog.deadline > 0 && left < seconds ? left : seconds;
    seconds = seconds < 0.001 ? 0.001 : seconds; /* 0 would be no limit */
    memset(&timer, 0, sizeof(timer));
    timer.it_value.tv_sec = (time_t) seconds;
    timer.it_value.tv_usec = (suseconds_t) ((seconds - (double) (time_t) seconds) * 1e6);
    watchdog.armed_at = mt_now();
    setitimer(ITIMER_REAL, &timer, NULL);
}

void mt_watchdog_start(int rank)
{
    struct sigaction action;
    void *frames[2];
    const char *text = getenv("MPIX_TEST_TIMEOUT");
    double seconds = NULL == text ? DEFAULT_SECONDS : strtod(text, NULL);

    watchdog.rank = rank;
    mt_stage("start");
    (void) backtrace(frames, 2);
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    action.sa_handler = print_stack;
    sigaction(STACK_SIGNAL, &action, NULL);
    action.sa_handler = deadline_passed;
    sigaction(SIGALRM, &action, NULL);
    watchdog.deadline = NULL == text || seconds <= 0 ? 0 : mt_now() + seconds;
    mt_limit(seconds > 0 ? seconds : DEFAULT_SECONDS);
}

void mt_watchdog_plan_printed(void)
{
    watchdog.plan_printed = 1;
}

void mt_watchdog_stop(void)
{
    struct itimerval timer;

    memset(&timer, 0, sizeof(timer));
    setitimer(ITIMER_REAL, &timer, NULL);
}
