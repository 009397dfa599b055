/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Endpoints: each is UCX's way from a path of ours to a path of a peer. It is made on first use,
 * under the set-up lock, and lives as long as its path; one that fails over may be lost and come
 * back meanwhile. It is used under the lock of its path.
 */
#ifndef PART_UCX_ENDPOINT_H
#define PART_UCX_ENDPOINT_H

#include "base/part_ucx_cheaper.h"
#include "path/part_ucx_window.h"

struct mca_part_ucx_peer_t;

/** Sizes of small units that channel/part_ucx_copy_side.c tells apart: from 8 KiB on, each twice
 * the last. */
#define PART_UCX_CHEAPER_SIZES 2u

typedef enum mca_part_ucx_endpoint_state_t {
    PART_UCX_ENDPOINT_UP,
    PART_UCX_ENDPOINT_LOST, /**< UCX has found it broken. One that fails over is going to be closed,
                             * and nothing may be posted; any other one stays so */
    PART_UCX_ENDPOINT_CLOSING, /**< UCX ends what was under way */
    PART_UCX_ENDPOINT_DOWN,    /**< `ucp` is gone */
    PART_UCX_ENDPOINT_TRYING   /**< opened anew, and the peer has not answered yet */
} mca_part_ucx_endpoint_state_t;

/** What part_ucx_failover_outage.h keeps of an endpoint. Where nothing else is said, under the
 * set-up lock.
 */
typedef struct mca_part_ucx_failover_outage_t {
    atomic_int state;        /**< mca_part_ucx_endpoint_state_t; changes under the path's lock */
    atomic_uint generation;  /**< how often it has been opened anew */
    atomic_uint heard_down;  /**< one more than the last that the peer has given up, 0 if none;
                              * from any thread */
    atomic_uint heard_back;  /**< the last that the peer has opened; from any thread */
    atomic_bool wants_down;  /**< it wants to hear that this one is given up; from any thread */
    ucs_status_ptr_t closing;
    const char *why;         /**< it has been lost; written once per generation */
    bool fell;               /**< it was in use, and not only tried */
    double told;             /**< when the peer was told last, in seconds */
    double looked;           /**< when its sockets were looked at last, ... */
    double well;             /**< ... and were well */
    double probed;
    double since;            /**< when it was lost */
    double alone; /**< it is lost, and since when no other to the peer is up, or if it does
                   * not fail over since when that is known; or 0 */
    double back;             /**< when it came back last */
    unsigned flaps;          /**< how often it has been lost soon after it had come back */
    double retry;            /**< when it is to be tried again; 0: not known yet */
    int knock;               /**< one more than a socket that asks whether it is there; or 0 */
} mca_part_ucx_failover_outage_t;

/** One UCP endpoint: from a path of ours to a path of a peer. */
typedef struct mca_part_ucx_endpoint_t {
    struct mca_part_ucx_endpoint_t *former;     /**< in the remote path's list of such */
    struct mca_part_ucx_endpoint_t *next_flush; /**< in the path's flush list */
    mca_part_ucx_path_t *path;
    struct mca_part_ucx_peer_t *peer;
    uint32_t remote;               /**< the peer's path */
    uint32_t devices;              /**< a number of the two devices: endpoints to a peer that have
                                    * the same one share both */
    ucp_ep_h ucp;
    mca_part_ucx_op_t *put;        /**< puts that completed locally, newest first */
    mca_part_ucx_op_t *flushing;   /**< puts that the running flush covers */
    mca_part_ucx_op_t *flushed;    /**< puts known to be in place: their flags may go */
    bool flush_running;
    bool listed;                   /**< is in the path's flush list */
    uint64_t posted_ns;            /**< when the last message was that tells its gap */
    atomic_uint rate;              /**< what the peer has found it to carry, bytes per millisecond;
                                    * 0: it has not said. Any thread */
    _Atomic uint64_t rated_ns;     /**< when it said so */
    atomic_uint unrated;           /**< epochs since, with rates that are not even. Any thread */
    bool prefaulted;               /**< part_ucx_prefault.c has been here; under the set-up lock */
    ucs_status_t status;           /**< first error seen, else UCS_OK */
    atomic_uint offers;            /**< units that the peer has been offered, not yet fetched */
    atomic_bool placed;            /**< the last large unit was placed, not offered */
    mca_part_ucx_cheaper_t cheaper[PART_UCX_CHEAPER_SIZES]; /**< for small units */
    bool fails_over; /**< it may be lost while the process goes on */
    mca_part_ucx_failover_outage_t outage;
    mca_part_ucx_work_t nudge; /**< wakes the peer's helper thread (part_ucx_fastbox.c), ... */
    atomic_bool nudging;       /**< ... and is in the path's queue. Any thread */
} mca_part_ucx_endpoint_t;

/** The endpoint from our path to the peer's path, made on first use; NULL on failure. One that
 * fails over may be lost already. */
mca_part_ucx_endpoint_t *mca_part_ucx_endpoint_get(struct mca_part_ucx_peer_t *peer, uint32_t local,
                                                   uint32_t remote);

/** May anything be posted on it? Under its path's lock, or as a guess. */
static inline bool mca_part_ucx_endpoint_is_up(const mca_part_ucx_endpoint_t *endpoint)
{
    return PART_UCX_ENDPOINT_UP == atomic_load(&endpoint->outage.state);
}

/** Is UCX's part of it there, used or tried? Likewise. */
static inline bool mca_part_ucx_endpoint_is_open(const mca_part_ucx_endpoint_t *endpoint)
{
    int state = atomic_load(&endpoint->outage.state);

    return PART_UCX_ENDPOINT_UP == state || PART_UCX_ENDPOINT_TRYING == state;
}

/** Does a put on it wait for a flush, or for its flags? Under its path's lock. */
static inline bool mca_part_ucx_endpoint_has_puts(const mca_part_ucx_endpoint_t *endpoint)
{
    return NULL != endpoint->put || NULL != endpoint->flushing || NULL != endpoint->flushed;
}

/** Something has gone wrong on it. If it fails over, nothing is posted any more, and it will be
 * closed soon (part_ucx_failover_outage.h); else the channels that use it will fail soon
 * (wireup/part_ucx_watchdog.h). Under its path's lock. */
void mca_part_ucx_endpoint_lose(mca_part_ucx_endpoint_t *endpoint, const char *why);

/** An operation on it has failed. That may be the operation's own fault, so only one that fails
 * over is lost; of any other one UCX tells if it is broken. Under its path's lock. */
void mca_part_ucx_endpoint_op_failed(mca_part_ucx_endpoint_t *endpoint, ucs_status_t status);

/** Make UCX's part of one, which is in this state then. Under the set-up lock. False: UCX cannot.
 */
bool mca_part_ucx_endpoint_connect(mca_part_ucx_endpoint_t *endpoint,
                                   mca_part_ucx_endpoint_state_t state);

/** How many have been lost, and come back, since the beginning. */
extern atomic_uint_least64_t mca_part_ucx_endpoints_lost;
extern atomic_uint_least64_t mca_part_ucx_endpoints_back;

#endif /* PART_UCX_ENDPOINT_H */
