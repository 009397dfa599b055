/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which side copies a large unit between two processes of one host. Both can, at the same time: the
 * receiver fetches what it is offered, the sender places the rest. They take turns; a receiver that
 * has nothing to fetch is offered the next unit, one that has two is not. What a collective reduces
 * is in the cache of the sender, which places all of it.
 */
#ifndef PART_UCX_COPY_SIDE_H
#define PART_UCX_COPY_SIDE_H

#include "channel/part_ucx_delivery.h"

/** How a few bytes reach a process of this host (base/part_ucx_cheaper.h). */
enum {
    PART_UCX_EAGER, /**< in a message: copied into shared memory, and out of it */
    PART_UCX_PLACE  /**< by a system call of the sender */
};

/** An endpoint is used by a channel, perhaps the first one. Takes the path's lock. */
void mca_part_ucx_copy_side_begin(mca_part_ucx_endpoint_t *endpoint);

/** Does the sender take it on itself to copy this parcel? If the receiver is to do so, the parcel
 * is reserved in the endpoint's offers. Under the path's lock. */
bool mca_part_ucx_copy_side_take(mca_part_ucx_parcel_t *parcel);

/** The same of one that is too large to be carried by a message. Any thread. */
bool mca_part_ucx_copy_side_take_large(mca_part_ucx_parcel_t *parcel);

/** An offer that was reserved is not made, or has been fetched. Any thread. */
static inline void mca_part_ucx_copy_side_undo(mca_part_ucx_endpoint_t *endpoint)
{
    atomic_fetch_sub_explicit(&endpoint->offers, 1, memory_order_relaxed);
}

/**
 * Whether bytes had better leave in a message (PART_UCX_EAGER) or be placed (PART_UCX_PLACE); NULL:
 * that is no question. Under the path's lock.
 */
mca_part_ucx_cheaper_t *mca_part_ucx_copy_side_cheaper(const mca_part_ucx_parcel_t *parcel);

/** What the sender's part of one of these ways has cost for `length` bytes, since `begin_ns`. */
void mca_part_ucx_copy_side_note(mca_part_ucx_cheaper_t *cheaper, uint32_t way, uint64_t length,
                             uint64_t begin_ns);

/** May units of a message of so many bytes be offered to a receiver on this host? */
bool mca_part_ucx_copy_side_may_offer(uint64_t bytes);

#endif /* PART_UCX_COPY_SIDE_H */
