/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Channel keys (see part_ucx_table.h).
 */
#include "base/part_ucx_table.h"

#include "base/part_ucx_random.h"

#include <stdlib.h>

static mca_part_ucx_slot_t *slot_at(mca_part_ucx_table_t *table, uint32_t index)
{
    mca_part_ucx_slot_t *chunk;

    if (index / PART_UCX_TABLE_CHUNK >= PART_UCX_TABLE_CHUNKS || NULL == table->chunk) {
        return NULL;
    }
    chunk = atomic_load_explicit(&table->chunk[index / PART_UCX_TABLE_CHUNK],
                                 memory_order_acquire);
    return NULL == chunk ? NULL : &chunk[index % PART_UCX_TABLE_CHUNK];
}

static int table_grow(mca_part_ucx_table_t *table)
{
    uint32_t generation[PART_UCX_TABLE_CHUNK]; /* where each slot begins to count */
    mca_part_ucx_slot_t *chunk;

    if (NULL == table->chunk) {
        table->chunk = calloc(PART_UCX_TABLE_CHUNKS, sizeof(*table->chunk));
    }
    if (NULL == table->chunk || PART_UCX_TABLE_CHUNKS == table->chunks) {
        return -1;
    }
    chunk = calloc(PART_UCX_TABLE_CHUNK, sizeof(*chunk));
    if (NULL == chunk || !mca_part_ucx_random(generation, sizeof(generation))) {
        free(chunk);
        return -1;
    }
    for (uint32_t i = PART_UCX_TABLE_CHUNK; i-- > 0;) {
        atomic_init(&chunk[i].generation, generation[i]);
        chunk[i].next_free = table->free;
        table->free = table->chunks * PART_UCX_TABLE_CHUNK + i + 1;
    }
    atomic_store_explicit(&table->chunk[table->chunks++], chunk, memory_order_release);
    return 0;
}

uint64_t mca_part_ucx_table_add(mca_part_ucx_table_t *table, void *object)
{
    mca_part_ucx_slot_t *slot;
    uint32_t index, generation;
    uint64_t key;

    if (0 == table->free && 0 != table_grow(table)) {
        return 0;
    }
    index = table->free - 1;
    slot = slot_at(table, index);
    table->free = slot->next_free;
    generation = atomic_load_explicit(&slot->generation, memory_order_relaxed) + 1;
    generation += 0 == generation ? 1 : 0; /* so that no key is ever 0 */
    atomic_store_explicit(&slot->generation, generation, memory_order_relaxed);
    key = (uint64_t) generation << 32 | index;
    atomic_store_explicit(&slot->object, object, memory_order_relaxed);
    atomic_store_explicit(&slot->key, key, memory_order_release);
    return key;
}

void mca_part_ucx_table_remove(mca_part_ucx_table_t *table, uint64_t key)
{
    mca_part_ucx_slot_t *slot = slot_at(table, (uint32_t) key);

    if (0 == key || NULL == slot || atomic_load(&slot->key) != key) {
        return;
    }
    atomic_store(&slot->key, 0);
    atomic_store(&slot->object, NULL);
    slot->next_free = table->free;
    table->free = (uint32_t) key + 1;
}

void *mca_part_ucx_table_find(mca_part_ucx_table_t *table, uint64_t key)
{
    mca_part_ucx_slot_t *slot = slot_at(table, (uint32_t) key);
    void *object;

    if (0 == key || NULL == slot
        || atomic_load_explicit(&slot->key, memory_order_acquire) != key) {
        return NULL;
    }
    object = atomic_load_explicit(&slot->object, memory_order_acquire);
    /* The slot may have been given to another channel in between. */
    return atomic_load_explicit(&slot->key, memory_order_acquire) == key ? object : NULL;
}

/* How many owners of a slot before the last one are remembered. */
#define PAST 65536u

bool mca_part_ucx_table_is_past(mca_part_ucx_table_t *table, uint64_t key)
{
    mca_part_ucx_slot_t *slot = slot_at(table, (uint32_t) key);

    return NULL != slot
           && atomic_load_explicit(&slot->generation, memory_order_relaxed)
                      - (uint32_t) (key >> 32)
                  < PAST;
}

void *mca_part_ucx_table_next(mca_part_ucx_table_t *table, uint32_t *index)
{
    void *object = NULL;

    while (NULL == object && *index < table->chunks * PART_UCX_TABLE_CHUNK) {
        object = atomic_load(&slot_at(table, (*index)++)->object);
    }
    return object;
}

void mca_part_ucx_table_destroy(mca_part_ucx_table_t *table)
{
    for (uint32_t i = 0; i < table->chunks; ++i) {
        free(atomic_load(&table->chunk[i]));
    }
    free(table->chunk);
    table->chunk = NULL;
    table->chunks = 0;
    table->free = 0;
}
