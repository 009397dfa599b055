/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Peers: other processes, each with its remote paths. A peer is known from the first set-up message
 * that one of the two sends. One of this job lives as long as the paths do, one of another job
 * until part_ucx_guests.h forgets it. All functions here run under the set-up lock.
 */
#ifndef PART_UCX_PEER_H
#define PART_UCX_PEER_H

#include "base/part_ucx_hash.h"
#include "path/part_ucx_rate_measure.h"
#include "path/part_ucx_remote.h"

#include "ompi_config.h"
#include "ompi/proc/proc.h"

/** Our path and the peer's path that carry one of a channel's streams. */
typedef struct mca_part_ucx_pairing_t {
    uint32_t local;
    uint32_t remote;
} mca_part_ucx_pairing_t;

/** Descriptors for connections to a peer (part_ucx_network.h). */
typedef enum mca_part_ucx_promise_t {
    PART_UCX_PROMISE_NONE, /**< not counted yet */
    PART_UCX_PROMISE_MADE, /**< there were enough for it, and it is not connected yet */
    PART_UCX_PROMISE_KEPT
} mca_part_ucx_promise_t;

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
    mca_part_ucx_promise_t promise;
    uint32_t remotes;              /**< number of its paths, 0 until it told */
    mca_part_ucx_remote_t *remote;
    uint32_t pairs;                /**< how its paths and ours meet; 0 until computed */
    mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS];
    mca_part_ucx_rate_measure_t
        *measure; /**< of what comes from it, by our path; NULL: not measured */
} mca_part_ucx_peer_t;

/** The peer of a process; made on first use. NULL when memory is short. */
mca_part_ucx_peer_t *mca_part_ucx_peer_get(ompi_proc_t *proc);

/** Does the next message to a peer have to tell our addresses? A guest is told each time: either of
 * the two may have forgotten the other. */
static inline bool mca_part_ucx_peer_is_to_know(const mca_part_ucx_peer_t *peer)
{
    return peer->guest || !peer->knows_us;
}

/** Learn a peer's paths from its card; of one that is known, where its shared memory is now.
 * Returns an Open MPI code. */
int mca_part_ucx_peer_learn(mca_part_ucx_peer_t *peer, const void *card, size_t size);

/** The path of shared memory by which the two meet, if they share memory; NULL: there is none. */
mca_part_ucx_path_t *mca_part_ucx_peer_shared_path(const mca_part_ucx_peer_t *peer);

/** Does any endpoint lead to this process? Under the set-up lock. */
bool mca_part_ucx_peer_is_reachable(const mca_part_ucx_peer_t *peer);

/** The path of shared memory with guests has been closed: forget its endpoints, and guests that
 * have no others. None may be in use. */
void mca_part_ucx_peers_forget_guests(void);

/** All of MPI ends: Open MPI frees its processes, whoever holds references. */
void mca_part_ucx_peers_forget_processes(void);

/** It has died: what is on its way there takes no room of others any more. Takes the paths' locks.
 */
void mca_part_ucx_peer_drop_ops(const mca_part_ucx_peer_t *peer);

/** Forget all peers. The endpoints go with the workers. */
void mca_part_ucx_peers_destroy(void);

/** Name of the host that it runs on, for messages; also of none (NULL). */
const char *mca_part_ucx_peer_host(mca_part_ucx_peer_t *peer);

#endif /* PART_UCX_PEER_H */
