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
 * callbacks, the pending list, the operations, and what the user keeps here. Requests are never
 * completed there.
 *
 * A path does not look into what it carries. Its user, the layer above, is a constant table of
 * functions that it calls, and keeps notes of its own in the path's operations and endpoints.
 */
#ifndef PART_UCX_PATH_H
#define PART_UCX_PATH_H

#include "api/part_ucx_device.h"
#include "base/part_ucx_lock.h"
#include "base/part_ucx_queue.h"
#include "path/part_ucx_failover_carrier.h"

#include <stdint.h>
#include <ucp/api/ucp.h>

struct mca_part_ucx_path_t;

/** Something to post on a path; who queues it knows what. */
typedef struct mca_part_ucx_work_t {
    mca_part_ucx_item_t item; /**< place in the path's queue or pending list */
    /** Post it, under the path's lock. False: no room now, call again later. */
    bool (*post)(struct mca_part_ucx_path_t *path, struct mca_part_ucx_work_t *work);
    bool urgent; /**< needs no room and must not wait behind data; post() returns true */
} mca_part_ucx_work_t;

/** What uses the paths. All but detach() under the path's lock. */
typedef struct mca_part_ucx_path_user_t {
    size_t op_bytes; /**< size of its operations, which begin with a mca_part_ucx_op_t */
    /** The path has its worker: install handlers. Returns an Open MPI code. */
    int (*attach)(struct mca_part_ucx_path_t *path);
    /** Look for what comes without UCX, which is looked at next, unless something has come. Returns
     * the number of events. */
    int (*look)(struct mca_part_ucx_path_t *path);
    /** UCX has made progress; queued work is posted next. Returns the number of events. */
    int (*step)(struct mca_part_ucx_path_t *path);
    /** Queued work has been posted. Returns the number of events. */
    int (*posted)(struct mca_part_ucx_path_t *path);
    /** Does something wait here that only looking again moves on? No event of UCX tells of it. */
    bool (*waits)(const struct mca_part_ucx_path_t *path);
    /** The helper thread is going to sleep until an event of UCX: there will be one for all else
     * that moves something on. False: something has, do not sleep. */
    bool (*doze)(struct mca_part_ucx_path_t *path);
    /** The worker is going to be destroyed. */
    void (*detach)(struct mca_part_ucx_path_t *path);
} mca_part_ucx_path_user_t;

/** Operations of a path, made together (part_ucx_window.h). */
typedef struct mca_part_ucx_pool_t mca_part_ucx_pool_t;

/** What a path has carried; written under its lock (but `waits` and what is boxed), read by MPI_T
 * at any time. */
typedef struct mca_part_ucx_counters_t {
    atomic_uint_least64_t bytes;    /**< payload bytes sent */
    atomic_uint_least64_t units;    /**< transfer units sent; one sent in parts counts each */
    atomic_uint_least64_t flushes;  /**< endpoint flushes before flags */
    atomic_uint_least64_t messages; /**< data messages, data puts and flag puts posted */
    atomic_uint_least64_t waits;    /**< units that had to wait for ready-to-receive */
    atomic_uint_least64_t
        boxed_bytes; /**< payload bytes of links that went without messages, ... */
    atomic_uint_least64_t boxed_units; /**< ... and their pieces (channel/part_ucx_fastbox.h). Both
                                        * are written by any thread, without the lock */
} mca_part_ucx_counters_t;

typedef struct mca_part_ucx_path_t {
    mca_part_ucx_lock_t lock;      /**< protects everything below but queue and counters */
    mca_part_ucx_queue_t queue;    /**< work pushed by any thread */
    mca_part_ucx_item_t *pending;  /**< work taken from the queue, oldest first */
    mca_part_ucx_item_t **pending_tail;
    ucp_context_h context;
    ucp_worker_h worker;
    int index;                     /**< place in mca_part_ucx_paths */
    mca_part_ucx_device_t device;  /**< what it is bound to */
    ucp_address_t *address;        /**< worker address, sent to peers */
    size_t address_length;         /**< bytes */
    int event_fd;                  /**< for the helper thread, -1 without it */
    mca_part_ucx_pool_t *pools;    /**< the operations' memory */
    struct mca_part_ucx_op_t *free_ops; /**< operations not in flight */
    uint32_t ops_in_flight;
    uint64_t bytes_in_flight;      /**< data posted and not yet complete */
    const mca_part_ucx_path_user_t *user;
    void *traffic;                    /**< what the user keeps here */
    uint32_t ahead;                   /**< how often UCX has been left for the next time */
    uint32_t idle;                 /**< how often there was nothing to be had from UCX */
    bool waiting;                  /**< the thread that drives the path waits inside MPI */
    atomic_uint_least64_t queued;  /**< bytes of links that have this path to go, or are on it */
    atomic_bool dirty;             /**< something was posted since the last flush of the worker */
    _Atomic(void *) flush;         /**< that flush, until it is done; written under the lock */
    bool puts;                     /**< it can put, and be put to */
    bool fails_over;               /**< endpoints on it may be lost (part_ucx_failover_outage.h) */
    mca_part_ucx_failover_carrier_t carrier; /**< of its device, under the set-up lock */
    uint32_t endpoints;            /**< made since it was opened; under the set-up lock */
    atomic_bool open;              /**< it has its worker; changes under the lock if it closes */
    atomic_bool used;              /**< an endpoint exists, or a peer has sent something */
    mca_part_ucx_counters_t counters;
} mca_part_ucx_path_t;

/** Make a path that is not open yet: nobody can reach it, and it does nothing. `user`: who uses it.
 */
void mca_part_ucx_path_create(mca_part_ucx_path_t *path, int index,
                              const mca_part_ucx_device_t *device,
                              const mca_part_ucx_path_user_t *user);

/**
 * Open it. Under the set-up lock.
 *
 * @param wakeup  a helper thread is going to sleep on its events
 * @return Open MPI code; the user has been told
 */
int mca_part_ucx_path_open(mca_part_ucx_path_t *path, bool wakeup);

/** Is it? Acquire: its worker, too, is there. */
static inline bool mca_part_ucx_path_is_open(mca_part_ucx_path_t *path)
{
    return atomic_load_explicit(&path->open, memory_order_acquire);
}

/**
 * Close one that is open: endpoints on it, and what UCX has made for them, go. It can be opened
 * again, with another address. Under the set-up lock; nobody may know an endpoint on it.
 *
 * @return false: something is under way, and it stays open
 */
bool mca_part_ucx_path_close(mca_part_ucx_path_t *path);

/** Destroy it, open or not; nothing may be in flight. */
void mca_part_ucx_path_destroy(mca_part_ucx_path_t *path);

/** Queue work; the caller should then drive the path. Lock free. */
static inline void mca_part_ucx_path_push(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    mca_part_ucx_queue_push(&path->queue, &work->item);
}

/**
 * Progress the path if nobody else does: worker, queued work, flushes, flags. Never waits.
 *
 * @param waiting  the calling thread of the application waits for something: partly filled units
 *                 are not held back for its sake
 * @return number of things that happened, 0 when idle or busy elsewhere
 */
int mca_part_ucx_path_drive(mca_part_ucx_path_t *path, bool waiting);

/** The same after work was pushed: that is posted first, before progress is made for others. */
void mca_part_ucx_path_drive_pushed(mca_part_ucx_path_t *path);

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

/** UCX has called back for a request of its own; NULL: it made none. */
static inline void mca_part_ucx_path_free_request(void *request)
{
    if (NULL != request) {
        ucp_request_free(request);
    }
}

/** Has all that was posted reached the peers? Begins a flush to find out, or looks after it. */
bool mca_part_ucx_path_flush_done(mca_part_ucx_path_t *path);

/** Note that one more was counted. One writer at a time: under the path's lock. */
static inline void mca_part_ucx_path_tally(atomic_uint_least64_t *counter, uint64_t amount)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + amount,
                          memory_order_relaxed);
}

#endif /* PART_UCX_PATH_H */
