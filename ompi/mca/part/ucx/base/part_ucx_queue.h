/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Intrusive queue: any thread pushes without a lock, one thread at a time takes everything.
 * Taking all at once makes the compare-and-swap push safe from the ABA problem.
 */
#ifndef PART_UCX_QUEUE_H
#define PART_UCX_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct mca_part_ucx_item_t {
    struct mca_part_ucx_item_t *next;
} mca_part_ucx_item_t;

/** All zero: empty. */
typedef struct mca_part_ucx_queue_t {
    _Atomic(mca_part_ucx_item_t *) newest;
} mca_part_ucx_queue_t;

/** The object of type `type` whose member `member` is at `pointer`. */
#define PART_UCX_CONTAINER(pointer, type, member) \
    ((type *) (void *) ((char *) (pointer) - offsetof(type, member)))

/** Push; after this the object belongs to whoever takes it and must not be touched. */
static inline void mca_part_ucx_queue_push(mca_part_ucx_queue_t *queue, mca_part_ucx_item_t *link)
{
    mca_part_ucx_item_t *newest = atomic_load_explicit(&queue->newest, memory_order_relaxed);

    do {
        link->next = newest;
    } while (!atomic_compare_exchange_weak(&queue->newest, &newest, link));
}

static inline bool mca_part_ucx_queue_empty(mca_part_ucx_queue_t *queue)
{
    return NULL == atomic_load(&queue->newest);
}

/** What has been taken, from the newest on to what is before `end`: turned round, oldest first. */
static inline mca_part_ucx_item_t *mca_part_ucx_queue_reverse(mca_part_ucx_item_t *item,
                                                              const mca_part_ucx_item_t *end)
{
    mca_part_ucx_item_t *oldest = NULL;

    while (end != item) {
        mca_part_ucx_item_t *next = item->next;

        item->next = oldest;
        oldest = item;
        item = next;
    }
    return oldest;
}

/** Take all; returns them oldest first, linked by next. */
static inline mca_part_ucx_item_t *mca_part_ucx_queue_take(mca_part_ucx_queue_t *queue)
{
    if (NULL == atomic_load_explicit(&queue->newest, memory_order_relaxed)) {
        return NULL;
    }
    return mca_part_ucx_queue_reverse(
        atomic_exchange_explicit(&queue->newest, NULL, memory_order_acquire), NULL);
}

#endif /* PART_UCX_QUEUE_H */
