/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sends of peers that this process knows (see part_ucx_senders.h).
 */
#include "wireup/part_ucx_senders.h"

static mca_part_ucx_hash_t senders;

static uint64_t hash_of(const mca_part_ucx_peer_t *peer, uint64_t key)
{
    return mca_part_ucx_hash_mix(mca_part_ucx_hash_mix(0, (uintptr_t) peer), key);
}

void mca_part_ucx_sender_known(mca_part_ucx_sender_t *sender, const mca_part_ucx_peer_t *peer,
                               uint64_t key)
{
    sender->peer = peer;
    sender->key = key;
    mca_part_ucx_hash_insert(&senders, &sender->known, hash_of(peer, key), NULL);
}

mca_part_ucx_sender_t *mca_part_ucx_sender_find(const mca_part_ucx_peer_t *peer, uint64_t key)
{
    mca_part_ucx_hashed_t *known = mca_part_ucx_hash_first(&senders, hash_of(peer, key));

    for (; NULL != known; known = mca_part_ucx_hash_next(&senders, known)) {
        mca_part_ucx_sender_t *sender = PART_UCX_CONTAINER(known, mca_part_ucx_sender_t, known);

        if (sender->peer == peer && sender->key == key) {
            return sender;
        }
    }
    return NULL;
}

void mca_part_ucx_sender_forget(mca_part_ucx_sender_t *sender)
{
    (void) mca_part_ucx_hash_remove(&sender->known);
}

void mca_part_ucx_senders_close(void)
{
    mca_part_ucx_hash_destroy(&senders);
}
