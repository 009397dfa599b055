/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sending end of a channel. Which units may leave is decided in part_ucx_gate.h, what of them
 * leaves in part_ucx_post.h, how in part_ucx_delivery.h.
 */
#ifndef PART_UCX_SEND_H
#define PART_UCX_SEND_H

#include "api/part_ucx_epoch.h"
#include "base/part_ucx_cheaper.h"
#include "base/part_ucx_shm.h"
#include "channel/part_ucx_boxes.h"
#include "channel/part_ucx_channel.h"
#include "channel/part_ucx_pair_shares.h"
#include "channel/part_ucx_transfer.h"

/** The partly filled units of a send on a path. */
typedef struct mca_part_ucx_partial_t {
    struct mca_part_ucx_partial_t *next;  /**< in the path's list; under the path's lock */
    struct mca_part_ucx_partial_t **back; /**< what points to this one, NULL when not in the list */
    struct mca_part_ucx_send_t *send;
    uint32_t at;                       /**< unit that is looked at next */
    uint32_t unsent;                   /**< segments of this epoch not yet posted here */
    uint64_t since_ns;                 /**< when the epoch was opened here */
    mca_part_ucx_work_t work;          /**< asks the path to put this into its list */
} mca_part_ucx_partial_t;

/** One transfer unit of a send. */
typedef struct mca_part_ucx_unit_t {
    mca_part_ucx_work_t work;
    struct mca_part_ucx_send_t *send;
    atomic_uint marks; /**< segments marked ready in this epoch, and UNIT_OPEN */
    uint32_t pair;     /**< which of the channel's paths carries it in this epoch */
    /* From being marked to being posted, where it has one segment: */
    uint8_t row;       /**< how it leaves, once decided: row of the table, from 1 on; else 0 */
    bool reserved;     /**< counted in the endpoint's offers */
    bool placed;       /**< its bytes are at the receiver's, written by us */
    uint32_t looked;   /**< `marks` when what had been marked of it alone had left; else 0 */
} mca_part_ucx_unit_t;

#define PART_UCX_UNIT_OPEN 0x80000000u

/** What the receiver has said over a path, perhaps before its ACCEPT has come over the PML: it
 * stays until the receiver is known (peer_key) and it is heeded. */
typedef struct mca_part_ucx_heard_t {
    _Atomic uint64_t from; /**< the receiver's key; 0: nothing */
    atomic_uint epoch;
} mca_part_ucx_heard_t;

/** Where the pieces of a link lie at its receiver, on the same host, when they are copied to. */
typedef struct mca_part_ucx_targets_t {
    mca_part_ucx_shm_view_t view; /**< of the memory that it shares, if there is any */
    mca_part_ucx_cheaper_t copies; /**< into that */
    mca_part_ucx_boxes_t boxes;    /**< there: all pieces go into them, unless area is NULL */
    mca_part_ucx_piece_t piece[];
} mca_part_ucx_targets_t;

/** Copies of the pieces of a link that fails over: part_ucx_failover_resend_buffer.h. */
typedef struct mca_part_ucx_failover_resend_buffer_t mca_part_ucx_failover_resend_buffer_t;

/** UCX's keys of the receiver's memory, for a path. */
typedef struct mca_part_ucx_keys_t {
    ucp_rkey_h data;
    ucp_rkey_h flags;
} mca_part_ucx_keys_t;

typedef struct mca_part_ucx_send_t {
    mca_part_ucx_channel_t super;
    atomic_uint *marked;      /**< per partition: last epoch it was marked in; NULL for a link */
    /* From here on valid once MATCHED. */
    mca_part_ucx_unit_t *unit;
    uint32_t *sent;           /**< per segment: last epoch posted in; NULL: each is a unit */
    mca_part_ucx_partial_t *partial; /**< per pair; NULL: likewise */
    mca_part_ucx_pair_shares_t *share;    /**< NULL: units always take turns */
    struct mca_part_ucx_regroup_t *regroup; /**< NULL: units are always those of both ends */
    atomic_uint ready_epoch;  /**< last epoch the receiver is known to have started */
    uint32_t credit;          /**< epochs that it may be ahead of `ready_epoch`; 0: none, it needs
                               * READY in each */
    atomic_uint begun;        /**< last epoch that was started here, ... */
    atomic_uint opened;       /**< ... and last one whose gate was opened */
    mca_part_ucx_heard_t ready;
    atomic_uint heeded;       /**< epoch of the last READY that was */
    atomic_uint remaining;    /**< segments whose source is still needed */
    atomic_uint pushed;       /**< of a link: pieces that have been pushed in this epoch */
    struct mca_part_ucx_bundler_t *bundler; /**< of a link: see part_ucx_bundle.h */
    mca_part_ucx_endpoint_t *endpoint[PART_UCX_MAX_PATHS]; /**< per pair */
    mca_part_ucx_keys_t *keys; /**< per pair; NULL unless puts are used */
    uint64_t remote_data;           /**< address of the first byte; of a link, of its pieces */
    mca_part_ucx_targets_t *targets; /**< of a link whose pieces are copied: where they go */
    uint64_t remote_flags;
    uint64_t *flag_source;    /**< the epoch, as often as one put can need it */
    uint32_t flag_run;        /**< how often that is */
    uint32_t deliveries;      /**< which rows of the table serve it (part_ucx_delivery.h) */
    uint8_t early;            /**< row, from 1 on, by which the message, one unit, may leave before
                               * READY; 0: it may not. See part_ucx_gate.c */
    uint8_t ahead;            /**< row, from 1 on, that does something before a unit is queued */
    mca_part_ucx_region_t *region;  /**< registration of the data, NULL unless puts are used */
    atomic_int cma_process;         /**< process id, when units may be placed anywhere; else 0 */
    uint8_t first;                  /**< of a link: the pair that it begins with in each epoch */
    bool rotates;                   /**< its few units take another path in each epoch */
    bool has_asked;                 /**< it has asked for READY in each epoch (part_ucx_ask.h) */
    bool self_marking;              /**< it has no partitions that the user could mark */
    bool refused;                   /**< its receiver keeps its announcement, or has failed */
    bool eager_only;                /**< the receiver unpacks from messages: no rendezvous */
    struct mca_part_ucx_failover_resend_t
        *resend; /**< of one that fails over: part_ucx_failover_resend.h; else NULL */
    mca_part_ucx_failover_resend_buffer_t
        *resend_buffer;                          /**< of a link that fails over; else NULL */
    mca_part_ucx_transfer_t own;                 /**< for a unit that leaves before READY */
} mca_part_ucx_send_t;

/** Do the pieces of this link go into boxes (part_ucx_fastbox.h)? */
static inline bool mca_part_ucx_send_is_boxed(const mca_part_ucx_send_t *send)
{
    return NULL != send->targets && NULL != send->targets->boxes.area;
}

/** What a sending end does: part_ucx_send_side.c. */
extern const mca_part_ucx_side_t mca_part_ucx_send_side;

/** Make one: all zero but what follows from being a send. NULL: no memory. */
mca_part_ucx_send_t *mca_part_ucx_send_new(void);

/** The send that a channel is; NULL: it is a receive. */
mca_part_ucx_send_t *mca_part_ucx_send_check(mca_part_ucx_channel_t *channel);

/** The send that a channel is known to be. */
static inline mca_part_ucx_send_t *mca_part_ucx_send_of(mca_part_ucx_channel_t *channel)
{
    return PART_UCX_CONTAINER(channel, mca_part_ucx_send_t, super);
}

/** The send whose bytes a transfer carries. */
static inline mca_part_ucx_send_t *mca_part_ucx_send_in(const mca_part_ucx_transfer_t *transfer)
{
    return mca_part_ucx_send_of(transfer->op.channel);
}

/** Which unit it is, by its place in a queue. */
static inline uint32_t mca_part_ucx_unit_index(const mca_part_ucx_send_t *send,
                                               const mca_part_ucx_item_t *item)
{
    return (uint32_t) (PART_UCX_CONTAINER(item, mca_part_ucx_unit_t, work.item) - send->unit);
}

/** The present epoch. */
static inline uint32_t mca_part_ucx_send_epoch(const mca_part_ucx_send_t *send)
{
    return atomic_load_explicit(&send->super.epoch, memory_order_relaxed);
}

/** Which of the channel's paths carries a unit. */
static inline uint32_t mca_part_ucx_send_pair(const mca_part_ucx_send_t *send, uint32_t unit)
{
    return send->unit[unit].pair;
}

/** Have the units of this epoch been dealt to its paths? Else unit u has pair u mod pairs. */
static inline bool mca_part_ucx_send_is_dealt(const mca_part_ucx_send_t *send)
{
    return send->rotates || (NULL != send->share && send->share->dealt);
}

/** Is the receiver known to have started the present epoch? */
static inline bool mca_part_ucx_send_heard_ready(mca_part_ucx_send_t *send)
{
    return !mca_part_ucx_epoch_is_after(mca_part_ucx_send_epoch(send),
                                        atomic_load(&send->ready_epoch));
}

/** May what is marked in the present epoch leave? Not asked of what is offered before READY. */
static inline bool mca_part_ucx_send_is_open(mca_part_ucx_send_t *send)
{
    return 0 != send->credit ? mca_part_ucx_send_epoch(send) == atomic_load(&send->opened)
                             : mca_part_ucx_send_heard_ready(send);
}

/** The receiver is known to have started an epoch: it has said so, or fetched what was offered
 * before. Under pair 0's path, or the set-up lock. */
void mca_part_ucx_send_started(mca_part_ucx_send_t *send, uint32_t epoch);

/** Has the receiver started? Then no other one takes its place. */
bool mca_part_ucx_send_is_settled(mca_part_ucx_channel_t *channel);

/** The path of a link that is to carry a piece, by pair: the one it was dealt to, else the one that
 * has least to do, from the `turn`-th on. A guess while others push, too. */
uint32_t mca_part_ucx_send_choose(const mca_part_ucx_send_t *send, uint32_t piece, uint32_t turn);

/** A piece is on its way to a path: that of this pair. */
void mca_part_ucx_send_load(mca_part_ucx_send_t *send, uint32_t piece, uint32_t pair);

/** A piece has left its path, or never will. */
void mca_part_ucx_send_unload(mca_part_ucx_send_t *send, uint32_t piece);

/** The n-th segment that a transfer carries: of a bundle from its list. */
uint32_t mca_part_ucx_send_segment(const mca_part_ucx_transfer_t *transfer, uint32_t n);

/** A transfer is over, its source is free again: count its segments. Under its path's lock. */
void mca_part_ucx_send_done(mca_part_ucx_transfer_t *transfer);

/** A transfer has failed: so has the channel. Under its path's lock. */
void mca_part_ucx_send_failed(mca_part_ucx_transfer_t *transfer, ucs_status_t status);

/** Wait until the receiver has started the present epoch (MPIX_Pbuf_prepare), or, of a link with
 * credit, until what is marked may leave; or something fails. Returns an MPI error class;
 * MPI_ERR_OTHER also when the receiver has gone without having started it. */
int mca_part_ucx_send_prepare(mca_part_ucx_send_t *send);

#endif /* PART_UCX_SEND_H */
