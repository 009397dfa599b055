/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A lock that is mostly tried, not waited for. The data path only ever tries it (whoever holds
 * it does the work that others queued), so a fair or sleeping lock would buy nothing; set-up
 * code may wait, yielding the processor because ranks and threads often outnumber the cores.
 *
 * All accesses are sequentially consistent: a thread that queues work and then fails to get the
 * lock relies on the holder seeing the work when it looks at the queue after releasing.
 */
#ifndef PART_UCX_LOCK_H
#define PART_UCX_LOCK_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

/** All zero: free. */
typedef struct mca_part_ucx_lock_t {
    atomic_bool held;
} mca_part_ucx_lock_t;

static inline bool mca_part_ucx_lock_try(mca_part_ucx_lock_t *lock)
{
    return !atomic_load(&lock->held) && !atomic_exchange(&lock->held, true);
}

static inline void mca_part_ucx_lock_wait(mca_part_ucx_lock_t *lock)
{
    while (!mca_part_ucx_lock_try(lock)) {
        sched_yield();
    }
}

/** A hint: it may have changed since. */
static inline bool mca_part_ucx_lock_is_held(const mca_part_ucx_lock_t *lock)
{
    return atomic_load_explicit(&lock->held, memory_order_relaxed);
}

static inline void mca_part_ucx_lock_release(mca_part_ucx_lock_t *lock)
{
    atomic_store(&lock->held, false);
}

#endif /* PART_UCX_LOCK_H */
