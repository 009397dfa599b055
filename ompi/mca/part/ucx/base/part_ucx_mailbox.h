/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A queue with an owner. Any thread pushes without a lock. Who pushes into one that nobody owns
 * becomes its owner, and hands it to whoever is to empty it. The owner takes all, again and again,
 * and leaves it when nothing has come meanwhile. Emptiness and ownership are one word, so a thread
 * that has pushed need not look at the queue again: it may be gone by then.
 */
#ifndef PART_UCX_MAILBOX_H
#define PART_UCX_MAILBOX_H

#include "base/part_ucx_queue.h"

/** All zero: empty, without an owner. */
typedef struct mca_part_ucx_mailbox_t {
    mca_part_ucx_queue_t queue;
    mca_part_ucx_item_t owned; /**< the queue ends with this one while it has an owner */
} mca_part_ucx_mailbox_t;

/** Push. True: the caller owns it now, and the item stays there until it is emptied. Else the item,
 * and what it keeps alive, must not be touched any more. */
static inline bool mca_part_ucx_mailbox_push(mca_part_ucx_mailbox_t *box,
                                             mca_part_ucx_item_t *item)
{
    mca_part_ucx_item_t *newest = atomic_load_explicit(&box->queue.newest, memory_order_relaxed);
    bool owns;

    do {
        owns = NULL == newest;
        item->next = owns ? &box->owned : newest;
    } while (!atomic_compare_exchange_weak(&box->queue.newest, &newest, item));
    return owns;
}

/** Take all, oldest first; the owner. NULL: nothing has come since it took last. */
static inline mca_part_ucx_item_t *mca_part_ucx_mailbox_take(mca_part_ucx_mailbox_t *box)
{
    return mca_part_ucx_queue_reverse(
        atomic_exchange_explicit(&box->queue.newest, &box->owned, memory_order_acquire),
        &box->owned);
}

/** Own it no longer; the owner, who has taken before. False: more has come, it still owns it. */
static inline bool mca_part_ucx_mailbox_leave(mca_part_ucx_mailbox_t *box)
{
    mca_part_ucx_item_t *nothing = &box->owned;

    return atomic_compare_exchange_strong(&box->queue.newest, &nothing, NULL);
}

#endif /* PART_UCX_MAILBOX_H */
