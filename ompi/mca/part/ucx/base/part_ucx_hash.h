/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash of entries that are embedded in their owners: adding, removing and finding one take the
 * same time however many there are, because the buckets grow with them. Entries of a bucket keep
 * the order in which they were added. Nothing fails: without memory for more buckets those that
 * there are get longer. Not thread safe.
 */
#ifndef PART_UCX_HASH_H
#define PART_UCX_HASH_H

#include <stdbool.h>
#include <stdint.h>

/** An entry, all zero while it is in no hash; or the beginning of a bucket, which is a ring. */
typedef struct mca_part_ucx_hashed_t {
    struct mca_part_ucx_hashed_t *next; /**< added later */
    struct mca_part_ucx_hashed_t *back;
    struct mca_part_ucx_hash_t *in; /**< which hash */
    uint64_t value;                 /**< its hash value */
} mca_part_ucx_hashed_t;

/** All zero: empty. */
typedef struct mca_part_ucx_hash_t {
    mca_part_ucx_hashed_t *bucket; /**< NULL before the first entry */
    mca_part_ucx_hashed_t one;     /**< the bucket while there is no memory for more */
    uint64_t mask;                 /**< number of buckets, a power of two, less one */
    uint64_t entries;
} mca_part_ucx_hash_t;

/** Mix a number into a hash value. */
static inline uint64_t mca_part_ucx_hash_mix(uint64_t value, uint64_t number)
{
    value = (value ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 32;
}

/** Add an entry: behind all others of its value, or where `order` says. Then its bucket is sorted
 * by `order`, and stays so; looks from the nearer end. */
void mca_part_ucx_hash_insert(mca_part_ucx_hash_t *hash, mca_part_ucx_hashed_t *entry,
                              uint64_t value,
                              uint64_t (*order)(const mca_part_ucx_hashed_t *entry));

/** Remove an entry from its hash; false: it is in none. */
bool mca_part_ucx_hash_remove(mca_part_ucx_hashed_t *entry);

/** The first entry that may have this value, and the next one after an entry; NULL: no more. The
 * caller compares what the value was made of. */
mca_part_ucx_hashed_t *mca_part_ucx_hash_first(const mca_part_ucx_hash_t *hash, uint64_t value);
mca_part_ucx_hashed_t *mca_part_ucx_hash_next(const mca_part_ucx_hash_t *hash,
                                              const mca_part_ucx_hashed_t *entry);

/** Any entry, NULL if there is none. `from`: 0 at first; kept between calls, it makes taking out
 * all of them as fast as adding them. */
mca_part_ucx_hashed_t *mca_part_ucx_hash_any(const mca_part_ucx_hash_t *hash, uint64_t *from);

/** Visit all entries, in no order; none may be added or removed meanwhile. */
void mca_part_ucx_hash_each(const mca_part_ucx_hash_t *hash,
                            void (*visit)(mca_part_ucx_hashed_t *entry));

/** Free the memory of the buckets; entries that are left are forgotten. */
void mca_part_ucx_hash_destroy(mca_part_ucx_hash_t *hash);

#endif /* PART_UCX_HASH_H */
