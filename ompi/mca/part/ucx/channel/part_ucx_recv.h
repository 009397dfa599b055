/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiving end of a channel: how arrivals become known.
 */
#ifndef PART_UCX_RECV_H
#define PART_UCX_RECV_H

#include "base/part_ucx_lock.h"
#include "base/part_ucx_shm.h"
#include "channel/part_ucx_arrivals.h"
#include "channel/part_ucx_boxes.h"
#include "channel/part_ucx_channel.h"

struct mca_part_ucx_ready_t;

/** Memory for segments of epochs to come (part_ucx_credit.h). */
typedef struct mca_part_ucx_credit_t mca_part_ucx_credit_t;

/** A receive whose flags are written by the sender's puts, as a path polls it. */
typedef struct mca_part_ucx_polled_t {
    struct mca_part_ucx_polled_t *next; /**< in the path's list; under the path's lock */
    struct mca_part_ucx_recv_t *recv;
    uint32_t seen;                      /**< flags found set, from the first on */
    uint32_t gap;                       /**< index of the first flag that no segment has */
} mca_part_ucx_polled_t;

/** A link whose pieces come in boxes. */
typedef struct mca_part_ucx_boxed_t {
    struct mca_part_ucx_boxed_t *next;  /**< in the path's list; under the path's lock */
    struct mca_part_ucx_boxed_t **back; /**< what points to this one, NULL when not in the list */
    struct mca_part_ucx_recv_t *recv;
    mca_part_ucx_boxes_t boxes;
    mca_part_ucx_work_t work; /**< asks the path to put this into its list, ... */
    atomic_bool queued;       /**< ... and is in its queue */
    atomic_bool used;         /**< the sender fills them, as far as is known */
    uint32_t missing;         /**< pieces of this epoch; of who looks */
} mca_part_ucx_boxed_t;

typedef struct mca_part_ucx_recv_t {
    mca_part_ucx_channel_t super;
    void *matching;             /**< what wireup keeps of the match; freed with the channel */
    const mca_part_ucx_shm_t *shm; /**< of a link: shared memory that pieces may lie in, or NULL */
    /* From here on valid once MATCHED. */
    _Atomic(mca_part_ucx_arrivals_t *) arrivals; /**< of the present match; NULL for a link */
    _Atomic uint64_t *flag;     /**< its flags */
    atomic_uint remaining;      /**< segments that messages have to bring */
    atomic_uint armed;          /**< last epoch that `remaining` was set for */
    uint32_t fetched;           /**< last epoch whose data were offered before READY was sent */
    uint32_t offer_kept;        /**< last epoch of which an early offer was kept */
    atomic_uint *came;          /**< of a link: per piece, the last epoch that it came in */
    _Atomic(mca_part_ucx_credit_t *) credit; /**< of one with few bytes, of the present match; or
                                              * NULL */
    mca_part_ucx_credit_t *credits;          /**< of all matches, the last one first */
    mca_part_ucx_endpoint_t *endpoint;  /**< where READY and END go */
    struct mca_part_ucx_ready_t *ready; /**< sends READY; of the present match */
    struct mca_part_ucx_ready_t **readies; /**< of one that fails over: per pair, `ready` first */
    atomic_uint done; /**< of one that fails over: last epoch that is complete, 0 if none */
    bool network;     /**< the sender is on another host */
    union {
        mca_part_ucx_polled_t polled; /**< of a user's channel */
        mca_part_ucx_boxed_t *boxed; /**< of a link; NULL: it has no boxes. Not only once MATCHED */
    };
    mca_part_ucx_lock_t unpacking; /**< held while a thread unpacks; taken under a path's lock */
    bool writable;                 /**< the sender may write into the buffer, too */
    uint8_t alike, turn;        /**< so many pairs take turns; where they begin: see below */
    atomic_uint fetching;       /**< rendezvous that write into it now */
    mca_part_ucx_region_t *region;      /**< registration of the buffer */
    mca_part_ucx_region_t *flag_region; /**< registration of the flags */
} mca_part_ucx_recv_t;

/** What a receiving end does: part_ucx_recv_side.c. */
extern const mca_part_ucx_side_t mca_part_ucx_recv_side;

/** Make one: all zero but what follows from being a receive. NULL: no memory. */
mca_part_ucx_recv_t *mca_part_ucx_recv_new(void);

/** The receive that a channel is; NULL: it is a send. */
mca_part_ucx_recv_t *mca_part_ucx_recv_check(mca_part_ucx_channel_t *channel);

/** The receive that a channel is known to be. */
static inline mca_part_ucx_recv_t *mca_part_ucx_recv_of(mca_part_ucx_channel_t *channel)
{
    return PART_UCX_CONTAINER(channel, mca_part_ucx_recv_t, super);
}

/** Its boxes; NULL: there are none. */
static inline mca_part_ucx_boxed_t *mca_part_ucx_recv_boxed(const mca_part_ucx_recv_t *recv)
{
    return NULL == recv->super.piece ? NULL : recv->boxed;
}

/** Data of a message are taken: its sender does without boxes, because it cannot view them. */
static inline void mca_part_ucx_recv_not_boxed(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_boxed_t *boxed = mca_part_ucx_recv_boxed(recv);

    if (NULL != boxed) {
        atomic_store_explicit(&boxed->used, false, memory_order_relaxed);
    }
}

/** Which of the peer's pairs is the n-th of this channel? Channels begin with different ones. */
static inline uint32_t mca_part_ucx_recv_pair(const mca_part_ucx_recv_t *recv, uint32_t n)
{
    return n < recv->alike ? (n + recv->turn) % recv->alike : n;
}

/** The present epoch. */
static inline uint32_t mca_part_ucx_recv_epoch(mca_part_ucx_recv_t *recv)
{
    return atomic_load_explicit(&recv->super.epoch, memory_order_relaxed);
}

/** Look at the flags of receives that puts complete. Under the path's lock. */
int mca_part_ucx_recv_poll(mca_part_ucx_path_t *path);

/** Copy or unpack bytes of a segment and those after it to where they belong. False: they do not
 * fit the datatype. Under a path's lock, or from the thread that starts the epoch. */
bool mca_part_ucx_recv_store(mca_part_ucx_recv_t *recv, uint32_t segment, uint64_t offset,
                             uint64_t length, const void *data);

/** Segments first..first+count-1 are in the buffer. Under a path's lock; of what was kept for the
 * epoch, from the thread that starts it, without one. */
void mca_part_ucx_recv_arrived(mca_part_ucx_recv_t *recv, uint32_t epoch, uint32_t first,
                               uint32_t count);

/** Everything is there. It may be gone afterwards. */
void mca_part_ucx_recv_finish(mca_part_ucx_recv_t *recv);

/** The receive that a data header names; NULL: it is gone, or none. Under a path's lock. */
mca_part_ucx_recv_t *mca_part_ucx_recv_find(const mca_part_ucx_data_header_t *header);

/** What to do with a message that has come. */
typedef enum mca_part_ucx_verdict_t {
    PART_UCX_TAKE,
    PART_UCX_REPEATED, /**< it, or all of its epoch, has come before */
    PART_UCX_USELESS,  /**< the receive has failed */
    PART_UCX_WRONG     /**< it does not fit the channel */
} mca_part_ucx_verdict_t;

/**
 * Judge a data header that came over `path`: does it describe segments of the present epoch of this
 * receive that are still missing? Of a piece it is noted that it has come.
 *
 * @param length       of the data, NULL if they do not come with the message
 * @param[out] offset  where they belong
 */
mca_part_ucx_verdict_t mca_part_ucx_recv_judge(mca_part_ucx_recv_t *recv,
                                               const mca_part_ucx_path_t *path,
                                               const mca_part_ucx_data_header_t *header,
                                               const uint64_t *length, uint64_t *offset);

/** Count what has come again; fail for what is wrong. Only the peer knows the nonce: what does not
 * fit is a defect, and must not leave the receive waiting. */
void mca_part_ucx_recv_refuse(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header,
                              mca_part_ucx_verdict_t verdict);

/** The same of any path, but for whether they are missing. */
mca_part_ucx_verdict_t mca_part_ucx_recv_judge_range(mca_part_ucx_recv_t *recv,
                                                     const mca_part_ucx_data_header_t *header,
                                                     const uint64_t *length, uint64_t *offset);

/**
 * The same of a bundle. All of it is looked at before anything of it is used, and it is noted of
 * its pieces that they have come.
 *
 * @param[out] fresh  bit i: its piece i had not come before
 */
mca_part_ucx_verdict_t mca_part_ucx_recv_judge_bundle(mca_part_ucx_recv_t *recv,
                                                      const mca_part_ucx_data_header_t *header,
                                                      const void *data, size_t length,
                                                      uint64_t *fresh);

/** The same, but for whether its pieces have come. */
mca_part_ucx_verdict_t mca_part_ucx_recv_judge_list(mca_part_ucx_recv_t *recv,
                                                    const mca_part_ucx_data_header_t *header,
                                                    const void *data, size_t length);

#endif /* PART_UCX_RECV_H */
