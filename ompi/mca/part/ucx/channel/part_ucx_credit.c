/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pieces that come before their epoch (see part_ucx_credit.h).
 *
 * The lock decides which of two is first: a message that looks whether its epoch has started, or
 * MPI_Start. It is held for as long as a few kilobytes take, and taken under the lock of a path.
 */
#include "channel/part_ucx_credit.h"

#include "channel/part_ucx_bundle_read.h"
#include "process/part_ucx_params.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

/* An epoch to come. */
typedef struct slot_t {
    uint32_t epoch; /* 0: none */
    bool *held;     /* per piece */
    char *bytes;    /* of all pieces, one after the other */
} slot_t;

struct mca_part_ucx_credit_t {
    mca_part_ucx_lock_t lock;
    uint32_t told;     /* epoch of the last READY; of who starts the receive */
    uint32_t epochs;   /* how far ahead the sender may be */
    uint32_t *offset;  /* per piece, in the bytes of a slot */
    uint32_t slots;    /* one more than `epochs`: that of the epoch that starts is being emptied */
    slot_t slot[];
};

/* ---- making ---- */

static bool is_small(const mca_part_ucx_channel_t *channel)
{
    uint64_t total = channel->map.total;

    /* The epochs of a channel that mends end together at both ends. */
    return !channel->mends && channel->map.segments <= PART_UCX_CREDIT_PIECES
           && total <= PART_UCX_CREDIT_BYTES && total <= mca_part_ucx_params.eager_limit
           && total <= mca_part_ucx_params.shared_eager_limit;
}

static uint32_t epochs_for(uint64_t total)
{
    uint64_t epochs = PART_UCX_CREDIT_MEMORY / (0 == total ? 1 : total);

    return epochs < PART_UCX_CREDIT_LEAST     ? PART_UCX_CREDIT_LEAST
           : epochs > PART_UCX_CREDIT_LONGEST ? PART_UCX_CREDIT_LONGEST
                                              : (uint32_t) epochs;
}

static bool build_slot(slot_t *slot, const mca_part_ucx_map_t *map)
{
    slot->held = calloc(map->segments, sizeof(*slot->held));
    slot->bytes = calloc(1, map->total + 1);
    return NULL != slot->held && NULL != slot->bytes;
}

int mca_part_ucx_credit_build(mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    uint32_t slots = epochs_for(map->total) + 1;
    mca_part_ucx_credit_t *credit;
    uint32_t at = 0;
    bool good;

    if (!is_small(&recv->super)) {
        return OMPI_SUCCESS;
    }
    credit = recv->credit = calloc(1, sizeof(*credit) + slots * sizeof(credit->slot[0]));
    if (NULL == credit) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    credit->slots = slots;
    credit->epochs = slots - 1;
    mca_part_ucx_lock_init(&credit->lock);
    credit->offset = calloc(map->segments, sizeof(*credit->offset));
    good = NULL != credit->offset;
    for (uint32_t i = 0; good && i < map->segments; ++i) {
        credit->offset[i] = at;
        at += (uint32_t) map->piece[i].bytes;
    }
    for (uint32_t i = 0; i < slots; ++i) {
        good = build_slot(&credit->slot[i], map) && good;
    }
    return good ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

void mca_part_ucx_credit_free(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_credit_t *credit = recv->credit;

    for (uint32_t i = 0; NULL != credit && i < credit->slots; ++i) {
        free(credit->slot[i].held);
        free(credit->slot[i].bytes);
    }
    if (NULL != credit) {
        free(credit->offset);
    }
    free(credit);
    recv->credit = NULL;
}

uint32_t mca_part_ucx_credit_epochs(const mca_part_ucx_recv_t *recv)
{
    return NULL == recv->credit ? 0 : recv->credit->epochs;
}

/* ---- what comes ---- */

/* Numbers go round, and leave out two: then the distance looks longer, at both ends alike. */
bool mca_part_ucx_credit_covers(mca_part_ucx_recv_t *recv, uint32_t epoch)
{
    int32_t ahead = (int32_t) (epoch
                               - atomic_load_explicit(&recv->armed, memory_order_acquire));

    return NULL != recv->credit && 0 != epoch && ahead > 0
           && ahead <= (int32_t) recv->credit->epochs;
}

/* The slot of an epoch; else, with 0, one that is free. NULL: there is none. */
static slot_t *find(mca_part_ucx_credit_t *credit, uint32_t epoch)
{
    for (uint32_t i = 0; i < credit->slots; ++i) {
        if (epoch == credit->slot[i].epoch) {
            return &credit->slot[i];
        }
    }
    return NULL;
}

static slot_t *slot_for(mca_part_ucx_credit_t *credit, uint32_t epoch)
{
    slot_t *slot = find(credit, epoch);

    slot = NULL == slot ? find(credit, 0) : slot;
    if (NULL != slot) {
        slot->epoch = epoch;
    }
    return slot;
}

/* False: it is there already. */
static bool keep_piece(const mca_part_ucx_credit_t *credit, slot_t *slot,
                       mca_part_ucx_bundled_t entry, const char *bytes)
{
    if (slot->held[entry.piece]) {
        return false;
    }
    slot->held[entry.piece] = true;
    if (0 != entry.length) {
        memcpy(slot->bytes + credit->offset[entry.piece], bytes, entry.length);
    }
    return true;
}

/* Whatever of it has not come before. */
static mca_part_ucx_verdict_t keep_all(mca_part_ucx_credit_t *credit,
                                       const mca_part_ucx_data_header_t *header,
                                       const char *data, size_t length)
{
    bool bundle = header->count > 1;
    const char *bytes = data + (bundle ? header->count * sizeof(mca_part_ucx_bundled_t) : 0);
    slot_t *slot = slot_for(credit, header->epoch);
    bool fresh = false;

    if (NULL == slot) {
        return PART_UCX_WRONG;
    }
    for (uint32_t i = 0; i < header->count; ++i) {
        mca_part_ucx_bundled_t entry = {.piece = header->segment, .length = (uint32_t) length};

        if (bundle) {
            entry = mca_part_ucx_bundle_entry(data, i);
        }
        fresh = keep_piece(credit, slot, entry, bytes) || fresh;
        bytes += entry.length;
    }
    return fresh ? PART_UCX_TAKE : PART_UCX_REPEATED;
}

mca_part_ucx_verdict_t mca_part_ucx_credit_keep(mca_part_ucx_recv_t *recv,
                                                const mca_part_ucx_data_header_t *header,
                                                const void *data, size_t length, bool *kept)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    mca_part_ucx_verdict_t verdict = PART_UCX_TAKE;
    uint64_t offset, expected;

    *kept = false;
    if (PART_UCX_MATCHED != mca_part_ucx_channel_state(&recv->super)) {
        return PART_UCX_USELESS;
    }
    if (header->count > 1 ? !mca_part_ucx_bundle_is_good(map, header, data, length)
                          : !mca_part_ucx_map_names(map, header->segment, header->count, &offset,
                                                    &expected)
                                || expected != length) {
        return PART_UCX_WRONG;
    }
    mca_part_ucx_lock_wait(&recv->credit->lock);
    if (mca_part_ucx_credit_covers(recv, header->epoch)) {
        *kept = true;
        verdict = keep_all(recv->credit, header, data, length);
    }
    mca_part_ucx_lock_release(&recv->credit->lock);
    return verdict;
}

/* ---- the epoch starts ---- */

bool mca_part_ucx_credit_arm(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_credit_t *credit = recv->credit;
    uint32_t epoch = mca_part_ucx_recv_epoch(recv);
    const slot_t *slot;
    bool due
        = 0 == credit->told || (int32_t) (epoch - credit->told) >= (int32_t) credit->epochs / 2;

    mca_part_ucx_lock_wait(&credit->lock);
    slot = find(credit, epoch);
    for (uint32_t i = 0; NULL != slot && i < recv->super.map.segments; ++i) {
        if (slot->held[i]) {
            atomic_store_explicit(&recv->came[i], epoch, memory_order_relaxed);
        }
    }
    atomic_store_explicit(&recv->armed, epoch, memory_order_release);
    mca_part_ucx_lock_release(&credit->lock);
    credit->told = due ? epoch : credit->told;
    return due;
}

void mca_part_ucx_credit_deliver(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_credit_t *credit = recv->credit;
    uint32_t epoch = mca_part_ucx_recv_epoch(recv);
    uint32_t pieces = recv->super.map.segments;
    const mca_part_ucx_piece_t *piece = recv->super.piece;
    slot_t *slot;

    mca_part_ucx_lock_wait(&credit->lock);
    slot = find(credit, epoch); /* nothing comes into it any more */
    mca_part_ucx_lock_release(&credit->lock);
    for (uint32_t i = 0; NULL != slot && i < pieces; ++i) {
        if (!slot->held[i]) {
            continue;
        }
        slot->held[i] = false;
        if (0 != piece[i].bytes) {
            memcpy((void *) (uintptr_t) piece[i].address, slot->bytes + credit->offset[i],
                   piece[i].bytes);
        }
        mca_part_ucx_recv_arrived(recv, epoch, i, 1);
    }
    if (NULL != slot) {
        mca_part_ucx_lock_wait(&credit->lock);
        slot->epoch = 0;
        mca_part_ucx_lock_release(&credit->lock);
    }
}
