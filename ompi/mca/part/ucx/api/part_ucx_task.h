/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Work that must not be done where it becomes known. Two kinds:
 *
 *   deferred   may take time (a reduction), so it is not done under the lock of a path; any thread
 *              that makes progress does it, the helper thread too
 *   final      completes a request of Open MPI, so only threads of the application do it
 *
 * A task is embedded in its owner and must not be touched between being posted and being run.
 */
#ifndef PART_UCX_TASK_H
#define PART_UCX_TASK_H

#include "base/part_ucx_lock.h"
#include "base/part_ucx_queue.h"

typedef struct mca_part_ucx_task_t {
    mca_part_ucx_item_t item;
    void (*run)(struct mca_part_ucx_task_t *task); /**< called without locks */
} mca_part_ucx_task_t;

/** Deferred tasks, oldest first. */
typedef struct mca_part_ucx_tasks_t {
    mca_part_ucx_lock_t lock;   /**< of the list; taken under a path's lock, nothing under it */
    mca_part_ucx_item_t *first;
    mca_part_ucx_item_t *last;  /**< valid unless the list is empty */
    atomic_uint waiting;        /**< length of the list, to look at without the lock */
} mca_part_ucx_tasks_t;

/** Post a task; from any thread, also under the lock of a path. */
void mca_part_ucx_tasks_post(mca_part_ucx_tasks_t *tasks, mca_part_ucx_task_t *task);

/** Run tasks until there are none, at most `limit`; returns how many. Without locks. */
int mca_part_ucx_tasks_run(mca_part_ucx_tasks_t *tasks, int limit);

/** Is there none? */
static inline bool mca_part_ucx_tasks_empty(mca_part_ucx_tasks_t *tasks)
{
    return 0 == atomic_load(&tasks->waiting);
}

#endif /* PART_UCX_TASK_H */
