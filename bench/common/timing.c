/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Clocks, sleeping and computing.
 */
#define _GNU_SOURCE
#include "timing.h"

#include <errno.h>
#include <time.h>

static double clock_seconds(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (double) ts.tv_sec + (double) ts.tv_nsec * 1e-9;
}

double bench_now(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

double bench_thread_cpu(void)
{
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

double bench_process_cpu(void)
{
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

void bench_sleep_until(double deadline)
{
    struct timespec ts;
    ts.tv_sec = (time_t) deadline;
    ts.tv_nsec = (long) ((deadline - (double) ts.tv_sec) * 1e9);
    while (EINTR == clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL)) {
    }
}

void bench_spin_until(double deadline)
{
    while (bench_now() < deadline) {
    }
}

double bench_compute(long units)
{
    /* One dependent multiply-add per unit; the volatile copy keeps the loop. */
    volatile double seed = 1.0;
    double x = seed;
    for (long i = 0; i < units; ++i) {
        x = x * 0.999999 + 1e-6;
    }
    return x;
}
