/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned requests. A request is one end of a channel; the other end is a request of the
 * peer, found by matching (part_ucx_setup.h).
 *
 * Link between the two ends, field `link`; changes to OPEN and READY are made under the set-up
 * lock, to FAILED by whoever finds the failure:
 *
 *   OPEN ---------> READY        matched, the map is known, data can flow
 *   OPEN ---------> FAILED       refused, or set-up failed; `error` tells
 *   READY --------> FAILED       a transfer failed, the peer gave up, was freed or died, or the
 *                                communicator was revoked
 *   READY --------> OPEN         a receive whose sender was freed before it was ever started
 *   (NULL_PEER from the beginning: MPI_PROC_NULL)
 *
 * The peer's MPI_Request_free does not change the link: `peer_epoch` then says how far the peer
 * ever went, and an epoch beyond that fails.
 *
 * An iteration is an epoch, a number counted from 1 on both sides, which goes round
 * (part_ucx_epoch.h). Nothing is cleared between epochs; marks and flags hold the epoch they were
 * made in.
 */
#ifndef PART_UCX_REQUEST_H
#define PART_UCX_REQUEST_H

#include "base/part_ucx.h"
#include "api/part_ucx_link.h"
#include "channel/part_ucx_map.h"
#include "path/part_ucx_memory.h"
#include "api/part_ucx_ops.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

typedef enum mca_part_ucx_link_state_t {
    PART_UCX_LINK_OPEN,
    PART_UCX_LINK_READY,
    PART_UCX_LINK_FAILED,
    PART_UCX_LINK_NULL_PEER
} mca_part_ucx_link_state_t;

/** What sends and receives have in common. */
typedef struct mca_part_ucx_request_t {
    mca_part_ucx_any_request_t any;
    ompi_communicator_t *comm;  /**< reference held */
    ompi_datatype_t *datatype;  /**< reference held */
    char *buffer;               /**< first byte of the first element as the user gave it */
    size_t count;               /**< elements per partition */
    uint64_t total;             /**< packed bytes of all partitions */
    uint32_t partitions;        /**< as the user counts them */
    uint32_t cut;               /**< the same, but 1 instead of 0 (see part_ucx_zero_partitions) */
    int peer_rank;
    int tag;
    char *data;                 /**< first byte of it, when contiguous */
    uint64_t key;               /**< channel key, 0 for a null peer */
    mca_part_ucx_peer_t *peer;
    atomic_int link;            /**< mca_part_ucx_link_state_t */
    atomic_uint epoch;          /**< number of the present or last iteration */
    atomic_uint good_epoch;     /**< of the last one that ended well */
    atomic_bool running;        /**< started and not yet handed over for completion */
    bool contiguous;            /**< the message is one range of memory, without gaps */
    bool died_seen;             /**< the peer's process has ended, as seen at `watched_since` */
    atomic_int error;           /**< MPI error class, first failure wins */
    atomic_uint peer_epoch;     /**< last epoch of a peer that has closed, else UINT_MAX */
    _Atomic uint64_t peer_key;  /**< channel key of the other end, 0 until known */
    mca_part_ucx_task_t done;   /**< completes the request; a final task */
    int outcome;                /**< for it: `error` when the last epoch ended */
    uint32_t pairs;             /**< paths of the channel */
    mca_part_ucx_map_t map;     /**< valid once READY */
    mca_part_ucx_method_t method;
    opal_convertor_t *convertor; /**< one per pair, under its path's lock; NULL if contiguous */
    struct mca_part_ucx_listener_t *listener; /**< of the communicator */
    uint32_t watched_epoch;     /**< for part_ucx_watch.c, under the set-up lock: */
    uint32_t watched_remaining; /**< what it saw last */
    double watched_since;       /**< when it changed last, in seconds */
    bool stall_told;            /**< the user has been told */
    atomic_bool leaving;        /**< gives up, after having met its peer (part_ucx_leave.h) */
    atomic_bool told_revoked;   /**< it was LEAVE */
    bool leaving_seen;          /**< and has been seen to, at `watched_since`; */
    bool left;                  /**< has said so, or cannot; under the set-up lock */
    atomic_bool peer_busy;      /**< the peer has, but its operations still run */
    bool mismatched;            /**< has met a request of another size; under the set-up lock. An
                                 * error once both are started: one may yet be freed unstarted */
    bool warm;                  /**< of a link: its sender copies on one host (part_ucx_link.h) */
    _Atomic uint64_t left_by;   /**< FAIL or LEAVE has come, perhaps before ACCEPT, from this key */
    uint64_t other_total;       /**< bytes of the one that does not match */
    uint32_t other_partitions;  /**< and its partitions */
    uint32_t fingerprint;       /**< of a link: must be the peer's, too */
    const mca_part_ucx_piece_t *piece; /**< of a link: per segment, and `data` is NULL */
    const mca_part_ucx_observer_t *observer; /**< of a link: who is told instead of the user */
    void *context;              /**< for the observer */
} mca_part_ucx_request_t;

/** Arguments of the two init calls. */
typedef struct mca_part_ucx_init_t {
    const void *buffer;
    size_t partitions;
    size_t count;
    ompi_datatype_t *datatype;
    int peer;
    int tag;
    ompi_communicator_t *comm;
    bool is_send;
} mca_part_ucx_init_t;

/** Make a request, checks done. Returns an MPI error class. */
int mca_part_ucx_request_create(const mca_part_ucx_init_t *init, ompi_request_t **request);

/** Is the request a send? */
bool mca_part_ucx_request_is_send(const mca_part_ucx_request_t *request);

/** The peer has freed its request, or given its link up, after `epoch` epochs. */
void mca_part_ucx_request_peer_closed(mca_part_ucx_request_t *request, uint32_t epoch);

/** Begin an epoch that was started, the link being READY. */
void mca_part_ucx_request_start_ready(mca_part_ucx_request_t *request);

/** MPI_Start and MPI_Startall: begin an epoch of each request. */
int mca_part_ucx_requests_start(size_t count, ompi_request_t **requests);

/** The set-up that all requests with a peer have in common. Returns an Open MPI code. */
int mca_part_ucx_request_connect(mca_part_ucx_request_t *request);

/** Free a request that is not running; of one that has failed the memory is kept. */
void mca_part_ucx_request_release(mca_part_ucx_request_t *request);

/** At the end: requests that were not freed, or have failed, hold registrations of UCX, which does
 * not survive that when its contexts are destroyed. */
void mca_part_ucx_requests_unregister(void);

/**
 * Fail a link, running or not, tell the other end, and keep the memory for ever. Final tasks only
 * try the set-up lock, which their own thread may hold; false: it is taken, or the link leaves.
 */
bool mca_part_ucx_request_abandon(mca_part_ucx_request_t *request);

/** Free the memory of a request that nothing knows. */
void mca_part_ucx_request_destroy(mca_part_ucx_request_t *request);

/** Start an epoch of a request that has met its peer, or has failed since. */
void mca_part_ucx_request_start_met(mca_part_ucx_request_t *request);

/** Where byte `offset` of the message is, when it is contiguous; of a piece, `offset` says all. */
static inline void *mca_part_ucx_request_at(const mca_part_ucx_request_t *request,
                                            uint64_t offset)
{
    return (void *) ((uintptr_t) request->data + (uintptr_t) offset);
}

/** State of the link, acquire. */
static inline int mca_part_ucx_request_link(mca_part_ucx_request_t *request)
{
    return atomic_load_explicit(&request->link, memory_order_acquire);
}

/** The error of the present or last epoch; what has become known after its good end is not. */
static inline int mca_part_ucx_request_error(mca_part_ucx_request_t *request)
{
    int error = atomic_load(&request->error);

    return MPI_SUCCESS != error && atomic_load(&request->epoch) == atomic_load(&request->good_epoch)
               ? MPI_SUCCESS
               : error;
}

/**
 * Everything of this epoch is done: hand the request over for completion. At most once per
 * epoch, by whoever finds the last piece done; the request must not be touched afterwards.
 */
void mca_part_ucx_request_finish(mca_part_ucx_request_t *request);

/** The link has failed with an MPI error class, the first one counts: nothing leaves or is taken
 * any more. Any thread. */
void mca_part_ucx_request_give_up(mca_part_ucx_request_t *request, int error);

/** The same, and completes the request if it is running: at once if it has not met its peer, else
 * when nobody touches its buffer any more (part_ucx_leave.h). Any thread. */
void mca_part_ucx_request_fail(mca_part_ucx_request_t *request, int error);

/** The final task of a request: complete it. */
void mca_part_ucx_request_complete(mca_part_ucx_task_t *task);

/** Complete what was handed over; called by application threads without any lock. */
int mca_part_ucx_requests_complete(void);

/** Send the other end this event, PART_UCX_AM_CLOSE, _FAIL or _LEAVE; `busy`: operations of this
 * one still run. Under the set-up lock. */
void mca_part_ucx_close_send(mca_part_ucx_request_t *request, unsigned event, bool busy);

/** Install the active message handlers on a new worker. */
int mca_part_ucx_handlers_install(mca_part_ucx_path_t *path);

/* The two kinds of request, which most of those who include this need. */
#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_send.h"

#endif /* PART_UCX_REQUEST_H */
