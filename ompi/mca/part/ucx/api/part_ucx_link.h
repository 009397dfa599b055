/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What coll/pschedule builds on: links. A link carries all transfers of a collective from one rank
 * to another: a channel of part/ucx whose partitions ("pieces") lie anywhere in memory and have
 * any size, on either end. So a collective sets up one channel per neighbour and direction,
 * however many transfers its plan has, in one round trip. Links of a communicator are matched in
 * the order in which they are opened, apart from the user's requests.
 *
 * Between hosts a piece is one message, or one of several small pieces in one, on the path that has
 * least to do when it leaves. On one host it may need none (docs/protocol.md).
 *
 * coll/pschedule finds the table of functions in the component structure of part/ucx, which begins
 * with the one that Open MPI knows.
 */
#ifndef PART_UCX_LINK_H
#define PART_UCX_LINK_H

#include "api/part_ucx_observer.h"
#include "api/part_ucx_piece.h"
#include "api/part_ucx_task.h"
#include "base/part_ucx_shm.h"

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/part/part.h"
#include "ompi/request/request.h"

/** Changes with every incompatible change in this header, or of mca_part_ucx_any_request_t. */
#define PART_UCX_LINK_VERSION 17

/** Marks the component structure as ours. */
#define PART_UCX_LINK_MAGIC UINT64_C(0x6d7069782d706172)

/** One end of a link; part/ucx knows what it is. */
typedef struct mca_part_ucx_channel_t mca_part_ucx_link_t;

typedef struct mca_part_ucx_link_init_t {
    ompi_communicator_t *comm;
    int peer;
    uint32_t count;                     /**< pieces, at least 1 */
    const mca_part_ucx_piece_t *piece;  /**< must stay until the link is closed */
    int number;                         /**< of the init: links of different ones never meet */
    uint32_t fingerprint;               /**< must be equal at both ends */
    bool warm;                          /**< the sender has just computed what it sends: its cache
                                         * holds it, so on one host it copies, not the receiver */
    const mca_part_ucx_shm_t *shm;      /**< of a receiving end: where pieces, and `piece` itself,
                                         * may lie that senders of this host can view (share()), or
                                         * NULL */
    uint64_t boxes; /**< address of boxes() bytes in `shm`, on a cache line, that
                     * are 0; or 0 */
    const mca_part_ucx_observer_t *observer;
    void *context;
} mca_part_ucx_link_init_t;

typedef struct mca_part_ucx_link_api_t {
    uint32_t version; /**< PART_UCX_LINK_VERSION */

    /** A number of the host that this process is on. Processes with the same one can share memory
     * (base/part_ucx_host.h). After prepare(). */
    uint64_t (*host)(void);
    /** May paths of this process carry more between hosts than Open MPI's own messages do? Also
     * before prepare(). */
    bool (*gains)(void);
    /** Network paths of this process that are not slow beside others. After prepare(). */
    int (*network_paths)(void);
    /** Memory for pieces of receiving links: a sender on this host copies into it at less cost than
     * into other memory. After prepare(). False: there is none. */
    bool (*share)(mca_part_ucx_shm_t *shm, uint64_t bytes);
    /** How much of that a receiving link from this host wants for small pieces, which then need no
     * message: so many bytes, a multiple of a cache line; 0: none. `largest`, `total`: bytes of its
     * pieces. */
    uint64_t (*boxes)(uint32_t pieces, uint64_t largest, uint64_t total);
    /** Something to be looked for, given back by unshare(): who sees() it, of another process, can
     * send into memory that this process shares. After prepare(). */
    bool (*beacon)(mca_part_ucx_shm_t *shm);
    bool (*sees)(const mca_part_ucx_shm_t *shm);
    /** All links into it are connected, at their other ends, too: keep no file open for it. */
    void (*hide)(mca_part_ucx_shm_t *shm);
    /** Give it back, after its links are closed. */
    void (*unshare)(mca_part_ucx_shm_t *shm);

    /** Paths and progress, also for a collective without links. Returns an MPI error class. */
    int (*prepare)(void);
    /** Would a link to this rank be the first connection to its process by the network? After
     * prepare(). */
    bool (*is_new)(ompi_communicator_t *comm, int rank);
    /** May this process open so many descriptors as connections to so many more processes take? */
    bool (*has_room)(unsigned processes);
    /** Open one end. Returns an MPI error class. */
    int (*open_send)(const mca_part_ucx_link_init_t *init, mca_part_ucx_link_t **link);
    int (*open_recv)(const mca_part_ucx_link_init_t *init, mca_part_ucx_link_t **link);
    /** MPI_SUCCESS when the other end is there, MPI_ERR_PENDING before, else an error class. */
    int (*state)(mca_part_ucx_link_t *link);
    /** Begin an epoch. The state is MPI_SUCCESS, and the last epoch has finished. Pieces that have
     * come before are reported now. Others that are started now may only leave with push(). */
    void (*start)(mca_part_ucx_link_t *link);
    /** A piece may leave, once per epoch. Only queues, or copies a few bytes; also under the lock
     * of a path. True: it has left, and is not reported. */
    bool (*mark)(mca_part_ucx_link_t *link, uint32_t piece);
    /** Wait until pieces of the epoch may leave at once (MPIX_Pbuf_prepare): the other end has
     * started it, or keeps what comes before. Returns an MPI error class. */
    int (*await)(mca_part_ucx_link_t *link);
    /** Send what has been marked. Without locks. */
    void (*push)(void);
    /** For how many ns pieces of about so many bytes may wait with later(), because they cost less
     * when they leave with others. 0: not at all. */
    uint64_t (*hold)(uint64_t bytes);
    /** The time in ns, of the clock for hold(). */
    uint64_t (*now)(void);
    /** Not now: what has been marked leaves with the next push(), or when a thread progresses. */
    void (*later)(void);
    /** Close an end whose epoch has finished, or that was never started. */
    void (*close)(mca_part_ucx_link_t *link);
    /** The collective has failed: end this end, whatever its epoch has come to, with an error, and
     * have the other end fail, too. Its memory, its pieces and its context must stay; pieces may
     * still be reported and marked. False: not now, call again. From final tasks. */
    bool (*abandon)(mca_part_ucx_link_t *link);

    /** Post a deferred task, for threads of the application only or for any; or a final one
     * (part_ucx_task.h). Also under the lock of a path. */
    void (*defer)(mca_part_ucx_task_t *task, bool application);
    void (*post_final)(mca_part_ucx_task_t *task);
    /** Run final tasks that have been posted, if there are any, or leave them to progress. Without
     * locks, in threads of the application: who calls it knows that its request may be complete,
     * and saves it the wait for the next progress. */
    void (*finals)(void);
    /** A request begins (+1) or ends (-1) an epoch: progress is made while there are any. */
    void (*active)(int change);
    /** MPI_Parrived of this thread found nothing: progress, now and then. */
    void (*miss)(void);

    /** Complete a request whose status is set, errors going to its communicator's handler. From
     * final tasks. */
    void (*complete)(ompi_request_t *request);
    /** Invoke the communicator's handler for an error of MPI_Request_free, MPI_Start and the like,
     * and keep the binding from invoking another; returns the class. */
    int (*raise)(ompi_communicator_t *comm, int error, const char *function);
    /** A request is being freed. */
    void (*freed)(ompi_request_t *request);
    /** The communicator stays until MPI ends. */
    void (*keep)(ompi_communicator_t *comm);
} mca_part_ucx_link_api_t;

/** The component: what Open MPI knows, and what coll/pschedule looks for. */
typedef struct mca_part_ucx_component_t {
    mca_part_base_component_t super;
    uint64_t magic; /**< PART_UCX_LINK_MAGIC */
    const mca_part_ucx_link_api_t *link;
} mca_part_ucx_component_t;

extern const mca_part_ucx_link_api_t mca_part_ucx_link_api;

#endif /* PART_UCX_LINK_H */
