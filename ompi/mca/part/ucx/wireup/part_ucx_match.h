/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Matching of partitioned sends with partitioned receives: the component's own posted and
 * unexpected queues, keyed by (communicator, source, tag), first in first out per key, also when
 * entries that had met give each other back. Pure:
 * no UCX, no MPI, no allocation; entries are embedded in their owners. Not thread safe, the
 * caller serialises (set-up lock).
 */
#ifndef PART_UCX_MATCH_H
#define PART_UCX_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#define PART_UCX_MATCH_BUCKETS 64u

/** What must be equal for a send and a receive to meet. */
typedef struct mca_part_ucx_match_key_t {
    const void *comm; /**< identity of the communicator in this process */
    int32_t source;   /**< rank of the sender in it (in the remote group if it is an inter one) */
    int32_t tag;      /**< the user's tag */
    uint32_t space;   /**< links and the user's requests are matched apart */
} mca_part_ucx_match_key_t;

/** Link of an entry in one of the two queues; embedded in a receive request or an announcement. */
typedef struct mca_part_ucx_match_entry_t {
    struct mca_part_ucx_match_entry_t *next; /**< later entry of the same bucket */
    mca_part_ucx_match_key_t key;            /**< what it waits for */
    uint64_t order;                          /**< of its first coming, in its queue */
} mca_part_ucx_match_entry_t;

/** Entries whose keys share a hash value, in their order. */
typedef struct mca_part_ucx_match_bucket_t {
    mca_part_ucx_match_entry_t *head;
    mca_part_ucx_match_entry_t **tail;
} mca_part_ucx_match_bucket_t;

/** Receives that wait for a sender (posted), senders that wait for a receive (unexpected). */
typedef struct mca_part_ucx_match_t {
    mca_part_ucx_match_bucket_t posted[PART_UCX_MATCH_BUCKETS];
    mca_part_ucx_match_bucket_t unexpected[PART_UCX_MATCH_BUCKETS];
    uint64_t order; /**< the last one that was given */
} mca_part_ucx_match_t;

/** Make both queues empty. */
void mca_part_ucx_match_init(mca_part_ucx_match_t *match);

/**
 * A receive was initialised: take the oldest announced send with its key off the unexpected
 * queue and return it, or append the receive to the posted queue and return NULL.
 */
mca_part_ucx_match_entry_t *mca_part_ucx_match_receive(mca_part_ucx_match_t *match,
                                                       mca_part_ucx_match_entry_t *receive);

/** A send was announced: the same with the roles exchanged. */
mca_part_ucx_match_entry_t *mca_part_ucx_match_announce(mca_part_ucx_match_t *match,
                                                        mca_part_ucx_match_entry_t *send);

/** A receive, or a send, has lost its match: the same, but it waits where its `order` says, which
 * is that of its first coming. */
mca_part_ucx_match_entry_t *mca_part_ucx_match_receive_again(mca_part_ucx_match_t *match,
                                                             mca_part_ucx_match_entry_t *receive);
mca_part_ucx_match_entry_t *mca_part_ucx_match_announce_again(mca_part_ucx_match_t *match,
                                                              mca_part_ucx_match_entry_t *send);

/** Withdraw a posted receive; false when it is not in the queue (it has been matched). */
bool mca_part_ucx_match_withdraw_receive(mca_part_ucx_match_t *match,
                                         mca_part_ucx_match_entry_t *receive);

/** Withdraw an announced send; false when it is not in the queue (it has been matched). */
bool mca_part_ucx_match_withdraw_announce(mca_part_ucx_match_t *match,
                                          mca_part_ucx_match_entry_t *send);

/**
 * First announced send for which `accept(entry, context)` is true, or NULL; the entry stays in
 * the queue. For rare searches by something else than the key.
 */
mca_part_ucx_match_entry_t *
mca_part_ucx_match_find_announce(mca_part_ucx_match_t *match,
                                 bool (*accept)(mca_part_ucx_match_entry_t *, const void *),
                                 const void *context);

#endif /* PART_UCX_MATCH_H */
