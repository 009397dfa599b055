/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Other processes, and the endpoints to them. A peer is known from the first set-up message
 * that one of the two sends. One of this job lives as long as the paths do, one of another job
 * until part_ucx_guests.h forgets it. All functions here run under the set-up lock; endpoints
 * themselves are used under the lock of their path.
 */
#ifndef PART_UCX_PEER_H
#define PART_UCX_PEER_H

#include "api/part_ucx_device.h"
#include "base/part_ucx_cheaper.h"
#include "base/part_ucx_hash.h"
#include "base/part_ucx_host.h"
#include "path/part_ucx_rate_measure.h"
#include "path/part_ucx_window.h"

#include "ompi_config.h"
#include "ompi/proc/proc.h"

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

/** A path of a peer, as it described itself. */
typedef struct mca_part_ucx_remote_t {
    mca_part_ucx_device_kind_t kind;
    mca_part_ucx_subnet_t subnet;
    bool puts;
    bool fails_over; /**< mca_part_ucx_path_t has the same */
    char name[PART_UCX_NAME_MAX];
    ucp_address_t *address;
    uint32_t address_bytes;
    _Atomic(mca_part_ucx_endpoint_t *) *endpoint; /**< by our path, each made on first use; handlers
                                                   * look here without the set-up lock */
    int endpoints;                      /**< our paths; these may be gone before their peers are */
    mca_part_ucx_endpoint_t *former;    /**< to addresses that it had before */
} mca_part_ucx_remote_t;

/** Our path and the peer's path that carry one of a channel's streams. */
typedef struct mca_part_ucx_pairing_t {
    uint32_t local;
    uint32_t remote;
} mca_part_ucx_pairing_t;

typedef struct mca_part_ucx_peer_t {
    mca_part_ucx_hashed_t known;   /**< in the hash of all peers */
    struct mca_part_ucx_peer_t *next_guest; /**< in the list of guests */
    opal_process_name_t name;      /**< of its process: the peer is known by it */
    ompi_proc_t *proc;             /**< reference held; NULL after all of MPI has ended, until it
                                    * is met again in another session */
    _Atomic(const char *) host;    /**< name of its host, once asked */
    bool guest;                    /**< of another job (part_ucx_guests.h) */
    bool local;                    /**< on this host, and memory can be shared; before it has told
                                    * where it is, Open MPI's guess */
    bool same_network;             /**< it has this process's network interfaces */
    atomic_bool knows_us;          /**< it has our addresses; from any thread */
    struct mca_part_ucx_modex_query_t *presence; /**< whether it has the component, once asked */
    double presence_asked;         /**< when, in seconds of mca_part_ucx_clock_coarse() */
    bool absence_told;             /**< it has not, and the user knows */
    int32_t process;               /**< its process id, if its memory can be written to; or 0 */
    uint32_t remotes;              /**< number of its paths, 0 until it told */
    mca_part_ucx_remote_t *remote;
    uint32_t pairs;                /**< how its paths and ours meet; 0 until computed */
    mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS];
    mca_part_ucx_rate_measure_t
        *pace; /**< of what comes from it, by our path; NULL: not measured */
} mca_part_ucx_peer_t;

/** This process's host, as its business card tells it: found out once. */
const mca_part_ucx_host_t *mca_part_ucx_peer_this_host(void);

/** The peer of a process; made on first use. NULL when memory is short. */
mca_part_ucx_peer_t *mca_part_ucx_peer_get(ompi_proc_t *proc);

/** Does the next message to a peer have to tell our addresses? A guest is told each time: either of
 * the two may have forgotten the other. */
static inline bool mca_part_ucx_peer_is_to_know(const mca_part_ucx_peer_t *peer)
{
    return peer->guest || !peer->knows_us;
}

/** Write our business card for a peer to `buffer`; returns its length, 0 when it does not fit into
 * `size`. */
uint32_t mca_part_ucx_peer_pack(const mca_part_ucx_peer_t *peer, void *buffer, size_t size);

/** Learn a peer's paths from its card; of one that is known, where its shared memory is now.
 * Returns an Open MPI code. */
int mca_part_ucx_peer_unpack(mca_part_ucx_peer_t *peer, const void *card, size_t size);

/** The path of shared memory by which the two meet, if they share memory; NULL: there is none. */
mca_part_ucx_path_t *mca_part_ucx_peer_shared_path(const mca_part_ucx_peer_t *peer);

/** The endpoint from our path to the peer's path, made on first use; NULL on failure. One that
 * fails over may be lost already. */
mca_part_ucx_endpoint_t *mca_part_ucx_peer_endpoint(mca_part_ucx_peer_t *peer, uint32_t local,
                                                    uint32_t remote);

/** Does any endpoint lead to this process? Under the set-up lock. */
bool mca_part_ucx_peer_is_reachable(const mca_part_ucx_peer_t *peer);

/** Both our path and the peer's fail over: endpoints between them may be lost. */
static inline bool mca_part_ucx_peer_fails_over(const mca_part_ucx_path_t *path,
                                                const mca_part_ucx_remote_t *remote)
{
    return path->fails_over && remote->fails_over;
}

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

/** Something has gone wrong on it. If it fails over, nothing is posted any more, and it will be
 * closed soon (part_ucx_failover_outage.h); else the channels that use it will fail soon
 * (wireup/part_ucx_watchdog.h). Under its path's lock. */
void mca_part_ucx_endpoint_lose(mca_part_ucx_endpoint_t *endpoint, const char *why);

/** An operation on it has failed. That may be the operation's own fault, so only one that fails
 * over is lost; of any other one UCX tells if it is broken. Under its path's lock. */
void mca_part_ucx_endpoint_op_failed(mca_part_ucx_endpoint_t *endpoint, ucs_status_t status);

/** What its `devices` is, from our path to the peer's. */
uint32_t mca_part_ucx_endpoint_devices(const mca_part_ucx_peer_t *peer, uint32_t local,
                                       uint32_t remote);

/** Make UCX's part of one, which is in this state then. Under the set-up lock. False: UCX cannot.
 */
bool mca_part_ucx_endpoint_connect(mca_part_ucx_endpoint_t *endpoint,
                                   mca_part_ucx_endpoint_state_t state);

/** How many have been lost, and come back, since the beginning. */
extern atomic_uint_least64_t mca_part_ucx_endpoints_lost;
extern atomic_uint_least64_t mca_part_ucx_endpoints_back;

/** Endpoints on the path of shared memory with guests, since that was opened. */
unsigned mca_part_ucx_peers_guest_endpoints(void);

/**
 * The path of shared memory with guests has been closed: forget its endpoints, and guests that have
 * no others, after a function has been called for each. None may be in use.
 */
void mca_part_ucx_peers_forget_guests(void (*before)(mca_part_ucx_peer_t *peer));

/** All of MPI ends: Open MPI frees its processes, whoever holds references. */
void mca_part_ucx_peers_forget_processes(void);

/** Forget all peers, after a function has been called for each. The endpoints go with the workers.
 */
void mca_part_ucx_peers_destroy(void (*before)(mca_part_ucx_peer_t *peer));

/** Name of the host that it runs on, for messages; also of none (NULL). */
const char *mca_part_ucx_peer_host(mca_part_ucx_peer_t *peer);

#endif /* PART_UCX_PEER_H */
