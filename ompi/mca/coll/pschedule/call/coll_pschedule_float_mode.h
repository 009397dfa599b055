/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How a thread calculates with floating-point numbers: how it rounds, whether it takes numbers near
 * zero for zero, what traps. Each thread has its own mode, from that of the thread that has made
 * it. Which thread reduces is a matter of time, so it does it in the mode of the one that has
 * started the request: else the bits of a result would be a matter of time, too.
 *
 * To look at it must cost next to nothing, as it is done for each reduction; <fenv.h> takes ten
 * times as long on x86. Elsewhere it is rounding only.
 */
#ifndef COLL_PSCHEDULE_FLOAT_MODE_H
#define COLL_PSCHEDULE_FLOAT_MODE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

#    define COLL_PSCHEDULE_FLOAT_RAISED 0x3fu /* what has happened, not a mode */

typedef struct mca_coll_pschedule_float_mode_t {
    uint32_t vector; /**< MXCSR */
    uint16_t x87;    /**< control word: of long double */
} mca_coll_pschedule_float_mode_t;

static inline mca_coll_pschedule_float_mode_t mca_coll_pschedule_float_mode(void)
{
    mca_coll_pschedule_float_mode_t mode;

    __asm__ volatile("stmxcsr %0" : "=m"(mode.vector));
    __asm__ volatile("fnstcw %0" : "=m"(mode.x87));
    return mode;
}

static inline bool mca_coll_pschedule_float_mode_is(const mca_coll_pschedule_float_mode_t *one,
                                                    const mca_coll_pschedule_float_mode_t *other)
{
    return 0 == ((one->vector ^ other->vector) & ~COLL_PSCHEDULE_FLOAT_RAISED)
           && one->x87 == other->x87;
}

/* What this thread's calculations have raised stays. From x87 it goes where it cannot trap now. */
static inline void mca_coll_pschedule_float_mode_set(const mca_coll_pschedule_float_mode_t *mode)
{
    uint32_t vector = mode->vector & ~COLL_PSCHEDULE_FLOAT_RAISED;
    uint16_t raised;

    __asm__ volatile("fnstsw %0" : "=m"(raised));
    __asm__ volatile("fnclex");
    vector |= (raised | mca_coll_pschedule_float_mode().vector) & COLL_PSCHEDULE_FLOAT_RAISED;
    __asm__ volatile("ldmxcsr %0" : : "m"(vector) : "memory");
    __asm__ volatile("fldcw %0" : : "m"(mode->x87) : "memory");
}

#elif defined(__aarch64__)

typedef struct mca_coll_pschedule_float_mode_t {
    uint64_t control; /**< FPCR */
} mca_coll_pschedule_float_mode_t;

static inline mca_coll_pschedule_float_mode_t mca_coll_pschedule_float_mode(void)
{
    mca_coll_pschedule_float_mode_t mode;

    __asm__ volatile("mrs %0, fpcr" : "=r"(mode.control));
    return mode;
}

static inline bool mca_coll_pschedule_float_mode_is(const mca_coll_pschedule_float_mode_t *one,
                                                    const mca_coll_pschedule_float_mode_t *other)
{
    return one->control == other->control;
}

static inline void mca_coll_pschedule_float_mode_set(const mca_coll_pschedule_float_mode_t *mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode->control) : "memory");
}

#else

#    include <fenv.h>

typedef struct mca_coll_pschedule_float_mode_t {
    int rounding;
} mca_coll_pschedule_float_mode_t;

static inline mca_coll_pschedule_float_mode_t mca_coll_pschedule_float_mode(void)
{
    return (mca_coll_pschedule_float_mode_t) {fegetround()};
}

static inline bool mca_coll_pschedule_float_mode_is(const mca_coll_pschedule_float_mode_t *one,
                                                    const mca_coll_pschedule_float_mode_t *other)
{
    return one->rounding == other->rounding;
}

static inline void mca_coll_pschedule_float_mode_set(const mca_coll_pschedule_float_mode_t *mode)
{
    (void) fesetround(mode->rounding);
}

#endif

#endif /* COLL_PSCHEDULE_FLOAT_MODE_H */
