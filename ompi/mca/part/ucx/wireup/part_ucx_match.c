/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Posted and unexpected queues of partitioned set-up (see part_ucx_match.h).
 */
#include "wireup/part_ucx_match.h"

#include "base/part_ucx_queue.h"

#include <stddef.h>

uint64_t mca_part_ucx_match_hash(const mca_part_ucx_match_key_t *key)
{
    uint64_t value = mca_part_ucx_hash_mix(0, (uintptr_t) key->comm);

    value = mca_part_ucx_hash_mix(value, (uint64_t) (uint32_t) key->source << 32
                                             | (uint32_t) key->tag);
    return mca_part_ucx_hash_mix(value, key->space);
}

bool mca_part_ucx_match_equal(const mca_part_ucx_match_key_t *a, const mca_part_ucx_match_key_t *b)
{
    return a->comm == b->comm && a->source == b->source && a->tag == b->tag
           && a->space == b->space;
}

static mca_part_ucx_match_entry_t *entry_of(mca_part_ucx_hashed_t *waits)
{
    return PART_UCX_CONTAINER(waits, mca_part_ucx_match_entry_t, waits);
}

static uint64_t order_of(const mca_part_ucx_hashed_t *waits)
{
    return entry_of((mca_part_ucx_hashed_t *) (uintptr_t) waits)->order;
}

/* The oldest entry with a key, taken off its queue. */
static mca_part_ucx_match_entry_t *take(mca_part_ucx_hash_t *queue,
                                        const mca_part_ucx_match_key_t *key, uint64_t value)
{
    mca_part_ucx_hashed_t *waits = mca_part_ucx_hash_first(queue, value);

    for (; NULL != waits; waits = mca_part_ucx_hash_next(queue, waits)) {
        if (mca_part_ucx_match_equal(&entry_of(waits)->key, key)) {
            (void) mca_part_ucx_hash_remove(waits);
            return entry_of(waits);
        }
    }
    return NULL;
}

/* Meet an entry of `waiting`, or wait in `own`; `order`: 0, or its old place there. */
static mca_part_ucx_match_entry_t *match_or_wait(mca_part_ucx_match_t *match,
                                                 mca_part_ucx_hash_t *waiting,
                                                 mca_part_ucx_hash_t *own,
                                                 mca_part_ucx_match_entry_t *entry, uint64_t order)
{
    uint64_t value = mca_part_ucx_match_hash(&entry->key);
    mca_part_ucx_match_entry_t *met = take(waiting, &entry->key, value);

    entry->order = 0 == order ? ++match->order : order;
    if (NULL == met) {
        mca_part_ucx_hash_insert(own, &entry->waits, value, order_of);
    }
    return met;
}

mca_part_ucx_match_entry_t *mca_part_ucx_match_receive(mca_part_ucx_match_t *match,
                                                       mca_part_ucx_match_entry_t *receive,
                                                       uint64_t order)
{
    return match_or_wait(match, &match->unexpected, &match->posted, receive, order);
}

mca_part_ucx_match_entry_t *mca_part_ucx_match_announce(mca_part_ucx_match_t *match,
                                                        mca_part_ucx_match_entry_t *send,
                                                        uint64_t order)
{
    return match_or_wait(match, &match->posted, &match->unexpected, send, order);
}

bool mca_part_ucx_match_withdraw(mca_part_ucx_match_entry_t *entry)
{
    return mca_part_ucx_hash_remove(&entry->waits);
}

mca_part_ucx_match_entry_t *mca_part_ucx_match_any_announce(const mca_part_ucx_match_t *match,
                                                            uint64_t *from)
{
    mca_part_ucx_hashed_t *waits = mca_part_ucx_hash_any(&match->unexpected, from);

    return NULL == waits ? NULL : entry_of(waits);
}

void mca_part_ucx_match_destroy(mca_part_ucx_match_t *match)
{
    mca_part_ucx_hash_destroy(&match->posted);
    mca_part_ucx_hash_destroy(&match->unexpected);
}
