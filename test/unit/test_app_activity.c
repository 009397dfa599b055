/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the helper thread knows of the application's threads: one that makes progress, or has been
 * preempted since, or holds the lock of a path, is inside MPI; one that computes, sleeps or has
 * ended is not.
 */
#include "channel.h"

#include "base/part_ucx_clock.h"
#include "path/part_ucx_app_activity.h"
#include "path/part_ucx_paths.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

typedef enum doing_t { SLEEPING, COMPUTING, PROGRESSING, ENDED } doing_t;

/* A thread of an application. */
typedef struct worker_t {
    pthread_t thread;
    atomic_int doing;
    atomic_bool noted; /* it has made progress, and begun what it does */
    bool lowest;       /* gives way to all others on its processor */
} worker_t;

static void sleep_ms(long ms)
{
    struct timespec time = {.tv_nsec = ms * 1000000};

    nanosleep(&time, NULL);
}

static void bind_to_first(void)
{
    cpu_set_t may, first;

    sched_getaffinity(0, sizeof(may), &may);
    CPU_ZERO(&first);
    for (int i = 0; i < CPU_SETSIZE && 0 == CPU_COUNT(&first); ++i) {
        if (CPU_ISSET(i, &may)) {
            CPU_SET(i, &first);
        }
    }
    assert_int_equal(0, pthread_setaffinity_np(pthread_self(), sizeof(first), &first));
}

static void *work(void *argument)
{
    worker_t *worker = argument;

    if (worker->lowest) {
        struct sched_param none = {0};

        pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
    }
    mca_part_ucx_app_activity_note();
    atomic_store(&worker->noted, true);
    while (ENDED != atomic_load(&worker->doing)) {
        if (SLEEPING == atomic_load(&worker->doing)) {
            sleep_ms(1);
        } else if (PROGRESSING == atomic_load(&worker->doing)) {
            mca_part_ucx_app_activity_note();
        }
    }
    return NULL;
}

static void begin(worker_t *worker, doing_t doing)
{
    atomic_store(&worker->doing, doing);
    assert_int_equal(0, pthread_create(&worker->thread, NULL, work, worker));
    while (!atomic_load(&worker->noted)) {
        sched_yield();
    }
}

static void end(worker_t *worker)
{
    atomic_store(&worker->doing, ENDED);
    pthread_join(worker->thread, NULL);
}

/* Looks until the answer is not INSIDE or PERHAPS, for `ms` at most. */
static mca_part_ucx_where_t look_for(mca_part_ucx_app_activity_t *app, unsigned ms)
{
    uint64_t until = mca_part_ucx_clock_ns() + ms * UINT64_C(1000000);
    mca_part_ucx_where_t where = PART_UCX_INSIDE;

    while (PART_UCX_OUTSIDE != where && mca_part_ucx_clock_ns() < until) {
        sleep_ms(1);
        where = mca_part_ucx_app_activity_look(app, true);
    }
    return where;
}

static void one_that_progresses_is_inside(void **state)
{
    mca_part_ucx_app_activity_t app = {0};
    worker_t worker = {0};

    (void) state;
    begin(&worker, PROGRESSING);
    assert_int_equal(PART_UCX_INSIDE, mca_part_ucx_app_activity_look(&app, true));
    for (int i = 0; i < 20; ++i) {
        unsigned before = atomic_load(&mca_part_ucx_process.app_progress);

        while (before == atomic_load(&mca_part_ucx_process.app_progress)) {
            sched_yield();
        }
        assert_int_equal(PART_UCX_INSIDE, mca_part_ucx_app_activity_look(&app, true));
    }
    end(&worker);
}

/* Long before it would be taken for preempted. */
static void one_that_computes_is_outside(void **state)
{
    mca_part_ucx_app_activity_t app = {0};
    worker_t worker = {0};

    (void) state;
    begin(&worker, COMPUTING);
    assert_int_equal(PART_UCX_INSIDE, mca_part_ucx_app_activity_look(&app, true));
    assert_int_equal(PART_UCX_OUTSIDE, look_for(&app, 2000));
    /* It has not come back, however often one looks. */
    assert_int_equal(PART_UCX_OUTSIDE, mca_part_ucx_app_activity_look(&app, true));
    atomic_store(&worker.doing, PROGRESSING);
    while (PART_UCX_INSIDE != mca_part_ucx_app_activity_look(&app, true)) {
        sched_yield();
    }
    end(&worker);
}

static void one_that_sleeps_is_outside(void **state)
{
    mca_part_ucx_app_activity_t app = {0};
    worker_t worker = {0};

    (void) state;
    begin(&worker, SLEEPING);
    assert_int_equal(PART_UCX_INSIDE, mca_part_ucx_app_activity_look(&app, true));
    assert_int_equal(PART_UCX_OUTSIDE, look_for(&app, 2000));
    end(&worker);
    mca_part_ucx_app_activity_note(); /* so that the next look finds something new */
}

static void one_that_has_ended_is_outside(void **state)
{
    mca_part_ucx_app_activity_t app = {0};
    worker_t worker = {0};

    (void) state;
    begin(&worker, COMPUTING);
    end(&worker); /* the system may still know it for a moment */
    assert_int_equal(PART_UCX_OUTSIDE, look_for(&app, 2000));
}

/*
 * It waits on a processor on which another thread computes. The system may give it some time all
 * the same, and then it is rightly found to be outside; so one of several tries must do.
 */
static void one_that_is_preempted_is_inside_for_a_while(void **state)
{
    cpu_set_t before;
    bool seen = false;

    (void) state;
    sched_getaffinity(0, sizeof(before), &before);
    bind_to_first();
    for (int i = 0; i < 20 && !seen; ++i) {
        mca_part_ucx_app_activity_t app = {0};
        worker_t worker = {.lowest = true};
        uint64_t begun;

        begin(&worker, COMPUTING);
        (void) mca_part_ucx_app_activity_look(&app, true);
        begun = mca_part_ucx_clock_ns();
        while (mca_part_ucx_clock_ns() - begun < 5000000) { /* this is what keeps it off */
        }
        seen = PART_UCX_INSIDE == mca_part_ucx_app_activity_look(&app, true);
        while (mca_part_ucx_clock_ns() - begun < 30000000) {
        }
        assert_int_equal(PART_UCX_OUTSIDE, mca_part_ucx_app_activity_look(&app, true));
        end(&worker);
    }
    assert_true(seen);
    pthread_setaffinity_np(pthread_self(), sizeof(before), &before);
}

static void one_that_holds_a_path_is_inside(void **state)
{
    const fakeucx_options_t network = {.seed = 1};
    mca_part_ucx_app_activity_t app = {0};
    worker_t worker = {0};

    (void) state;
    channel_paths_open(2, &network);
    begin(&worker, COMPUTING);
    mca_part_ucx_lock_wait(&mca_part_ucx_paths.path[1].lock);
    for (int i = 0; i < 10; ++i) {
        sleep_ms(1);
        assert_int_equal(PART_UCX_INSIDE, mca_part_ucx_app_activity_look(&app, true));
    }
    mca_part_ucx_lock_release(&mca_part_ucx_paths.path[1].lock);
    assert_int_equal(PART_UCX_OUTSIDE, look_for(&app, 2000));
    end(&worker);
    channel_paths_close();
}

/* Who does not want to know goes by progress alone. */
static void without_knowing_each_pause_is_absence(void **state)
{
    mca_part_ucx_app_activity_t app = {0};

    (void) state;
    mca_part_ucx_app_activity_note();
    assert_int_equal(PART_UCX_INSIDE, mca_part_ucx_app_activity_look(&app, false));
    assert_int_equal(PART_UCX_OUTSIDE, mca_part_ucx_app_activity_look(&app, false));
    mca_part_ucx_app_activity_note();
    assert_int_equal(PART_UCX_INSIDE, mca_part_ucx_app_activity_look(&app, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_progresses_is_inside),
        cmocka_unit_test(one_that_computes_is_outside),
        cmocka_unit_test(one_that_sleeps_is_outside),
        cmocka_unit_test(one_that_has_ended_is_outside),
        cmocka_unit_test(one_that_is_preempted_is_inside_for_a_while),
        cmocka_unit_test(one_that_holds_a_path_is_inside),
        cmocka_unit_test(without_knowing_each_pause_is_absence),
    };

    return UNIT_RUN(tests);
}
