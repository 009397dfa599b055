/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the unit tests share (see unit.h).
 */
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SEED    20260101u
#define DEFAULT_SECONDS 300u
#define MOST_THREADS    16u

/* ---- random numbers (splitmix64) ---- */

unit_random_t unit_stream(uint64_t index)
{
    const char *seed = getenv("MPIX_TEST_SEED");
    unit_random_t stream = NULL == seed ? DEFAULT_SEED : strtoull(seed, NULL, 10);

    stream += index * UINT64_C(0xd1342543de82ef95);
    return unit_random(&stream);
}

uint64_t unit_random(unit_random_t *stream)
{
    uint64_t z = *stream += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t unit_below(unit_random_t *stream, uint32_t limit)
{
    return (uint32_t) (unit_random(stream) % limit);
}

void unit_order(unit_random_t *stream, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t j = unit_below(stream, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
}

bool unit_is_slow(void)
{
    const char *slow = getenv("MPIX_TEST_SLOW");

    return NULL != slow && 0 == strcmp(slow, "1");
}

uint32_t unit_repeat(uint32_t times)
{
    if (unit_is_slow()) {
        times /= 10;
    }
    return 0 == times ? 1 : times;
}

/* ---- memory ---- */

_Thread_local volatile bool unit_allocating; /* the compiler knows that calloc() does not look */

void *unit_allocate(size_t bytes)
{
    void *memory;

    unit_allocating = true;
    memory = calloc(1, bytes);
    unit_allocating = false;
    if (NULL == memory) {
        abort();
    }
    return memory;
}

/* ---- threads ---- */

static char failure[512];
static atomic_bool failed;
static pthread_mutex_t failing = PTHREAD_MUTEX_INITIALIZER;

void unit_thread_fail(const char *format, ...)
{
    va_list args;

    pthread_mutex_lock(&failing);
    if (!atomic_load(&failed)) {
        va_start(args, format);
        (void) vsnprintf(failure, sizeof(failure), format, args);
        va_end(args);
        atomic_store(&failed, true);
    }
    pthread_mutex_unlock(&failing);
}

bool unit_thread_failed(void)
{
    return atomic_load_explicit(&failed, memory_order_relaxed);
}

void unit_thread_forget(void)
{
    atomic_store(&failed, false);
}

typedef struct thread_t {
    pthread_t id;
    unsigned index;
    void (*body)(unsigned index, void *context);
    void *context;
    atomic_uint *waiting; /* threads that are not there yet */
} thread_t;

static void *thread_main(void *argument)
{
    thread_t *thread = argument;

    atomic_fetch_sub(thread->waiting, 1);
    while (0 != atomic_load(thread->waiting)) {
        sched_yield();
    }
    thread->body(thread->index, thread->context);
    return NULL;
}

void unit_threads(unsigned count, void (*body)(unsigned index, void *context), void *context)
{
    thread_t thread[MOST_THREADS];
    atomic_uint waiting;

    assert_uint_in_range(count, 1, MOST_THREADS);
    atomic_init(&waiting, count);
    atomic_store(&failed, false);
    for (unsigned i = 0; i < count; ++i) {
        thread[i] = (thread_t) {.index = i, .body = body, .context = context, .waiting = &waiting};
        if (0 != pthread_create(&thread[i].id, NULL, thread_main, &thread[i])) {
            (void) fprintf(stderr, "no thread to be had\n");
            abort(); /* the others would wait for it for ever */
        }
    }
    for (unsigned i = 0; i < count; ++i) {
        (void) pthread_join(thread[i].id, NULL);
    }
    UNIT_CHECK(!atomic_load(&failed), "%s", failure);
}

/* ---- deadline ---- */

static void too_late(int signal)
{
    static const char text[] = "\nBail out! the time of the program is over\n";
    ssize_t written = write(STDOUT_FILENO, text, sizeof(text) - 1);

    (void) signal, (void) written;
    _exit(99);
}

void unit_deadline(void)
{
    const char *seconds = getenv("MPIX_TEST_TIMEOUT");

    (void) setvbuf(stdout, NULL, _IOLBF, 0); /* what has been reported must not be lost */
    (void) signal(SIGALRM, too_late);
    (void) alarm(NULL == seconds ? DEFAULT_SECONDS : (unsigned) atoi(seconds));
}
