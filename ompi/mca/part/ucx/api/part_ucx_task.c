/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Deferred work (see part_ucx_task.h).
 */
#include "api/part_ucx_task.h"

void mca_part_ucx_tasks_post(mca_part_ucx_tasks_t *tasks, mca_part_ucx_task_t *task)
{
    task->item.next = NULL;
    mca_part_ucx_lock_wait(&tasks->lock);
    if (NULL == tasks->first) {
        tasks->first = &task->item;
    } else {
        tasks->last->next = &task->item;
    }
    tasks->last = &task->item;
    atomic_fetch_add(&tasks->waiting, 1);
    mca_part_ucx_lock_release(&tasks->lock);
}

static mca_part_ucx_task_t *take(mca_part_ucx_tasks_t *tasks)
{
    mca_part_ucx_item_t *link;

    mca_part_ucx_lock_wait(&tasks->lock);
    link = tasks->first;
    if (NULL != link) {
        tasks->first = link->next;
        atomic_fetch_sub(&tasks->waiting, 1);
    }
    mca_part_ucx_lock_release(&tasks->lock);
    return NULL == link ? NULL : PART_UCX_CONTAINER(link, mca_part_ucx_task_t, item);
}

int mca_part_ucx_tasks_run(mca_part_ucx_tasks_t *tasks, int limit)
{
    int ran = 0;

    while (ran < limit && !mca_part_ucx_tasks_empty(tasks)) {
        mca_part_ucx_task_t *task = take(tasks);

        if (NULL == task) {
            break; /* another thread was faster */
        }
        task->run(task);
        ++ran;
    }
    return ran;
}
