/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the unit tests share: random numbers, threads, a deadline, and cmocka itself.
 *
 * cmocka's assertions leave a test with longjmp(), so only the main thread may use them; other
 * threads report through unit_thread_fail().
 *
 * Environment: MPIX_TEST_SEED (random numbers), MPIX_TEST_SLOW=1 (repeat less often, for slow
 * builds), MPIX_TEST_TIMEOUT (seconds for the whole program).
 */
#ifndef MPIX_UNIT_H
#define MPIX_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The name since cmocka 2, which warns of the old one. */
#ifndef assert_uint_in_range
#define assert_uint_in_range(value, minimum, maximum) assert_in_range(value, minimum, maximum)
#endif

/** A stream of random numbers; any value is a good beginning. */
typedef uint64_t unit_random_t;

/** A stream of its own for part `index` of a test, from the seed of the run. */
unit_random_t unit_stream(uint64_t index);

/** The next number. */
uint64_t unit_random(unit_random_t *stream);

/** The next number below `limit`. */
uint32_t unit_below(unit_random_t *stream, uint32_t limit);

/** Fill `order` with 0..count-1 in random order. */
void unit_order(unit_random_t *stream, uint32_t *order, uint32_t count);

/** How often to repeat: `times`, or a tenth of it in slow builds. */
uint32_t unit_repeat(uint32_t times);

/** Is this one of those? */
bool unit_is_slow(void);

/** Memory of zeros, for what stands around the component; freed with free(). */
void *unit_allocate(size_t bytes);

/** Is this thread inside of unit_allocate()? For tests that count what the component allocates. */
extern _Thread_local volatile bool unit_allocating;

/** Fail the running test with a text, unless `good`. Main thread only. */
#define UNIT_CHECK(good, ...)      \
    do {                           \
        if (!(good)) {             \
            fail_msg(__VA_ARGS__); \
        }                          \
    } while (0)

/** Remember a failure of a thread; the first one counts. */
void unit_thread_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Has a thread failed? For loops that would never end then. */
bool unit_thread_failed(void);

/** It was to fail. No thread may run. */
void unit_thread_forget(void);

/**
 * Run `body(index, context)` in `count` threads (16 at most) that begin together; wait for all, and
 * fail the running test if one of them has reported a failure.
 */
void unit_threads(unsigned count, void (*body)(unsigned index, void *context), void *context);

/** Run the tests with a deadline; the value for main() to return. */
#define UNIT_RUN(tests) (unit_deadline(), cmocka_run_group_tests(tests, NULL, NULL))

/** End the program when its time is over. */
void unit_deadline(void);

#endif /* MPIX_UNIT_H */
