/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Driving a path: work is posted in the order of pushing, urgent work at once, work that finds no
 * room later and before what came after it; the window lets two operations through and no more
 * bytes than allowed; and with many threads nothing that was pushed is ever left behind.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 40 };

/* Work that notes when it is posted. */
typedef struct job_t {
    mca_part_ucx_work_t work;
    unsigned number;
    unsigned refusals; /* so often there is no room yet */
    bool again;        /* pushes itself once more while it is posted */
} job_t;

static unsigned posted[1000];
static unsigned posted_count;

static bool job_post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    job_t *job = PART_UCX_CONTAINER(work, job_t, work);

    if (job->refusals > 0) {
        --job->refusals;
        return false;
    }
    posted[posted_count++] = job->number;
    if (job->again) {
        job->again = false;
        mca_part_ucx_path_push(path, &job->work);
    }
    return true;
}

static job_t *jobs_make(void)
{
    static job_t job[JOBS];

    memset(job, 0, sizeof(job));
    for (unsigned i = 0; i < JOBS; ++i) {
        job[i].work.post = job_post;
        job[i].number = i;
    }
    posted_count = 0;
    return job;
}

static void expect_posted(const unsigned *numbers, unsigned count)
{
    assert_int_equal(count, posted_count);
    assert_memory_equal(numbers, posted, count * sizeof(*numbers));
    posted_count = 0;
}

static mca_part_ucx_path_t *open_path(void)
{
    const fakeucx_options_t network = {.seed = 1};

    channel_paths_open(1, &network);
    return &mca_part_ucx_paths.path[0];
}

static void in_order(void **state)
{
    static const unsigned all[] = {0, 1, 2, 3, 4, 5};
    mca_part_ucx_path_t *path = open_path();
    job_t *job = jobs_make();

    (void) state;
    for (int i = 0; i < 6; ++i) {
        mca_part_ucx_path_push(path, &job[i].work);
    }
    assert_true(mca_part_ucx_path_drive(path, false) >= 6);
    expect_posted(all, 6);
    assert_int_equal(0, mca_part_ucx_path_drive(path, false));
    expect_posted(all, 0);
    channel_paths_close();
}

/* The holder of the lock does the work; who does not get the lock goes away. */
static void only_the_holder_works(void **state)
{
    static const unsigned one[] = {0};
    mca_part_ucx_path_t *path = open_path();
    job_t *job = jobs_make();

    (void) state;
    mca_part_ucx_lock_wait(&path->lock);
    mca_part_ucx_path_push(path, &job[0].work);
    assert_int_equal(0, mca_part_ucx_path_drive(path, false));
    expect_posted(one, 0);
    mca_part_ucx_lock_release(&path->lock);
    assert_true(mca_part_ucx_path_drive(path, false) > 0);
    expect_posted(one, 1);
    channel_paths_close();
}

static void urgent_work_overtakes(void **state)
{
    static const unsigned first[] = {2, 0, 1, 3};
    static const unsigned second[] = {6};
    static const unsigned third[] = {4, 5, 7};
    mca_part_ucx_path_t *path = open_path();
    job_t *job = jobs_make();

    (void) state;
    job[2].work.urgent = true;
    job[6].work.urgent = true;
    for (int i = 0; i < 4; ++i) {
        mca_part_ucx_path_push(path, &job[i].work);
    }
    (void) mca_part_ucx_path_drive(path, false);
    expect_posted(first, 4);
    job[4].refusals = 1; /* the path is full, urgent work goes nevertheless */
    for (int i = 4; i < 8; ++i) {
        mca_part_ucx_path_push(path, &job[i].work);
    }
    (void) mca_part_ucx_path_drive(path, false);
    expect_posted(second, 1);
    (void) mca_part_ucx_path_drive(path, false);
    expect_posted(third, 3);
    channel_paths_close();
}

/* What finds no room is tried again first, and nothing that comes later overtakes it. */
static void no_room(void **state)
{
    static const unsigned before[] = {0, 1};
    static const unsigned after[] = {2, 3, 4, 5};
    mca_part_ucx_path_t *path = open_path();
    job_t *job = jobs_make();

    (void) state;
    job[2].refusals = 3;
    for (int i = 0; i < 4; ++i) {
        mca_part_ucx_path_push(path, &job[i].work);
    }
    (void) mca_part_ucx_path_drive(path, false);
    expect_posted(before, 2);
    for (int i = 4; i < 6; ++i) {
        mca_part_ucx_path_push(path, &job[i].work);
        (void) mca_part_ucx_path_drive(path, false);
        expect_posted(before, 0);
    }
    (void) mca_part_ucx_path_drive(path, false);
    expect_posted(after, 4);
    channel_paths_close();
}

/* Work may be queued again while it is posted: a request that completes there may be restarted. */
static void queued_again(void **state)
{
    static const unsigned twice[] = {0, 1, 2, 0, 2};
    mca_part_ucx_path_t *path = open_path();
    job_t *job = jobs_make();

    (void) state;
    job[0].again = true;
    job[2].again = true;
    for (int i = 0; i < 3; ++i) {
        mca_part_ucx_path_push(path, &job[i].work);
    }
    (void) mca_part_ucx_path_drive(path, false);
    expect_posted(twice, 5);
    channel_paths_close();
}

/* ---- the window ---- */

static void window(void **state)
{
    static mca_part_ucx_op_t *op[200];
    mca_part_ucx_path_t *path = open_path();
    unsigned count;

    (void) state;
    mca_part_ucx_params.window = 1000;
    op[0] = mca_part_ucx_path_take_op(path, 5000); /* two may always be in flight */
    op[1] = mca_part_ucx_path_take_op(path, 5000);
    assert_true(NULL != op[0] && NULL != op[1] && op[0] != op[1]);
    assert_null(mca_part_ucx_path_take_op(path, 1));
    mca_part_ucx_path_return_op(op[0]);
    op[0] = mca_part_ucx_path_take_op(path, 700);
    assert_non_null(op[0]);
    mca_part_ucx_path_bytes_left(op[1]); /* its bytes are gone, it is not */
    op[2] = mca_part_ucx_path_take_op(path, 300);
    assert_non_null(op[2]);
    assert_null(mca_part_ucx_path_take_op(path, 1));
    assert_true(1000 == path->bytes_in_flight);
    for (int i = 0; i < 3; ++i) {
        mca_part_ucx_path_return_op(op[i]);
    }
    assert_true(0 == path->bytes_in_flight && 0 == path->ops_in_flight);
    /* Without bytes there is still an end, and each operation is another one. */
    for (count = 0; count < 200; ++count) {
        op[count] = mca_part_ucx_path_take_op(path, 0);
        if (NULL == op[count]) {
            break;
        }
        assert_ptr_equal(path, op[count]->path);
        for (unsigned i = 0; i < count; ++i) {
            assert_ptr_not_equal(op[i], op[count]);
        }
    }
    assert_uint_in_range(count, 2, 199);
    while (count > 0) {
        mca_part_ucx_path_return_op(op[--count]);
    }
    channel_paths_close();
}

/* ---- threads ---- */

enum { DRIVERS = 3 };

typedef struct counter_t {
    mca_part_ucx_work_t work;
    atomic_uint posts;
} counter_t;

typedef struct driven_t {
    counter_t counter[DRIVERS];
    uint64_t under_lock; /* plain: two threads in the path at once would lose some */
    uint32_t rounds;
    atomic_uint arrived, checked;
} driven_t;

static driven_t driven;

static bool counter_post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    (void) path;
    ++driven.under_lock;
    atomic_fetch_add(&PART_UCX_CONTAINER(work, counter_t, work)->posts, 1);
    return true;
}

/* Each pushes and drives; when all have returned, all must have been posted. */
static void push_and_drive(unsigned index, void *context)
{
    mca_part_ucx_path_t *path = context;

    for (uint32_t round = 1; round <= driven.rounds && !unit_thread_failed(); ++round) {
        mca_part_ucx_path_push(path, &driven.counter[index].work);
        (void) mca_part_ucx_path_drive(path, false);
        atomic_fetch_add(&driven.arrived, 1);
        while (0 == index && atomic_load(&driven.arrived) < round * DRIVERS
               && !unit_thread_failed()) {
            sched_yield();
        }
        for (unsigned i = 0; 0 == index && i < DRIVERS; ++i) {
            if (round != atomic_load(&driven.counter[i].posts)) {
                unit_thread_fail("round %u: work of thread %u was posted %u times", round, i,
                                 atomic_load(&driven.counter[i].posts));
            }
        }
        if (0 == index) {
            atomic_store(&driven.checked, round);
        }
        while (atomic_load(&driven.checked) < round && !unit_thread_failed()) {
            sched_yield();
        }
    }
}

static void nothing_is_left_behind(void **state)
{
    mca_part_ucx_path_t *path = open_path();

    (void) state;
    memset(&driven, 0, sizeof(driven));
    for (int i = 0; i < DRIVERS; ++i) {
        driven.counter[i].work.post = counter_post;
    }
    driven.rounds = unit_repeat(30000);
    unit_threads(DRIVERS, push_and_drive, path);
    assert_true((uint64_t) driven.rounds * DRIVERS == driven.under_lock);
    channel_paths_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order),
        cmocka_unit_test(only_the_holder_works),
        cmocka_unit_test(urgent_work_overtakes),
        cmocka_unit_test(no_room),
        cmocka_unit_test(queued_again),
        cmocka_unit_test(window),
        cmocka_unit_test(nothing_is_left_behind),
    };

    return UNIT_RUN(tests);
}
