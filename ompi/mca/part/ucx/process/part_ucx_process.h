/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What there is once in a process, and all layers above share: the set-up lock, work that is left
 * for other threads, and what tells threads when to look. What belongs to one layer is there: the
 * paths in path/part_ucx_paths.h, the table of channels in channel/part_ucx_channel.h.
 */
#ifndef PART_UCX_PROCESS_H
#define PART_UCX_PROCESS_H

#include "api/part_ucx_task.h"
#include "base/part_ucx_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct mca_part_ucx_process_t {
    /** Protects set-up: matching, peers, listeners, registrations, creation of paths; and the end
     * of channels. */
    pthread_mutex_t setup_lock;
    atomic_bool progressing;        /**< paths are there: progress may look at them */
    atomic_int active;              /**< requests started and not complete */
    atomic_int unmatched;           /**< channels that wait for their other end */
    atomic_bool watch_soon;         /**< a channel ends: its end, and the other end's, wait for the
                                     * next look (wireup/part_ucx_watchdog.h) */
    atomic_uint app_progress;       /**< advances when an application thread progresses */
    atomic_int app_thread;          /**< which did so last (path/part_ucx_app_activity.h) */
    mca_part_ucx_queue_t done;      /**< final tasks: completions by an application thread */
    mca_part_ucx_tasks_t tasks;     /**< deferred tasks, for any thread that makes progress */
    mca_part_ucx_tasks_t app_tasks; /**< the same, but only for threads of the application */
    bool closing;                   /**< MPI is ending, or has ended */
    atomic_uint_least64_t strays;   /**< messages dropped: for no channel of this process */
    atomic_uint_least64_t repeats;  /**< messages dropped: they had come before */
} mca_part_ucx_process_t;

extern mca_part_ucx_process_t mca_part_ucx_process;

/**
 * Open MPI's progress, for a thread of the application that waits. Where threads are not announced
 * (MPI_THREAD_MULTIPLE), it is not made for several threads; but programs let several poll a
 * request all the same. Then one thread at a time gets in, and the others return at once.
 */
void mca_part_ucx_process_progress(void);

/** Somebody has to look after channels sooner than usual. Any thread. */
static inline void mca_part_ucx_watchdog_soon(void)
{
    atomic_store(&mca_part_ucx_process.watch_soon, true);
}

#endif /* PART_UCX_PROCESS_H */
