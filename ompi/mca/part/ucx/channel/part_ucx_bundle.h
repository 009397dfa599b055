/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bundles: small pieces of one link that leave in one message.
 *
 * Pieces that may leave wait in a mailbox of their link, not in the queue of a path. The link
 * itself is queued on a path, once, by the thread whose piece found the mailbox unowned. When the
 * path gets to it, all that is there by then leaves together. So nobody waits for what has not been
 * marked, and a piece that is alone leaves as it would without all this.
 */
#ifndef PART_UCX_BUNDLE_H
#define PART_UCX_BUNDLE_H

#include "base/part_ucx_mailbox.h"
#include "channel/part_ucx_bundle_size.h"
#include "channel/part_ucx_send.h"

/** What a link has for bundles. But for the mailbox, all belongs to who owns that. */
typedef struct mca_part_ucx_bundler_t {
    mca_part_ucx_mailbox_t box;  /**< units (their work.item) that may leave */
    mca_part_ucx_item_t *taken;  /**< out of it, oldest first */
    mca_part_ucx_item_t **tail;
    mca_part_ucx_send_t *send;
    uint32_t pair;               /**< whose path is going to carry them */
    atomic_uint_least64_t most;  /**< bytes of a bundle, with its list, in this epoch: whoever
                                  * reads another one's makes a bundle of another size */
    uint64_t largest;            /**< bytes of a piece that is put into bundles */
    mca_part_ucx_bundle_size_t *size; /**< where that may change, or NULL */
    mca_part_ucx_work_t work;    /**< asks the path to do so */
} mca_part_ucx_bundler_t;

/** The receiver of a link is known. Returns an Open MPI code. */
int mca_part_ucx_bundle_build(mca_part_ucx_send_t *send);

/** Forget it. */
void mca_part_ucx_bundle_free(mca_part_ucx_send_t *send);

/** An epoch of the link starts; nothing of the one before is left. */
void mca_part_ucx_bundle_begin(mca_part_ucx_send_t *send);

/** Is this piece small enough that it may leave with others? */
bool mca_part_ucx_bundle_takes(const mca_part_ucx_send_t *send, uint32_t piece);

/** A piece that may leave, and is taken. The send may be gone afterwards. Any thread. */
void mca_part_ucx_bundle_push(mca_part_ucx_send_t *send, uint32_t piece);

/** These pieces are not queued on their paths any more. */
void mca_part_ucx_bundle_unload(mca_part_ucx_send_t *send, const mca_part_ucx_item_t *first);

/** Copy list and bytes of the pieces `first` and so on into the transfer's staging; NULL: there is
 * no memory. */
const void *mca_part_ucx_bundle_pack(mca_part_ucx_transfer_t *transfer,
                                     const mca_part_ucx_send_t *send,
                                     const mca_part_ucx_item_t *first, uint32_t count,
                                     uint64_t length);

#endif /* PART_UCX_BUNDLE_H */
