/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiving end of a channel: how arrivals become known.
 */
#ifndef PART_UCX_RECV_H
#define PART_UCX_RECV_H

#include "api/part_ucx_claim.h"
#include "channel/part_ucx_ready.h"
#include "channel/part_ucx_request.h"

/** A receive whose flags are written by the sender's puts, as a path polls it. */
typedef struct mca_part_ucx_polled_t {
    struct mca_part_ucx_polled_t *next; /**< in the path's list; under the path's lock */
    struct mca_part_ucx_recv_t *recv;
    uint32_t seen;                      /**< flags found set, from the first on */
    uint32_t gap;                       /**< index of the first flag that no segment has */
} mca_part_ucx_polled_t;

/**
 * What MPI_Parrived looks at. It is made with a match and never changes but for flags and cursors;
 * when a match is undone and another one made, a thread may still look at the old one, so it stays
 * until the request is freed.
 */
typedef struct mca_part_ucx_arrivals_t {
    struct mca_part_ucx_arrivals_t *earlier; /**< of the match before */
    mca_part_ucx_map_t map;
    _Atomic uint64_t *flag;   /**< arrival flags: the epoch, by flag index */
    uint32_t *first;          /**< per partition: index of its first segment's flag; the segment
                               * itself if it has several */
    uint32_t *last;           /**< per partition: last segment; NULL if one segment each */
    _Atomic uint64_t *cursor; /**< per partition: epoch << 32 | first segment missing; or NULL */
} mca_part_ucx_arrivals_t;

typedef struct mca_part_ucx_recv_t {
    mca_part_ucx_request_t super;
    mca_part_ucx_match_entry_t entry; /**< in the posted queue while OPEN */
    mca_part_ucx_wire_announce_t announce; /**< of the send that it has met */
    uint64_t announce_order; /**< and its place in the queue of announcements */
    mca_part_ucx_claims_t claims; /**< of the user's receives, not of links */
    const mca_part_ucx_shm_t *shm; /**< of a link: shared memory that pieces may lie in, or NULL */
    /* From here on valid once READY. */
    _Atomic(mca_part_ucx_arrivals_t *) arrivals; /**< of the present match */
    _Atomic uint64_t *flag;     /**< its flags */
    atomic_uint remaining;      /**< segments that messages have to bring */
    atomic_uint armed;          /**< last epoch that `remaining` was set for */
    uint32_t fetched;           /**< last epoch whose data were offered before READY was sent */
    uint32_t first_pair;        /**< of the peer's pairs; `pairs` of the base from there on */
    mca_part_ucx_endpoint_t *endpoint; /**< where READY and CLOSE go */
    mca_part_ucx_ready_t *ready;       /**< sends READY; of the present match */
    mca_part_ucx_polled_t polled;
    mca_part_ucx_lock_t unpacking; /**< held while a handler unpacks; taken under a path's lock */
    bool written;               /**< the sender may write into the buffer, too */
    atomic_uint fetching;       /**< rendezvous that write into it now */
    mca_part_ucx_region_t *region;      /**< registration of the buffer */
    mca_part_ucx_region_t *flag_region; /**< registration of the flags */
} mca_part_ucx_recv_t;

OBJ_CLASS_DECLARATION(mca_part_ucx_recv_t);

/** Matched (the map is set): build the arrays. Under the set-up lock. */
int mca_part_ucx_recv_build(mca_part_ucx_recv_t *recv);

/** The match is undone: forget what was built for it, except what threads may still look at. */
void mca_part_ucx_recv_unbuild(mca_part_ucx_recv_t *recv);

/** Begin an epoch; the base has set the request active. */
void mca_part_ucx_recv_start(mca_part_ucx_recv_t *recv);

/** Give back what UCX has made for its memory. */
void mca_part_ucx_recv_unregister(mca_part_ucx_recv_t *recv);

/** Free the arrays of a receive that is not running. */
void mca_part_ucx_recv_release(mca_part_ucx_recv_t *recv);

/** Fetch what was offered before its receive had started. Under the path's lock. */
int mca_part_ucx_recv_early(mca_part_ucx_path_t *path);

/** Drop such offers: the path is being destroyed. */
void mca_part_ucx_recv_forget_early(mca_part_ucx_path_t *path);

/** Look at the flags of receives that puts complete. Under the path's lock. */
int mca_part_ucx_recv_poll(mca_part_ucx_path_t *path);

/** Segments first..first+count-1 are in the buffer. Under a path's lock. */
void mca_part_ucx_recv_arrived(mca_part_ucx_recv_t *recv, uint32_t epoch, uint32_t first,
                               uint32_t count);

#endif /* PART_UCX_RECV_H */
