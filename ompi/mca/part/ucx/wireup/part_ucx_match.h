/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Matching of partitioned sends with partitioned receives: the component's own posted and
 * unexpected queues, keyed by (communicator, source, tag), first in first out per key, also when
 * entries that had met give each other back. Each operation takes
 * the same time however many wait; only one that goes back into the middle of many of its key looks
 * for its place. Pure: no UCX, no MPI; entries are embedded in their owners. Not thread safe, the
 * caller serialises (set-up lock).
 */
#ifndef PART_UCX_MATCH_H
#define PART_UCX_MATCH_H

#include "base/part_ucx_hash.h"

#include <stdbool.h>
#include <stdint.h>

/** What must be equal for a send and a receive to meet. */
typedef struct mca_part_ucx_match_key_t {
    const void *comm; /**< identity of the communicator in this process */
    int32_t source;   /**< rank of the sender in it (in the remote group if it is an inter one) */
    int32_t tag;      /**< the user's, or the number of an init (links) */
    uint32_t space;   /**< links and the user's requests are matched apart */
} mca_part_ucx_match_key_t;

uint64_t mca_part_ucx_match_hash(const mca_part_ucx_match_key_t *key);
bool mca_part_ucx_match_equal(const mca_part_ucx_match_key_t *a, const mca_part_ucx_match_key_t *b);

/** Link of an entry in one of the two queues; embedded in a receive request or an announcement. */
typedef struct mca_part_ucx_match_entry_t {
    mca_part_ucx_hashed_t waits;  /**< in its queue, while it waits */
    mca_part_ucx_match_key_t key; /**< what it waits for */
    uint64_t order;               /**< of its first coming, in its queue */
} mca_part_ucx_match_entry_t;

/** Receives that wait for a sender (posted), senders that wait for a receive (unexpected). */
typedef struct mca_part_ucx_match_t { /* all zero: empty */
    mca_part_ucx_hash_t posted;
    mca_part_ucx_hash_t unexpected;
    uint64_t order; /**< the last one that was given */
} mca_part_ucx_match_t;

/**
 * A receive was initialised, or has lost its match: take the oldest announced send with its key off
 * the unexpected queue and return it, or add the receive to the posted queue and return NULL.
 *
 * @param order  0: it comes for the first time, and is the last; else its `order` of then
 */
mca_part_ucx_match_entry_t *mca_part_ucx_match_receive(mca_part_ucx_match_t *match,
                                                       mca_part_ucx_match_entry_t *receive,
                                                       uint64_t order);

/** A send was announced, or has lost its match: the same with the roles exchanged. */
mca_part_ucx_match_entry_t *mca_part_ucx_match_announce(mca_part_ucx_match_t *match,
                                                        mca_part_ucx_match_entry_t *send,
                                                        uint64_t order);

/** Withdraw a posted receive or an announced send; false when it is not in its queue (it has been
 * matched). */
bool mca_part_ucx_match_withdraw(mca_part_ucx_match_entry_t *entry);

/** Any announced send, still in its queue, or NULL; `from` as for mca_part_ucx_hash_any(). */
mca_part_ucx_match_entry_t *mca_part_ucx_match_any_announce(const mca_part_ucx_match_t *match,
                                                            uint64_t *from);

/** Forget both queues, and free their memory. */
void mca_part_ucx_match_destroy(mca_part_ucx_match_t *match);

#endif /* PART_UCX_MATCH_H */
