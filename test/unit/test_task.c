/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Deferred tasks: each runs once, in order when one thread runs them, never more than asked for.
 */
#include "unit.h"

#include "api/part_ucx_task.h"

#include <stdlib.h>

#define THREADS 4
#define TASKS   500

typedef struct job_t {
    mca_part_ucx_task_t task;
    atomic_uint runs;   /* in this round */
    unsigned number;
    atomic_uint *order; /* counts runs of all jobs */
    unsigned place;     /* when this one ran */
} job_t;

static void run_job(mca_part_ucx_task_t *task)
{
    job_t *job = PART_UCX_CONTAINER(task, job_t, task);

    job->place = atomic_fetch_add(job->order, 1);
    atomic_fetch_add(&job->runs, 1);
}

static void make(job_t *job, unsigned count, atomic_uint *order)
{
    for (unsigned i = 0; i < count; ++i) {
        job[i] = (job_t) {.task.run = run_job, .number = i, .order = order};
    }
}

static void oldest_first_and_limited(void **state)
{
    static mca_part_ucx_tasks_t tasks;
    static job_t job[10];
    atomic_uint order = 0;

    (void) state;
    make(job, 10, &order);
    assert_true(mca_part_ucx_tasks_empty(&tasks));
    assert_int_equal(0, mca_part_ucx_tasks_run(&tasks, 5));
    for (unsigned i = 0; i < 10; ++i) {
        mca_part_ucx_tasks_post(&tasks, &job[i].task);
        assert_false(mca_part_ucx_tasks_empty(&tasks));
    }
    assert_int_equal(3, mca_part_ucx_tasks_run(&tasks, 3));
    assert_int_equal(3, atomic_load(&order));
    assert_int_equal(7, mca_part_ucx_tasks_run(&tasks, 100));
    assert_true(mca_part_ucx_tasks_empty(&tasks));
    for (unsigned i = 0; i < 10; ++i) {
        assert_int_equal(i, job[i].place);
        assert_int_equal(1, atomic_load(&job[i].runs));
    }
}

/* A task may post others, and itself again. */
typedef struct chain_t {
    mca_part_ucx_task_t task;
    mca_part_ucx_tasks_t *tasks;
    unsigned left;
} chain_t;

static void run_chain(mca_part_ucx_task_t *task)
{
    chain_t *chain = PART_UCX_CONTAINER(task, chain_t, task);

    if (0 != --chain->left) {
        mca_part_ucx_tasks_post(chain->tasks, task);
    }
}

static void posted_again_by_itself(void **state)
{
    static mca_part_ucx_tasks_t tasks;
    chain_t chain = {.task.run = run_chain, .tasks = &tasks, .left = 7};

    (void) state;
    mca_part_ucx_tasks_post(&tasks, &chain.task);
    assert_int_equal(7, mca_part_ucx_tasks_run(&tasks, 100));
    assert_int_equal(0, chain.left);
    assert_true(mca_part_ucx_tasks_empty(&tasks));
}

typedef struct crowd_t {
    mca_part_ucx_tasks_t tasks;
    job_t job[THREADS][TASKS];
    atomic_uint order;
} crowd_t;

/* Every thread posts its own and runs whatever there is, until all have run. */
static void post_and_run(unsigned index, void *context)
{
    crowd_t *crowd = context;
    unit_random_t random = unit_stream(index);

    for (unsigned i = 0; i < TASKS; ++i) {
        mca_part_ucx_tasks_post(&crowd->tasks, &crowd->job[index][i].task);
        if (0 == unit_below(&random, 3)) {
            (void) mca_part_ucx_tasks_run(&crowd->tasks, 1 + (int) unit_below(&random, 4));
        }
    }
    while (atomic_load(&crowd->order) < THREADS * TASKS) {
        (void) mca_part_ucx_tasks_run(&crowd->tasks, 4);
    }
}

static void threads_post_and_run(void **state)
{
    static crowd_t crowd;

    (void) state;
    for (uint32_t round = unit_repeat(100); round > 0; --round) {
        atomic_store(&crowd.order, 0);
        make(&crowd.job[0][0], THREADS * TASKS, &crowd.order);
        unit_threads(THREADS, post_and_run, &crowd);
        for (unsigned i = 0; i < THREADS * TASKS; ++i) {
            UNIT_CHECK(1 == atomic_load(&(&crowd.job[0][0])[i].runs), "task %u ran %u times", i,
                       atomic_load(&(&crowd.job[0][0])[i].runs));
        }
        assert_true(mca_part_ucx_tasks_empty(&crowd.tasks));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oldest_first_and_limited),
        cmocka_unit_test(posted_again_by_itself),
        cmocka_unit_test(threads_post_and_run),
    };

    return UNIT_RUN(tests);
}
