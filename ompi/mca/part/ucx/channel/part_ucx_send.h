/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sending end of a channel. part_ucx_send.c marks partitions and decides when a unit may
 * leave, part_ucx_post.c picks what of it leaves, part_ucx_transfer.c moves it.
 */
#ifndef PART_UCX_SEND_H
#define PART_UCX_SEND_H

#include "base/part_ucx_copy.h"
#include "channel/part_ucx_request.h"

/** A send's share of a path. */
typedef struct mca_part_ucx_held_t {
    struct mca_part_ucx_held_t *next;  /**< in the path's list; under the path's lock */
    struct mca_part_ucx_held_t **link; /**< what points to this one, NULL when not in the list */
    struct mca_part_ucx_send_t *send;
    uint32_t pair;
    uint32_t unsent;                   /**< segments of this epoch not yet posted here */
    uint64_t since_ns;                 /**< when the epoch was opened here */
    mca_part_ucx_work_t work;          /**< asks the path to put this into its list */
} mca_part_ucx_held_t;

/** Who copies a unit between processes of one host (part_ucx_share.c). */
typedef enum mca_part_ucx_way_t {
    PART_UCX_WAY_OPEN,   /**< not decided; or nobody has a choice */
    PART_UCX_WAY_OFFER,  /**< the receiver: it is counted in the endpoint's offers */
    PART_UCX_WAY_PLACE,  /**< the sender */
    PART_UCX_WAY_PLACED  /**< the sender, and it has */
} mca_part_ucx_way_t;

/** How a few bytes reach a process of this host (part_ucx_cheaper.h). */
enum {
    PART_UCX_CARRY, /**< in a message: copied into shared memory, and out of it */
    PART_UCX_PLACE  /**< by a system call of the sender */
};

/** One transfer unit of a send. */
typedef struct mca_part_ucx_unit_t {
    mca_part_ucx_work_t work;
    struct mca_part_ucx_send_t *send;
    atomic_uint marks; /**< segments marked ready in this epoch, and UNIT_OPEN */
    uint32_t pair;     /**< of a link: the path chosen in this epoch */
    mca_part_ucx_way_t way; /**< from being marked to being posted */
} mca_part_ucx_unit_t;

#define PART_UCX_UNIT_OPEN 0x80000000u

/** Flags of up to this many neighbouring segments (or of one unit) leave in one put. */
#define PART_UCX_FLAG_RUN 64

/** What the receiver has said over a path, perhaps before its ACCEPT has come over the PML: it
 * stays until the receiver is known (peer_key) and it is heeded. */
typedef struct mca_part_ucx_event_t {
    _Atomic uint64_t from; /**< the receiver's key; 0: nothing */
    atomic_uint epoch;
} mca_part_ucx_event_t;

/** Where the pieces of a link lie at its receiver, on the same host, when they are copied to. */
typedef struct mca_part_ucx_targets_t {
    mca_part_ucx_shm_view_t view; /**< of the memory that it shares, if there is any */
    mca_part_ucx_cheaper_t copies; /**< into that */
    mca_part_ucx_piece_t piece[];
} mca_part_ucx_targets_t;

typedef struct mca_part_ucx_send_t {
    mca_part_ucx_request_t super;
    atomic_uint *marked;      /**< per partition: last epoch it was marked in */
    /* From here on valid once READY. */
    mca_part_ucx_unit_t *unit;
    uint32_t *sent;           /**< per segment: last epoch posted in; NULL unless aggregating */
    mca_part_ucx_held_t *held; /**< per pair; NULL unless aggregating */
    atomic_uint gate;         /**< counts Start and READY; the second of an epoch opens it */
    atomic_uint ready_epoch;  /**< last epoch the receiver is known to have started */
    mca_part_ucx_event_t ready;
    mca_part_ucx_event_t closed;
    atomic_uint remaining;    /**< segments whose source is still needed */
    atomic_uint pushed;       /**< of a link: pieces that have been pushed in this epoch */
    mca_part_ucx_endpoint_t *endpoint[PART_UCX_MAX_PATHS]; /**< per pair */
    ucp_rkey_h data_rkey[PART_UCX_MAX_PATHS];
    ucp_rkey_h flag_rkey[PART_UCX_MAX_PATHS];
    uint64_t remote_data;           /**< address of the first byte; of a link, of its pieces */
    mca_part_ucx_targets_t *targets; /**< of a link whose pieces are copied: where they go */
    uint64_t remote_flags;
    uint64_t *flag_source;    /**< the epoch, as often as one put can need it */
    uint32_t flag_run;        /**< how often that is */
    mca_part_ucx_region_t *region;  /**< registration of the data, NULL unless puts are used */
    atomic_int places;              /**< process id, when units may be placed anywhere; else 0 */
    bool eager_only;                /**< the receiver unpacks from messages: no rendezvous */
    bool pulled;                    /**< one unit, by rendezvous: needs no READY, see is_gated() */
    mca_part_ucx_op_t own;          /**< for a unit that leaves before READY */
} mca_part_ucx_send_t;

OBJ_CLASS_DECLARATION(mca_part_ucx_send_t);

extern const mca_part_ucx_ops_t mca_part_ucx_send_ops;

/** The present epoch. */
static inline uint32_t mca_part_ucx_send_epoch(mca_part_ucx_send_t *send)
{
    return atomic_load_explicit(&send->super.epoch, memory_order_relaxed);
}

/** Which of the channel's paths carries a unit. */
static inline uint32_t mca_part_ucx_send_pair(const mca_part_ucx_send_t *send, uint32_t unit)
{
    return NULL == send->super.piece ? mca_part_ucx_map_path(&send->super.map, unit)
                                     : send->unit[unit].pair;
}

/** Matched (map and pairs are set): build the arrays. Under the set-up lock. */
int mca_part_ucx_send_ready(mca_part_ucx_send_t *send);

/** Set what depends on how the receiver takes its data: again for each that the send meets. */
int mca_part_ucx_send_adapt(mca_part_ucx_send_t *send);

/** Mark a piece of a link; only queues. The link is READY. */
void mca_part_ucx_send_mark_piece(mca_part_ucx_send_t *send, uint32_t piece);

/** A piece has left its path, or never will. */
void mca_part_ucx_send_unload(mca_part_ucx_send_t *send, uint32_t piece);

/** Begin an epoch; the base has set the request active. */
void mca_part_ucx_send_start(mca_part_ucx_send_t *send);

/** Give back what UCX has made for its memory and the receiver's. */
void mca_part_ucx_send_unregister(mca_part_ucx_send_t *send);

/** Free the arrays of a send that is not running. */
void mca_part_ucx_send_release(mca_part_ucx_send_t *send);

/** READY arrived: receiver `from` has started `epoch`. Under a path's lock. */
void mca_part_ucx_send_peer_ready(mca_part_ucx_send_t *send, uint64_t from, uint32_t epoch);

/** CLOSE arrived: receiver `from` has been freed after `epoch`. Under a path's lock. */
void mca_part_ucx_send_peer_closed(mca_part_ucx_send_t *send, uint64_t from, uint32_t epoch);

/** The sender knows its receiver (peer_key): heed a READY or CLOSE that overtook the ACCEPT. */
void mca_part_ucx_send_heed_early(mca_part_ucx_send_t *send);

/** The receiver has fetched what was offered before READY: it has started. Under pair 0's path. */
void mca_part_ucx_send_was_fetched(mca_part_ucx_send_t *send, uint32_t epoch);

/** An operation's source is free again: count its segments. Under its path's lock. */
void mca_part_ucx_send_op_done(mca_part_ucx_op_t *op);

/** Post a unit: what of it is marked and not sent. Work of a path (see mca_part_ucx_work_t). */
bool mca_part_ucx_post_unit(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work);

/** Put a send into the path's list of those with partly filled units. Work of a path. */
bool mca_part_ucx_post_held(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work);

/** Post what has waited too long in partly filled units of a path. Under its lock. */
int mca_part_ucx_post_release(mca_part_ucx_path_t *path);

/**
 * Move `count` neighbouring segments of one unit; false when the path has no room now. Under the
 * path's lock. The send may be gone when the last of an epoch has been moved.
 */
bool mca_part_ucx_transfer_post(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first,
                                uint32_t count);

/** Once there are paths: may senders copy into the memory of receivers on their host? */
bool mca_part_ucx_share_allowed(void);

/** Memory for pieces of receiving links (mca_part_ucx_shm_make()), if that is of use. */
bool mca_part_ucx_share_make(mca_part_ucx_shm_t *shm, uint64_t bytes);

/** The same only to be looked for: mca_part_ucx_shm_probe(). */
bool mca_part_ucx_share_probe(mca_part_ucx_shm_t *shm);

/** Could links of this process copy into such segments of the process that has made this one? */
bool mca_part_ucx_share_sees(const mca_part_ucx_shm_t *shm);

/** The other end: does anything that a sender copies lie in the link's shared memory? */
bool mca_part_ucx_share_is_used(const mca_part_ucx_recv_t *recv);

/** The receiver is known: what may this send copy itself? `allowed`: the receiver lets it write
 * anywhere. `shm`: memory that a link's receiver shares, or of 0 bytes. */
void mca_part_ucx_share_prepare(mca_part_ucx_send_t *send, bool allowed,
                                const mca_part_ucx_shm_t *shm);

/** Nothing is placed any more. */
void mca_part_ucx_share_end(mca_part_ucx_send_t *send);

/** Decide who copies `length` bytes from segment `first` on; an offer to the receiver is reserved.
 * Under the path's lock. */
mca_part_ucx_way_t mca_part_ucx_share_choose(mca_part_ucx_send_t *send, uint32_t pair,
                                             uint32_t first, uint64_t length);

/** An offer that was reserved is not made, or has been fetched. Any thread. */
static inline void mca_part_ucx_share_undo(mca_part_ucx_endpoint_t *endpoint)
{
    atomic_fetch_sub_explicit(&endpoint->offers, 1, memory_order_relaxed);
}

/**
 * Write bytes of a send into the receive buffer, from segment `first` on; false: they must be sent.
 * Any thread; under the path's lock if they are few enough to be carried.
 */
bool mca_part_ucx_share_place(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first,
                              uint64_t offset, uint64_t length);

/**
 * Whether bytes are better carried by a message (PART_UCX_CARRY) or placed (PART_UCX_PLACE); NULL:
 * that is no question. Under the path's lock.
 */
mca_part_ucx_cheaper_t *mca_part_ucx_share_cheaper(const mca_part_ucx_send_t *send, uint32_t pair,
                                                   uint64_t length);

/** What the sender's part of one of these ways has cost for `length` bytes, since `begin_ns`. */
void mca_part_ucx_share_note(mca_part_ucx_cheaper_t *cheaper, uint32_t way, uint64_t length,
                             uint64_t begin_ns);

/**
 * A unit is complete and about to be pushed, by the thread that has marked it: copy it here and
 * now, beside other threads that do the same, if it is the sender who copies it.
 */
void mca_part_ucx_share_ahead(mca_part_ucx_send_t *send, uint32_t unit);

/** Does the whole message leave as one unit that the receiver fetches? Once matched. */
bool mca_part_ucx_transfer_pulls(const mca_part_ucx_send_t *send);

/** Is the receiver known to have started the present epoch? */
static inline bool mca_part_ucx_send_is_awaited(mca_part_ucx_send_t *send)
{
    return (int32_t) (mca_part_ucx_send_epoch(send) - atomic_load(&send->ready_epoch)) <= 0;
}

/** Flush endpoints with completed puts, and put flags. Under the path's lock. */
int mca_part_ucx_transfer_flush(mca_part_ucx_path_t *path);

#endif /* PART_UCX_SEND_H */
