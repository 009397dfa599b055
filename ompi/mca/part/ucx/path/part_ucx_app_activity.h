/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the threads of the application are doing: is one of them inside MPI, so that the helper
 * thread is not needed? A thread that has just made progress is. One that has not made any for a
 * while may compute, or sleep; or it waits inside MPI, and the system has given its processor to
 * another one, as happens all the time where ranks outnumber processors. Whoever drives the paths
 * in its place then fights with it for their locks, and for a processor.
 *
 * What tells the two apart is the thread's processor time: one that computes uses some without
 * making progress; one that sleeps uses none and could not; one that has been preempted uses none
 * but could.
 */
#ifndef PART_UCX_APP_ACTIVITY_H
#define PART_UCX_APP_ACTIVITY_H

#include "process/part_ucx_process.h"

#include <stdbool.h>
#include <stdint.h>

/** Where the thread is that made progress last. */
typedef enum mca_part_ucx_where_t {
    PART_UCX_OUTSIDE, /**< it computes, sleeps, or has ended */
    PART_UCX_PERHAPS, /**< it has run for a while without making progress: look again soon */
    PART_UCX_INSIDE   /**< it makes progress, or waits for a processor to do so */
} mca_part_ucx_where_t;

/** What is known of the application's threads; belongs to who looks. */
typedef struct mca_part_ucx_app_activity_t {
    unsigned progress;  /**< of mca_part_ucx_process.app_progress, when it advanced last */
    int thread;         /**< who made it: a thread id of the system, 0: nobody yet */
    uint64_t used_ns;   /**< its processor time then */
    uint64_t since_ns;  /**< when that was */
    mca_part_ucx_where_t where;
} mca_part_ucx_app_activity_t;

/** The calling thread's id; asks the system once. */
int mca_part_ucx_app_activity_self(void);

/** Some application thread makes progress; it is not known which. */
static inline void mca_part_ucx_app_activity_advance(void)
{
    /* A hint, not a count: lost updates do no harm, so no read-modify-write. */
    atomic_store_explicit(
        &mca_part_ucx_process.app_progress,
        atomic_load_explicit(&mca_part_ucx_process.app_progress, memory_order_relaxed) + 1,
        memory_order_relaxed);
}

/** The calling thread of the application makes progress: it is inside MPI. */
static inline void mca_part_ucx_app_activity_note(void)
{
    atomic_store_explicit(&mca_part_ucx_process.app_thread, mca_part_ucx_app_activity_self(),
                          memory_order_relaxed);
    mca_part_ucx_app_activity_advance();
}

/**
 * Where is the thread of the application that made progress last?
 *
 * @param app   zeroed before the first look
 * @param know  false: do not ask what it does. It is inside if it has made progress since the last
 *              look, else outside
 */
mca_part_ucx_where_t mca_part_ucx_app_activity_look(mca_part_ucx_app_activity_t *app, bool know);

#endif /* PART_UCX_APP_ACTIVITY_H */
