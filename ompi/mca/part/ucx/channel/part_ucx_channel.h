/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One end of a channel: the other end is of the same type, in the peer's process. A channel carries
 * the partitions of a partitioned send to its receive, epoch after epoch, over all paths that the
 * two processes share. Its owner is a request of the user (mpi/part_ucx_request.h) or a link of a
 * collective (mpi/part_ucx_link.c); it is told through an observer.
 *
 * What both ends have in common is here. The sending end is in part_ucx_send.h, the receiving end
 * in part_ucx_recv.h; where they differ, mca_part_ucx_side_t says how.
 *
 * An iteration is an epoch, a number counted from 1 on both sides, which goes round
 * (api/part_ucx_epoch.h). Nothing is cleared between epochs: marks and flags hold the epoch that
 * they were made in.
 *
 * `state` (part_ucx_state.h) is changed under the set-up lock where it begins to wait or to be
 * matched, and by whichever thread finds a failure.
 */
#ifndef PART_UCX_CHANNEL_H
#define PART_UCX_CHANNEL_H

#include "api/part_ucx_observer.h"
#include "base/part_ucx_table.h"
#include "channel/part_ucx_map.h"
#include "channel/part_ucx_message.h"
#include "channel/part_ucx_side.h"
#include "channel/part_ucx_state.h"
#include "path/part_ucx_memory.h"
#include "path/part_ucx_peer.h"
#include "process/part_ucx_params.h"

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

struct mca_part_ucx_channel_t;

/** What set-up does with a channel later on. Under the set-up lock. */
typedef struct mca_part_ucx_wireup_t {
    /** It is started, and has met an end of another size. */
    void (*mismatch)(struct mca_part_ucx_channel_t *channel);
    /** It is going to be freed: withdraw it, or tell the other end. */
    void (*detach)(struct mca_part_ucx_channel_t *channel);
} mca_part_ucx_wireup_t;

/** What the other end has said of its end, perhaps before it is known (peer_key). */
typedef struct mca_part_ucx_said_t {
    _Atomic uint64_t from; /**< key of the end that has said it; 0: nothing. Written last */
    atomic_uint epoch;     /**< the last one that was no failure */
    atomic_uint reason;    /**< mca_part_ucx_reason_t */
    atomic_bool busy;      /**< its operations still run */
} mca_part_ucx_said_t;

/** What wireup/part_ucx_failover_health.c saw last; under the set-up lock. */
typedef struct mca_part_ucx_advance_t {
    uint32_t epoch;
    double since; /**< when it was first seen, in seconds */
} mca_part_ucx_advance_t;

/** What wireup/part_ucx_watchdog.c saw last; under the set-up lock. */
typedef struct mca_part_ucx_watched_t {
    uint32_t epoch;
    uint32_t remaining;
    double since; /**< when that changed last, in seconds */
    bool told;    /**< the user has been, of a network that is stuck */
    bool said;    /**< what it waits for has been said */
    float began;  /**< when the epoch was seen first, in seconds */
} mca_part_ucx_watched_t;

typedef struct mca_part_ucx_channel_t {
    const mca_part_ucx_side_t *side;
    const mca_part_ucx_wireup_t *wireup;
    const mca_part_ucx_observer_t *observer;
    void *context;              /**< for the observer */
    ompi_communicator_t *comm;  /**< reference held */
    int peer_rank;
    int tag;
    uint32_t space;             /**< of matching: mca_part_ucx_space_t */
    uint32_t fingerprint;       /**< of a link: must be the peer's, too */
    /* The message. */
    ompi_datatype_t *datatype;  /**< reference held */
    char *buffer;               /**< first byte of the first element as the user gave it */
    size_t count;               /**< elements per partition; not of a link */
    uint64_t total;             /**< packed bytes of all partitions */
    uint32_t partitions;        /**< at least 1 */
    bool contiguous;            /**< the message is one range of memory, without gaps; or pieces */
    bool warm;                  /**< of a link: its sender copies on one host (part_ucx_link.h) */
    char *data;                 /**< first byte of it, when contiguous */
    const mca_part_ucx_piece_t *piece; /**< of a link: per segment, and `data` is NULL */
    opal_convertor_t *convertor; /**< one per pair, under its path's lock; NULL if contiguous */
    /* The two ends. */
    uint64_t key;               /**< of this end */
    uint32_t nonce;             /**< of this end: messages for it must carry it */
    atomic_uint peer_nonce;     /**< of the other one; written before `peer_key` */
    _Atomic uint64_t peer_key;  /**< of the other one, 0 until known */
    mca_part_ucx_peer_t *peer;
    uint32_t pairs;             /**< paths of the channel */
    mca_part_ucx_method_t method;
    mca_part_ucx_map_t map;     /**< valid once MATCHED */
    struct mca_part_ucx_listener_t *listener; /**< of the communicator */
    /* Epochs. */
    atomic_int state;           /**< mca_part_ucx_state_t */
    atomic_uint epoch;          /**< number of the present or last one */
    atomic_uint good_epoch;     /**< of the last one that ended well ... */
    atomic_uint ended;          /**< ... of those up to this one */
    atomic_int error;           /**< MPI error class, first failure wins */
    atomic_bool running;        /**< started, and the observer has not been told of its end */
    bool fails_over;            /**< it goes on when a path dies (docs/protocol.md, section 9) */
    uint32_t other_partitions;  /**< MISMATCHED: partitions of the other end */
    uint64_t other_total;       /**< and its bytes */
    /* The end. */
    mca_part_ucx_said_t said;
    double ending_since;        /**< seconds; 0: not looked after yet. Under the set-up lock */
    mca_part_ucx_watched_t watched;
    mca_part_ucx_advance_t advance;
    mca_part_ucx_item_t item;   /**< in the list of those that have failed and stay */
} mca_part_ucx_channel_t;

/** Channel key -> channel. */
extern mca_part_ucx_table_t mca_part_ucx_channels;

/** Where byte `offset` of the message is, when it is contiguous; of a piece, `offset` says all. */
static inline void *mca_part_ucx_channel_at(const mca_part_ucx_channel_t *channel, uint64_t offset)
{
    return (void *) ((uintptr_t) channel->data + (uintptr_t) offset);
}

/** Its state, acquire. */
static inline mca_part_ucx_state_t mca_part_ucx_channel_state(mca_part_ucx_channel_t *channel)
{
    return (mca_part_ucx_state_t) atomic_load_explicit(&channel->state, memory_order_acquire);
}

static inline bool mca_part_ucx_channel_is_over(mca_part_ucx_channel_t *channel)
{
    return mca_part_ucx_state_is_end(mca_part_ucx_channel_state(channel));
}

/** The error of the present or last epoch; what has become known after its good end is not. */
static inline int mca_part_ucx_channel_error(mca_part_ucx_channel_t *channel)
{
    int error = atomic_load(&channel->error);

    return MPI_SUCCESS != error && atomic_load(&channel->epoch) == atomic_load(&channel->good_epoch)
               ? MPI_SUCCESS
               : error;
}

/** Take a change of state; false: it changes nothing. */
bool mca_part_ucx_channel_change(mca_part_ucx_channel_t *channel, mca_part_ucx_change_t change);

/** Enter it into the table, and draw its nonce. False: no memory, or no random numbers. Under the
 * set-up lock. */
bool mca_part_ucx_channel_enter(mca_part_ucx_channel_t *channel);

/** The channel that a message names; NULL: none of this process has that key and nonce. Under a
 * path's lock. */
mca_part_ucx_channel_t *mca_part_ucx_channel_find(uint64_t key, uint32_t nonce);

/** Both ends know each other: MATCHED. An epoch that was started meanwhile begins. Under the set-up
 * lock. */
void mca_part_ucx_channel_matched(mca_part_ucx_channel_t *channel);

/** Begin an epoch; the one before has ended. */
void mca_part_ucx_channel_start(mca_part_ucx_channel_t *channel);

/** The same for one that has met its other end, or has failed since. */
void mca_part_ucx_channel_start_met(mca_part_ucx_channel_t *channel);

/** The other end is known, or, with key 0, not any more. Under the set-up lock. */
void mca_part_ucx_channel_meet(mca_part_ucx_channel_t *channel, uint64_t key, uint32_t nonce);

/** Everything of this epoch is done: tell the observer, at most once per epoch. The channel must
 * not be touched afterwards. Any thread. */
void mca_part_ucx_channel_finish(mca_part_ucx_channel_t *channel);

/**
 * The channel has failed with an MPI error class, the first one counts: nothing leaves or is taken
 * any more. Its epoch ends at once if it has not met its other end, else when nobody touches its
 * buffer any more (part_ucx_leave.h). Any thread.
 */
void mca_part_ucx_channel_fail(mca_part_ucx_channel_t *channel, int error);

/** Has its communicator been revoked, as far as this end or the other one knows? */
bool mca_part_ucx_channel_is_revoked(mca_part_ucx_channel_t *channel);

/** What MPI calls that. */
#ifdef MPI_ERR_REVOKED /* of the extension for fault tolerance */
#    define PART_UCX_ERR_REVOKED MPI_ERR_REVOKED
#else
#    define PART_UCX_ERR_REVOKED MPI_ERR_OTHER
#endif

/** END has come. Under a path's lock. */
void mca_part_ucx_channel_heard_end(mca_part_ucx_channel_t *channel,
                                    const mca_part_ucx_event_t *event);

/** The other end, `from`, is known: heed an END of it that overtook the ACCEPT. */
void mca_part_ucx_channel_heed_end(mca_part_ucx_channel_t *channel, uint64_t from);

/** Has the other end ended? `epoch` is the last one then that was no failure. */
bool mca_part_ucx_channel_peer_ended(mca_part_ucx_channel_t *channel, uint32_t *epoch);

/** Has it never been started, so that its other end may still meet another one? Links are never
 * matched again: a rank that frees one unstarted ends the collective. */
bool mca_part_ucx_channel_is_unused(const mca_part_ucx_channel_t *channel);

/** Does the other end, which has ended, wait for this one to say the same? */
bool mca_part_ucx_channel_owes_end(mca_part_ucx_channel_t *channel);

/** Free a channel whose epoch has ended; what UCX may still point to is kept. Under the set-up
 * lock. */
void mca_part_ucx_channel_release(mca_part_ucx_channel_t *channel);

/** Free one that nothing knows. */
void mca_part_ucx_channel_destroy(mca_part_ucx_channel_t *channel);

/**
 * Fail a channel, running or not, tell the other end, and keep its memory for ever. Final tasks
 * only try the set-up lock, which their own thread may hold; false: it is taken, or the channel
 * leaves.
 */
bool mca_part_ucx_channel_abandon(mca_part_ucx_channel_t *channel);

/** At the end: channels that were not freed, or have failed, hold registrations of UCX, which does
 * not survive that when its contexts are destroyed. */
void mca_part_ucx_channels_unregister(void);

#endif /* PART_UCX_CHANNEL_H */
