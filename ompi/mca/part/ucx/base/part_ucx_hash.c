/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash whose buckets grow (see part_ucx_hash.h).
 */
#include "base/part_ucx_hash.h"

#include <stdlib.h>

#define FIRST_BUCKETS 64u

static mca_part_ucx_hashed_t *bucket_of(const mca_part_ucx_hash_t *hash, uint64_t value)
{
    return &hash->bucket[value & hash->mask];
}

static void ring_init(mca_part_ucx_hashed_t *ring)
{
    ring->next = ring->back = ring;
}

/* Link an entry behind another one, or behind the beginning of its ring. */
static void ring_link(mca_part_ucx_hashed_t *entry, mca_part_ucx_hashed_t *behind)
{
    entry->back = behind;
    entry->next = behind->next;
    behind->next->back = entry;
    behind->next = entry;
}

static void ring_unlink(mca_part_ucx_hashed_t *entry)
{
    entry->back->next = entry->next;
    entry->next->back = entry->back;
}

/* A bucket's entries go to a few new ones, in their order. */
static void scatter(mca_part_ucx_hash_t *hash, mca_part_ucx_hashed_t *old)
{
    while (old->next != old) {
        mca_part_ucx_hashed_t *entry = old->next;

        ring_unlink(entry);
        ring_link(entry, bucket_of(hash, entry->value)->back);
    }
}

/* As many buckets as entries, at least. */
static void grow(mca_part_ucx_hash_t *hash)
{
    uint64_t buckets = NULL == hash->bucket || &hash->one == hash->bucket ? FIRST_BUCKETS
                                                                          : 2 * (hash->mask + 1);
    mca_part_ucx_hashed_t *old = hash->bucket;
    uint64_t olds = hash->mask + 1;
    mca_part_ucx_hashed_t *bucket = malloc(buckets * sizeof(*bucket));

    if (NULL == bucket) {
        if (NULL == old) {
            ring_init(&hash->one);
            hash->bucket = &hash->one;
        }
        return;
    }
    hash->bucket = bucket;
    hash->mask = buckets - 1;
    for (uint64_t i = 0; i < buckets; ++i) {
        ring_init(&bucket[i]);
    }
    for (uint64_t i = 0; NULL != old && i < olds; ++i) {
        scatter(hash, &old[i]);
    }
    if (&hash->one != old) {
        free(old);
    }
}

/* Behind which entry of a sorted bucket one belongs. */
static mca_part_ucx_hashed_t *place_of(mca_part_ucx_hashed_t *ring, uint64_t order,
                                       uint64_t (*order_of)(const mca_part_ucx_hashed_t *entry))
{
    mca_part_ucx_hashed_t *behind = ring->back;

    if (ring == behind || order_of(behind) < order) {
        return behind;
    }
    if (order_of(ring->next) > order) {
        return ring;
    }
    if (order - order_of(ring->next) > order_of(behind) - order) {
        while (ring != behind && order_of(behind) > order) {
            behind = behind->back;
        }
        return behind;
    }
    behind = ring;
    while (ring != behind->next && order_of(behind->next) < order) {
        behind = behind->next;
    }
    return behind;
}

void mca_part_ucx_hash_insert(mca_part_ucx_hash_t *hash, mca_part_ucx_hashed_t *entry,
                              uint64_t value,
                              uint64_t (*order)(const mca_part_ucx_hashed_t *entry))
{
    mca_part_ucx_hashed_t *ring, *behind;

    if (NULL == hash->bucket || hash->entries > hash->mask) {
        grow(hash);
    }
    ++hash->entries;
    entry->value = value;
    entry->in = hash;
    ring = bucket_of(hash, value);
    behind = NULL == order ? ring->back : place_of(ring, order(entry), order);
    ring_link(entry, behind);
}

bool mca_part_ucx_hash_remove(mca_part_ucx_hashed_t *entry)
{
    if (NULL == entry->in) {
        return false;
    }
    ring_unlink(entry);
    --entry->in->entries;
    entry->in = NULL;
    return true;
}

/* An entry of its ring, or NULL where the ring begins again. */
static mca_part_ucx_hashed_t *unless_begin(const mca_part_ucx_hash_t *hash,
                                           mca_part_ucx_hashed_t *entry, uint64_t value)
{
    return bucket_of(hash, value) == entry ? NULL : entry;
}

mca_part_ucx_hashed_t *mca_part_ucx_hash_first(const mca_part_ucx_hash_t *hash, uint64_t value)
{
    return 0 == hash->entries ? NULL : unless_begin(hash, bucket_of(hash, value)->next, value);
}

mca_part_ucx_hashed_t *mca_part_ucx_hash_next(const mca_part_ucx_hash_t *hash,
                                              const mca_part_ucx_hashed_t *entry)
{
    return unless_begin(hash, entry->next, entry->value);
}

mca_part_ucx_hashed_t *mca_part_ucx_hash_any(const mca_part_ucx_hash_t *hash, uint64_t *from)
{
    for (; 0 != hash->entries && *from <= hash->mask; ++*from) {
        mca_part_ucx_hashed_t *ring = &hash->bucket[*from];

        if (ring != ring->next) {
            return ring->next;
        }
    }
    return NULL;
}

void mca_part_ucx_hash_each(const mca_part_ucx_hash_t *hash,
                            void (*visit)(mca_part_ucx_hashed_t *entry))
{
    for (uint64_t i = 0; 0 != hash->entries && i <= hash->mask; ++i) {
        mca_part_ucx_hashed_t *ring = &hash->bucket[i];

        for (mca_part_ucx_hashed_t *entry = ring->next; ring != entry; entry = entry->next) {
            visit(entry);
        }
    }
}

void mca_part_ucx_hash_destroy(mca_part_ucx_hash_t *hash)
{
    if (&hash->one != hash->bucket) {
        free(hash->bucket);
    }
    hash->bucket = NULL;
    hash->mask = 0;
    hash->entries = 0;
}
