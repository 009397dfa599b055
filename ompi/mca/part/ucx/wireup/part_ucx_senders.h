/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sends of peers that this process knows, by their keys: what a peer says of one of its sends
 * is for the receive that has met it, or for its announcement. Under the set-up lock.
 */
#ifndef PART_UCX_SENDERS_H
#define PART_UCX_SENDERS_H

#include "base/part_ucx_hash.h"
#include "path/part_ucx_peer.h"

#include <stdbool.h>
#include <stdint.h>

/** The send of a receive that has met one, or of an announcement. Begins as all 0. */
typedef struct mca_part_ucx_sender_t {
    mca_part_ucx_hashed_t known;
    const mca_part_ucx_peer_t *peer;
    uint64_t key;   /**< its key in that process */
    bool announced; /**< it is an announcement's */
} mca_part_ucx_sender_t;

/** From now on it is found, until it is forgotten. */
void mca_part_ucx_sender_known(mca_part_ucx_sender_t *sender, const mca_part_ucx_peer_t *peer,
                               uint64_t key);

/** NULL: none. */
mca_part_ucx_sender_t *mca_part_ucx_sender_find(const mca_part_ucx_peer_t *peer, uint64_t key);

/** Also one that was not known. */
void mca_part_ucx_sender_forget(mca_part_ucx_sender_t *sender);

/** Give memory back. */
void mca_part_ucx_senders_close(void);

#endif /* PART_UCX_SENDERS_H */
