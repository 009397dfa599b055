/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Posted and unexpected queues of partitioned set-up (see part_ucx_match.h).
 */
#include "wireup/part_ucx_match.h"

#include <stddef.h>

static unsigned bucket_of(const mca_part_ucx_match_key_t *key)
{
    uint64_t hash = (uint64_t) (uintptr_t) key->comm >> 4;

    hash = hash * 31 + (uint32_t) key->source;
    hash = hash * 31 + (uint32_t) key->tag;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned) (hash >> 32) % PART_UCX_MATCH_BUCKETS;
}

static bool keys_equal(const mca_part_ucx_match_key_t *a, const mca_part_ucx_match_key_t *b)
{
    return a->comm == b->comm && a->source == b->source && a->tag == b->tag
           && a->space == b->space;
}

/* Mostly at the end: only what had met before is older than others that wait. */
static void bucket_insert(mca_part_ucx_match_bucket_t *bucket, mca_part_ucx_match_entry_t *entry,
                          bool newest)
{
    mca_part_ucx_match_entry_t **link = newest ? bucket->tail : &bucket->head;

    while (NULL != *link && (*link)->order < entry->order) {
        link = &(*link)->next;
    }
    entry->next = *link;
    *link = entry;
    if (NULL == entry->next) {
        bucket->tail = &entry->next;
    }
}

/* Unlink the entry that *link points to. */
static mca_part_ucx_match_entry_t *bucket_unlink(mca_part_ucx_match_bucket_t *bucket,
                                                 mca_part_ucx_match_entry_t **link)
{
    mca_part_ucx_match_entry_t *entry = *link;

    *link = entry->next;
    if (bucket->tail == &entry->next) {
        bucket->tail = link;
    }
    entry->next = NULL;
    return entry;
}

static mca_part_ucx_match_entry_t *bucket_take(mca_part_ucx_match_bucket_t *bucket,
                                               const mca_part_ucx_match_key_t *key)
{
    mca_part_ucx_match_entry_t **link;

    for (link = &bucket->head; NULL != *link; link = &(*link)->next) {
        if (keys_equal(&(*link)->key, key)) {
            return bucket_unlink(bucket, link);
        }
    }
    return NULL;
}

static bool bucket_remove(mca_part_ucx_match_bucket_t *bucket, mca_part_ucx_match_entry_t *entry)
{
    mca_part_ucx_match_entry_t **link;

    for (link = &bucket->head; NULL != *link; link = &(*link)->next) {
        if (*link == entry) {
            (void) bucket_unlink(bucket, link);
            return true;
        }
    }
    return false;
}

void mca_part_ucx_match_init(mca_part_ucx_match_t *match)
{
    match->order = 0;
    for (unsigned i = 0; i < PART_UCX_MATCH_BUCKETS; ++i) {
        match->posted[i].head = NULL;
        match->posted[i].tail = &match->posted[i].head;
        match->unexpected[i].head = NULL;
        match->unexpected[i].tail = &match->unexpected[i].head;
    }
}

/* Meet an entry of `waiting`, or wait in `own`. */
static mca_part_ucx_match_entry_t *match_or_wait(mca_part_ucx_match_bucket_t *waiting,
                                                 mca_part_ucx_match_bucket_t *own,
                                                 mca_part_ucx_match_entry_t *entry, bool newest)
{
    mca_part_ucx_match_entry_t *met = bucket_take(waiting, &entry->key);

    if (NULL == met) {
        bucket_insert(own, entry, newest);
    }
    return met;
}

mca_part_ucx_match_entry_t *mca_part_ucx_match_receive(mca_part_ucx_match_t *match,
                                                       mca_part_ucx_match_entry_t *receive)
{
    unsigned i = bucket_of(&receive->key);

    receive->order = ++match->order;
    return match_or_wait(&match->unexpected[i], &match->posted[i], receive, true);
}

mca_part_ucx_match_entry_t *mca_part_ucx_match_receive_again(mca_part_ucx_match_t *match,
                                                             mca_part_ucx_match_entry_t *receive)
{
    unsigned i = bucket_of(&receive->key);

    return match_or_wait(&match->unexpected[i], &match->posted[i], receive, false);
}

mca_part_ucx_match_entry_t *mca_part_ucx_match_announce(mca_part_ucx_match_t *match,
                                                        mca_part_ucx_match_entry_t *send)
{
    unsigned i = bucket_of(&send->key);

    send->order = ++match->order;
    return match_or_wait(&match->posted[i], &match->unexpected[i], send, true);
}

mca_part_ucx_match_entry_t *mca_part_ucx_match_announce_again(mca_part_ucx_match_t *match,
                                                              mca_part_ucx_match_entry_t *send)
{
    unsigned i = bucket_of(&send->key);

    return match_or_wait(&match->posted[i], &match->unexpected[i], send, false);
}

bool mca_part_ucx_match_withdraw_receive(mca_part_ucx_match_t *match,
                                         mca_part_ucx_match_entry_t *receive)
{
    return bucket_remove(&match->posted[bucket_of(&receive->key)], receive);
}

bool mca_part_ucx_match_withdraw_announce(mca_part_ucx_match_t *match,
                                          mca_part_ucx_match_entry_t *send)
{
    return bucket_remove(&match->unexpected[bucket_of(&send->key)], send);
}

mca_part_ucx_match_entry_t *
mca_part_ucx_match_find_announce(mca_part_ucx_match_t *match,
                                 bool (*accept)(mca_part_ucx_match_entry_t *, const void *),
                                 const void *context)
{
    for (unsigned i = 0; i < PART_UCX_MATCH_BUCKETS; ++i) {
        mca_part_ucx_match_entry_t *entry = match->unexpected[i].head;

        for (; NULL != entry; entry = entry->next) {
            if (accept(entry, context)) {
                return entry;
            }
        }
    }
    return NULL;
}
