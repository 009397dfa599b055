/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Delivery: how what leaves gets to the receiver. Each way is a row of a table and a file of its
 * own, part_ucx_deliver_*.c; docs/adding-a-delivery-method.md shows how to add one, and
 * docs/protocol.md argues for each why no flag is seen before its data.
 *
 * Chosen and posted is in one place, part_ucx_delivery.c. The receiver has chosen the method of the
 * channel (part_ucx_method.h). The rows of that method that serve the channel are noted when the
 * two ends meet. Of these, the first that fits a parcel delivers it; the last one fits always.
 */
#ifndef PART_UCX_DELIVERY_H
#define PART_UCX_DELIVERY_H

#include "channel/part_ucx_send.h"

/** What leaves at once: neighbouring segments of one unit. */
typedef struct mca_part_ucx_parcel_t {
    mca_part_ucx_send_t *send;
    uint32_t pair;   /**< which of the channel's paths */
    uint32_t first;  /**< segment */
    uint32_t count;  /**< of segments */
    uint64_t offset; /**< of its first byte in the message; of a piece its address */
    uint64_t length; /**< bytes */
    bool reserved;   /**< the receiver is to fetch it: counted in the endpoint's offers */
    bool placed;     /**< its bytes are at the receiver's already, written by us */
    const mca_part_ucx_item_t *bundle; /**< `count` pieces of a link, not neighbours, that leave in
                                        * one message: work.item of their units. `length` is that
                                        * of the message. Else NULL */
} mca_part_ucx_parcel_t;

/** A way to deliver. Functions run under the path's lock but where it says otherwise. */
typedef struct mca_part_ucx_delivery_t {
    const char *name;
    mca_part_ucx_method_t method; /**< of the channels that it may serve */
    bool carries; /**< the message has the bytes: the receiver can keep them until it starts */
    bool instant; /**< the bytes do not travel on the path, and do not count against its window */
    /** Does it serve this channel, whose receiver is known now? NULL: yes. Under the set-up lock.
     */
    bool (*serves)(const mca_part_ucx_send_t *send);
    /** May a message that is one unit leave so before the receiver is known to have started? NULL:
     * no. Under the set-up lock. */
    bool (*early)(const mca_part_ucx_send_t *send);
    /** Is it the way for this parcel? NULL: yes. */
    bool (*fits)(mca_part_ucx_parcel_t *parcel);
    /** Do what can be done by the thread that has marked the unit, before that is queued; without
     * locks. NULL: nothing. */
    void (*ahead)(mca_part_ucx_parcel_t *parcel);
    /** Begin. The send may be gone afterwards. False: it cannot after all, and does not fit any
     * more; the rows are asked again. */
    bool (*post)(mca_part_ucx_transfer_t *transfer, const mca_part_ucx_parcel_t *parcel);
    /** What was posted has completed well, here. */
    void (*done)(mca_part_ucx_transfer_t *transfer);
} mca_part_ucx_delivery_t;

/** The table: the order is the order in which rows are asked. */
#define PART_UCX_DELIVERIES(ROW) \
    ROW(bundle)                  \
    ROW(shm)                     \
    ROW(cma)                     \
    ROW(rndv)                    \
    ROW(eager)                   \
    ROW(flush)                   \
    ROW(chained)

#define PART_UCX_DECLARE(row) extern const mca_part_ucx_delivery_t mca_part_ucx_deliver_##row;
PART_UCX_DELIVERIES(PART_UCX_DECLARE)
#undef PART_UCX_DECLARE

/** The rows, by number. */
extern const mca_part_ucx_delivery_t *const mca_part_ucx_deliveries[];

/** The receiver is known: which rows serve this send? Under the set-up lock. */
void mca_part_ucx_delivery_prepare(mca_part_ucx_send_t *send);

/** Deliver a unit of one segment. Work of a path (see mca_part_ucx_work_t). */
bool mca_part_ucx_delivery_post_unit(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work);

/**
 * Deliver `count` neighbouring segments of one unit; false when the path has no room now. Under the
 * path's lock. The send may be gone when the last of an epoch has been moved.
 */
bool mca_part_ucx_delivery_post(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first,
                                uint32_t count);

/** The same with `count` pieces of a link in one message of `length` bytes. */
bool mca_part_ucx_delivery_post_bundle(mca_part_ucx_send_t *send, uint32_t pair,
                                       const mca_part_ucx_item_t *first, uint32_t count,
                                       uint64_t length);

/** For rows: where the bytes of a parcel are, in place or packed into the transfer's staging. NULL:
 * they cannot be packed. Under the path's lock. */
const void *mca_part_ucx_delivery_source(mca_part_ucx_transfer_t *transfer,
                                         const mca_part_ucx_parcel_t *parcel);

/** A unit is complete and about to be pushed, by the thread that has marked it: do now what can be
 * done without locks, beside other threads that do the same. */
void mca_part_ucx_delivery_ahead(mca_part_ucx_send_t *send, uint32_t unit);

/** A unit is not going to leave. Under its path's lock. */
void mca_part_ucx_delivery_forget(mca_part_ucx_send_t *send, uint32_t unit);

#endif /* PART_UCX_DELIVERY_H */
