/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Channel keys: 64-bit names of channels that peers put into their messages. A key holds an
 * index and a generation, so that a late message for a freed channel finds nothing instead of
 * the channel that got its place. Generations count from a random number on, so that a stranger, or
 * a process of a job that has ended, does not hit one by chance. Entries are made and removed under
 * the set-up lock; look-up is lock free, from active message handlers.
 */
#ifndef PART_UCX_TABLE_H
#define PART_UCX_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PART_UCX_TABLE_CHUNK  1024u
#define PART_UCX_TABLE_CHUNKS 16384u

typedef struct mca_part_ucx_slot_t {
    _Atomic uint64_t key;   /**< key of the present owner; 0 when free */
    _Atomic(void *) object; /**< the channel */
    atomic_uint generation; /**< of the last owner */
    uint32_t next_free;     /**< index + 1 of the next free slot */
} mca_part_ucx_slot_t;

typedef struct mca_part_ucx_table_t {
    _Atomic(mca_part_ucx_slot_t *) *_Atomic chunk;
    uint32_t chunks; /**< chunks in use */
    uint32_t free;   /**< index + 1 of the first free slot, 0 if none */
} mca_part_ucx_table_t;

/** Enter an object; returns its key, 0 when memory is short or the system has no random numbers. */
uint64_t mca_part_ucx_table_add(mca_part_ucx_table_t *table, void *object);

/** Remove a key. */
void mca_part_ucx_table_remove(mca_part_ucx_table_t *table, uint64_t key);

/** The object of a key, or NULL. */
void *mca_part_ucx_table_find(mca_part_ucx_table_t *table, uint64_t key);

/** Is it, as far as one can tell, the key of an object that is gone? Any thread. */
bool mca_part_ucx_table_is_past(mca_part_ucx_table_t *table, uint64_t key);

/** The object in slot `index` or behind it, and `index` goes past it; NULL: no more. To visit all,
 * from 0 on, under the set-up lock. */
void *mca_part_ucx_table_next(mca_part_ucx_table_t *table, uint32_t *index);

/** Free the memory. */
void mca_part_ucx_table_destroy(mca_part_ucx_table_t *table);

#endif /* PART_UCX_TABLE_H */
