/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A path: one way out of this process. It owns a UCP context bound to one device (or to shared
 * memory), one worker, and the lock that every call on them needs. Paths live from the first
 * partitioned request until the component is closed or unloaded.
 *
 * Nobody waits for a path's lock on the data path. Work is pushed on the path's queue; whoever
 * gets the lock next (often the pusher itself) posts it. Inside the lock: UCX calls, UCX
 * callbacks, the pending list, the operation pool, the flush lists. Requests are never completed
 * there.
 */
#ifndef PART_UCX_PATH_H
#define PART_UCX_PATH_H

#include "path/part_ucx_device.h"
#include "base/part_ucx_lock.h"
#include "base/part_ucx_queue.h"

#include <stdint.h>
#include <ucp/api/ucp.h>

#define PART_UCX_MAX_PATHS 32

/** More than any window of units needs to fill a link. */
#define PART_UCX_OPS_PER_POOL 64u

struct mca_part_ucx_path_t;
struct mca_part_ucx_endpoint_t;
struct mca_part_ucx_peer_t;
struct mca_part_ucx_send_t;

/** Something to post on a path: a unit, a ready-to-receive or a closing message. */
typedef struct mca_part_ucx_work_t {
    mca_part_ucx_link_t link; /**< place in the path's queue or pending list */
    /** Post it, under the path's lock. False: no room now, call again later. */
    bool (*post)(struct mca_part_ucx_path_t *path, struct mca_part_ucx_work_t *work);
    bool urgent; /**< needs no room and must not wait behind data; post() returns true */
} mca_part_ucx_work_t;

/** Header of a data message; also the record of where an operation's bytes belong. */
typedef struct mca_part_ucx_data_header_t {
    uint64_t key;     /**< channel key of the receive request */
    uint32_t epoch;   /**< iteration, counted from 1 */
    uint32_t segment; /**< first segment */
    uint32_t count;   /**< number of segments */
    uint32_t zero;    /**< reserved, 0 */
} mca_part_ucx_data_header_t;

typedef enum mca_part_ucx_op_state_t {
    PART_UCX_OP_FREE,
    PART_UCX_OP_IN_FLIGHT,
    PART_UCX_OP_LOST /**< its peer has died; UCX may never call back */
} mca_part_ucx_op_state_t;

/** One data transfer in flight; taken from a fixed pool, which is the path's window. */
typedef struct mca_part_ucx_op_t {
    struct mca_part_ucx_op_t *next;           /**< in the pool or in an endpoint's flush list */
    struct mca_part_ucx_path_t *path;         /**< owner */
    struct mca_part_ucx_endpoint_t *endpoint; /**< where it goes */
    struct mca_part_ucx_send_t *send;         /**< whose bytes */
    mca_part_ucx_data_header_t header;        /**< must stay until the send completes */
    uint64_t bytes;                           /**< counted against the window */
    uint32_t pair;                            /**< which of the channel's paths */
    uint32_t flag;                            /**< index of the first arrival flag */
    void *staging;                            /**< packed data, or NULL; owned by the op */
    size_t staging_size;                      /**< bytes allocated there */
    mca_part_ucx_op_state_t state;
    bool own;                                 /**< not of the pool, but of its send */
    bool offer;                               /**< counted in the endpoint's offers */
} mca_part_ucx_op_t;

/** Operations of a path, made together. */
typedef struct mca_part_ucx_pool_t mca_part_ucx_pool_t;

/** What a path has carried; written under its lock (but `waits`), read by MPI_T at any time. */
typedef struct mca_part_ucx_counters_t {
    atomic_uint_least64_t bytes;    /**< payload bytes sent */
    atomic_uint_least64_t units;    /**< transfer units sent; one sent in parts counts each */
    atomic_uint_least64_t flushes;  /**< endpoint flushes before flags */
    atomic_uint_least64_t messages; /**< data messages, data puts and flag puts posted */
    atomic_uint_least64_t waits;    /**< units that had to wait for ready-to-receive */
} mca_part_ucx_counters_t;

typedef struct mca_part_ucx_path_t {
    mca_part_ucx_lock_t lock;      /**< protects everything below but queue and counters */
    mca_part_ucx_queue_t queue;    /**< work pushed by any thread */
    mca_part_ucx_link_t *pending;  /**< work taken from the queue, oldest first */
    mca_part_ucx_link_t **pending_tail;
    ucp_context_h context;
    ucp_worker_h worker;
    int index;                     /**< place in mca_part_ucx.paths */
    mca_part_ucx_device_t device;  /**< what it is bound to */
    ucp_address_t *address;        /**< worker address, sent to peers */
    size_t address_length;         /**< bytes */
    int event_fd;                  /**< for the helper thread, -1 without it */
    mca_part_ucx_pool_t *pools;    /**< the operations' memory */
    mca_part_ucx_op_t *free_ops;   /**< operations not in flight */
    uint32_t ops_in_flight;
    uint64_t bytes_in_flight;      /**< data posted and not yet complete */
    struct mca_part_ucx_endpoint_t *flush_list; /**< endpoints with puts to flush or flag */
    struct mca_part_ucx_polled_t *polled;       /**< receives whose flags are written remotely */
    struct mca_part_ucx_held_t *held;           /**< sends with partly filled units */
    bool waiting;                  /**< the thread that drives the path waits inside MPI */
    void *rx_free;                 /**< recycled records of rendezvous receives */
    struct mca_part_ucx_rendezvous_t *early; /**< those whose receive has not started the epoch */
    atomic_uint_least64_t queued;  /**< bytes of links that have this path to go, or are on it */
    atomic_bool dirty;             /**< something was posted since the last flush of the worker */
    _Atomic(void *) flush;         /**< that flush, until it is done; written under the lock */
    atomic_bool used;              /**< an endpoint exists, or a peer has sent something */
    mca_part_ucx_counters_t counters;
} mca_part_ucx_path_t;

/** The devices and transports wanted: the MCA variables, or UCX's where those are empty. */
void mca_part_ucx_paths_wanted(const char **devices, const char **transports);

/**
 * How many network paths the variables give, on devices found. `tell`: let the user know if that is
 * fewer than they ask for.
 */
int mca_part_ucx_paths_count(const mca_part_ucx_devices_t *devices, bool tell);

/** Create the paths that devices and variables allow. Returns an Open MPI code; shows help. */
int mca_part_ucx_paths_create(void);

/** Destroy all paths; nothing may be in flight. */
void mca_part_ucx_paths_destroy(void);

/** Queue work; the caller should then drive the path. Lock free. */
static inline void mca_part_ucx_path_push(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    mca_part_ucx_queue_push(&path->queue, &work->link);
}

/**
 * Progress the path if nobody else does: worker, queued work, flushes, flags. Never waits.
 *
 * @param waiting  the calling thread of the application waits for something: partly filled units
 *                 are not held back for its sake
 * @return number of things that happened, 0 when idle or busy elsewhere
 */
int mca_part_ucx_path_drive(mca_part_ucx_path_t *path, bool waiting);

/** Take a path's lock, waiting for it; set-up and shut-down only. */
static inline void mca_part_ucx_path_lock(mca_part_ucx_path_t *path)
{
    mca_part_ucx_lock_wait(&path->lock);
}

/** Release it, and do what others have queued meanwhile. */
static inline void mca_part_ucx_path_unlock(mca_part_ucx_path_t *path)
{
    mca_part_ucx_lock_release(&path->lock);
    if (!mca_part_ucx_queue_empty(&path->queue)) {
        (void) mca_part_ucx_path_drive(path, false);
    }
}

/** Drive the paths that have work in their queues. Never waits. */
void mca_part_ucx_paths_push(void);

/**
 * The same as mca_part_ucx_path_drive() for all paths in use. Now and then also for the others: a
 * peer may be connecting to one of them, but asking an idle TCP path for news costs a system call.
 */
int mca_part_ucx_paths_drive(bool waiting);

/** Give the path a pool of operations, the first one or one more. Returns an Open MPI code. */
int mca_part_ucx_path_add_ops(mca_part_ucx_path_t *path);

/** Free all of its pools. */
void mca_part_ucx_path_free_ops(mca_part_ucx_path_t *path);

/** Take an operation if the window allows `bytes` more; NULL otherwise. Under the lock. */
mca_part_ucx_op_t *mca_part_ucx_path_take_op(mca_part_ucx_path_t *path, uint64_t bytes);

/** Give an operation back. Under the lock. */
void mca_part_ucx_path_return_op(mca_part_ucx_op_t *op);

/** Is an operation of this send in flight here, apart from its own one? Under the lock. */
bool mca_part_ucx_path_carries(const mca_part_ucx_path_t *path,
                               const struct mca_part_ucx_send_t *send);

/** The operation's bytes have left: they no longer count against the window. */
static inline void mca_part_ucx_path_bytes_left(mca_part_ucx_op_t *op)
{
    op->path->bytes_in_flight -= op->bytes;
    op->bytes = 0;
}

/** A peer has died: what is on its way there takes no room of others any more. */
void mca_part_ucx_paths_lose(const struct mca_part_ucx_peer_t *peer);

/**
 * Wait until everything posted on all paths has reached the peers, at most `seconds`.
 *
 * @return whether it has
 */
bool mca_part_ucx_paths_quiet(double seconds);

#endif /* PART_UCX_PATH_H */
