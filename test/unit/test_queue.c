/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The queue that any thread pushes to, the mailbox that has an owner, and the lock that is tried:
 * nothing is lost or seen twice, each thread's items come out in its order, one holder at a time;
 * and what is pushed while another thread holds the lock is never left behind.
 */
#include "unit.h"

#include "base/part_ucx_lock.h"
#include "base/part_ucx_mailbox.h"

#include <sched.h>
#include <stdlib.h>

enum { PUSHERS = 3 };

typedef struct item_t {
    char before[3]; /* the link need not come first */
    mca_part_ucx_item_t link;
    unsigned thread;
    uint32_t number;
    uint32_t taken; /* how often */
} item_t;

static item_t *item_of(mca_part_ucx_item_t *link)
{
    return PART_UCX_CONTAINER(link, item_t, link);
}

static void oldest_first(void **state)
{
    mca_part_ucx_queue_t queue = {NULL};
    item_t item[5];

    (void) state;
    assert_null(mca_part_ucx_queue_take(&queue));
    for (int round = 0; round < 3; ++round) {
        mca_part_ucx_item_t *link;
        int count = 0;

        assert_true(mca_part_ucx_queue_empty(&queue));
        for (int i = 0; i < 5; ++i) {
            mca_part_ucx_queue_push(&queue, &item[i].link);
            assert_false(mca_part_ucx_queue_empty(&queue));
        }
        for (link = mca_part_ucx_queue_take(&queue); NULL != link; link = link->next) {
            assert_ptr_equal(&item[count++], item_of(link));
        }
        assert_int_equal(5, count);
    }
    assert_null(mca_part_ucx_queue_take(&queue));
}

/* ---- several threads push, one takes ---- */

typedef struct pushed_t {
    mca_part_ucx_queue_t queue;
    uint32_t count; /* items of each thread */
    item_t *item[PUSHERS];
    atomic_uint pushers;
    uint32_t next[PUSHERS]; /* of the taker: number expected from each thread */
} pushed_t;

static void take_all(pushed_t *pushed)
{
    mca_part_ucx_item_t *link = mca_part_ucx_queue_take(&pushed->queue);

    while (NULL != link) {
        item_t *item = item_of(link);

        link = link->next;
        item->link.next = &item->link; /* it is ours now */
        ++item->taken;
        if (item->number != pushed->next[item->thread]++) {
            unit_thread_fail("item %u of thread %u comes as number %u", item->number, item->thread,
                             pushed->next[item->thread] - 1);
        }
    }
}

static void push_or_take(unsigned index, void *context)
{
    pushed_t *pushed = context;

    if (index < PUSHERS) {
        for (uint32_t i = 0; i < pushed->count; ++i) {
            item_t *item = &pushed->item[index][i];

            item->thread = index;
            item->number = i;
            item->taken = 0;
            mca_part_ucx_queue_push(&pushed->queue, &item->link);
            if (0 == i % 64) {
                sched_yield();
            }
        }
        atomic_fetch_sub(&pushed->pushers, 1);
        return;
    }
    while (0 != atomic_load(&pushed->pushers) && !unit_thread_failed()) {
        take_all(pushed);
    }
    take_all(pushed);
}

static void nothing_is_lost(void **state)
{
    static pushed_t pushed;

    (void) state;
    pushed.count = unit_repeat(300000);
    atomic_init(&pushed.pushers, PUSHERS);
    for (int i = 0; i < PUSHERS; ++i) {
        pushed.item[i] = calloc(pushed.count, sizeof(*pushed.item[i]));
        assert_non_null(pushed.item[i]);
    }
    unit_threads(PUSHERS + 1, push_or_take, &pushed);
    for (int i = 0; i < PUSHERS; ++i) {
        assert_int_equal(pushed.count, pushed.next[i]);
        for (uint32_t j = 0; j < pushed.count; ++j) {
            assert_int_equal(1, pushed.item[i][j].taken);
        }
        free(pushed.item[i]);
    }
}

/* ---- the mailbox ---- */

static void one_owner(void **state)
{
    mca_part_ucx_mailbox_t box = {NULL};
    item_t item[3];
    mca_part_ucx_item_t *link;

    (void) state;
    for (int round = 0; round < 3; ++round) {
        assert_true(mca_part_ucx_mailbox_push(&box, &item[0].link));
        assert_false(mca_part_ucx_mailbox_push(&box, &item[1].link));
        assert_false(mca_part_ucx_mailbox_leave(&box));
        link = mca_part_ucx_mailbox_take(&box);
        assert_true(&item[0].link == link && &item[1].link == link->next);
        assert_null(link->next->next);
        assert_null(mca_part_ucx_mailbox_take(&box));
        assert_false(mca_part_ucx_mailbox_push(&box, &item[2].link));
        assert_false(mca_part_ucx_mailbox_leave(&box));
        assert_ptr_equal(&item[2].link, mca_part_ucx_mailbox_take(&box));
        assert_true(mca_part_ucx_mailbox_leave(&box));
    }
}

typedef struct boxed_t {
    mca_part_ucx_mailbox_t box;
    uint32_t count;
    item_t *item[PUSHERS];
    uint64_t taken; /* of the owner */
} boxed_t;

/* Who becomes the owner empties it: the thread sanitizer sees two that do so at once. */
static void push_and_own(unsigned index, void *context)
{
    boxed_t *boxed = context;

    for (uint32_t i = 0; i < boxed->count; ++i) {
        if (!mca_part_ucx_mailbox_push(&boxed->box, &boxed->item[index][i].link)) {
            continue;
        }
        do {
            mca_part_ucx_item_t *link = mca_part_ucx_mailbox_take(&boxed->box);

            for (; NULL != link; link = link->next) {
                ++item_of(link)->taken;
                ++boxed->taken;
            }
        } while (!mca_part_ucx_mailbox_leave(&boxed->box));
    }
}

static void owners_leave_nothing(void **state)
{
    static boxed_t boxed;

    (void) state;
    boxed.count = unit_repeat(300000);
    for (int i = 0; i < PUSHERS; ++i) {
        boxed.item[i] = calloc(boxed.count, sizeof(*boxed.item[i]));
        assert_non_null(boxed.item[i]);
    }
    unit_threads(PUSHERS, push_and_own, &boxed);
    assert_int_equal((uint64_t) PUSHERS * boxed.count, boxed.taken);
    for (int i = 0; i < PUSHERS; ++i) {
        for (uint32_t j = 0; j < boxed.count; ++j) {
            assert_int_equal(1, boxed.item[i][j].taken);
        }
        free(boxed.item[i]);
    }
}

/* ---- the lock ---- */

static void one_holder(void **state)
{
    mca_part_ucx_lock_t lock = {0};

    (void) state;
    for (int i = 0; i < 3; ++i) {
        assert_true(mca_part_ucx_lock_try(&lock));
        assert_false(mca_part_ucx_lock_try(&lock));
        mca_part_ucx_lock_release(&lock);
        mca_part_ucx_lock_wait(&lock);
        assert_false(mca_part_ucx_lock_try(&lock));
        mca_part_ucx_lock_release(&lock);
    }
}

typedef struct counted_t {
    mca_part_ucx_lock_t lock;
    uint32_t rounds;
    uint64_t counter; /* under the lock */
    atomic_uint_least64_t holds;
} counted_t;

static void count_under_lock(unsigned index, void *context)
{
    counted_t *counted = context;

    for (uint32_t i = 0; i < counted->rounds; ++i) {
        uint64_t before;

        if (0 == (i + index) % 3) {
            if (!mca_part_ucx_lock_try(&counted->lock)) {
                continue;
            }
        } else {
            mca_part_ucx_lock_wait(&counted->lock);
        }
        before = counted->counter;
        if (0 == i % 128) {
            sched_yield(); /* another thread runs while this one holds the lock */
        }
        counted->counter = before + 1;
        mca_part_ucx_lock_release(&counted->lock);
        atomic_fetch_add(&counted->holds, 1);
    }
}

/* The same with two threads that do nothing but try, so that they meet there very often. */
static void count_spinning(unsigned index, void *context)
{
    counted_t *counted = context;

    (void) index;
    for (uint32_t i = 0; i < counted->rounds; ++i) {
        for (uint32_t tries = 1; !mca_part_ucx_lock_try(&counted->lock); ++tries) {
            if (0 == tries % 1000) {
                sched_yield();
            }
        }
        ++counted->counter;
        mca_part_ucx_lock_release(&counted->lock);
        atomic_fetch_add(&counted->holds, 1);
    }
}

static void holders_exclude_each_other(void **state)
{
    static counted_t counted;

    (void) state;
    counted.rounds = unit_repeat(200000);
    unit_threads(4, count_under_lock, &counted);
    counted.rounds = unit_repeat(2000000);
    unit_threads(2, count_spinning, &counted);
    assert_true(counted.holds == counted.counter);
}

/* ---- push, try the lock, work, release, look again ---- */

enum { DRIVERS = 3, ROUNDS = 30000 };

typedef struct driven_t {
    mca_part_ucx_queue_t queue;
    mca_part_ucx_lock_t lock;
    item_t item[DRIVERS];
    uint32_t rounds;
    uint64_t done;       /* under the lock: items worked on */
    atomic_uint arrived; /* threads at the end of a round, all rounds together */
    atomic_uint checked; /* rounds that thread 0 has checked */
} driven_t;

static void drive(driven_t *driven)
{
    do {
        mca_part_ucx_item_t *link;

        if (!mca_part_ucx_lock_try(&driven->lock)) {
            break;
        }
        for (link = mca_part_ucx_queue_take(&driven->queue); NULL != link; link = link->next) {
            ++driven->done;
        }
        mca_part_ucx_lock_release(&driven->lock);
    } while (!mca_part_ucx_queue_empty(&driven->queue));
}

/* All threads have left drive(): whatever they pushed has been worked on by one of them. */
static void push_and_drive(unsigned index, void *context)
{
    driven_t *driven = context;

    for (uint32_t round = 0; round < driven->rounds && !unit_thread_failed(); ++round) {
        mca_part_ucx_queue_push(&driven->queue, &driven->item[index].link);
        drive(driven);
        atomic_fetch_add(&driven->arrived, 1);
        if (0 != index) {
            while (atomic_load(&driven->checked) <= round && !unit_thread_failed()) {
                sched_yield();
            }
            continue;
        }
        while (atomic_load(&driven->arrived) < (round + 1) * DRIVERS && !unit_thread_failed()) {
            sched_yield();
        }
        if (driven->done != (uint64_t) (round + 1) * DRIVERS) {
            unit_thread_fail("round %u: %llu items worked on, not %u", round,
                             (unsigned long long) driven->done, (round + 1) * DRIVERS);
        }
        atomic_fetch_add(&driven->checked, 1);
    }
}

static void nothing_is_left_behind(void **state)
{
    static driven_t driven;

    (void) state;
    driven.rounds = unit_repeat(ROUNDS);
    unit_threads(DRIVERS, push_and_drive, &driven);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oldest_first),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(one_owner),
        cmocka_unit_test(owners_leave_nothing),
        cmocka_unit_test(one_holder),
        cmocka_unit_test(holders_exclude_each_other),
        cmocka_unit_test(nothing_is_left_behind),
    };

    return UNIT_RUN(tests);
}
