/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the two ends of a channel say over the paths: UCP active messages. All integers are in the
 * sender's byte order. Structures have fixed widths and no padding.
 *
 * A message names the end that it is for by a key and a nonce, both random. Only the peer has been
 * told them, at set-up, over MPI's own channel. So what strangers send, and what is left of jobs
 * that have ended, finds no channel.
 */
#ifndef PART_UCX_MESSAGE_H
#define PART_UCX_MESSAGE_H

#include <assert.h>
#include <stdint.h>

/** Links and the user's requests are matched apart. */
typedef enum mca_part_ucx_space_t {
    PART_UCX_SPACE_USER,
    PART_UCX_SPACE_LINK
} mca_part_ucx_space_t;

/** Ids of the active messages. */
enum {
    PART_UCX_AM_DATA = 1, /**< mca_part_ucx_data_header_t and the bytes of some segments */
    PART_UCX_AM_PLACED,   /**< mca_part_ucx_data_header_t: the bytes of some segments are there */
    PART_UCX_AM_READY,    /**< mca_part_ucx_event_t: the receiver has started an epoch; perhaps, as
                           * data, a uint32_t per pair: part_ucx_rate_message.h */
    PART_UCX_AM_END,      /**< mca_part_ucx_event_t: the end that speaks goes no further */
    PART_UCX_AM_PREFAULT, /**< nothing: the memory that it comes in shall be touched */
    PART_UCX_AM_BUNDLE,   /**< mca_part_ucx_data_header_t; then, as data, mca_part_ucx_bundled_t of
                           * each piece, and their bytes in the same order */
    PART_UCX_AM_DOWN, /**< mca_part_ucx_failover_news_t: a path between two processes is given up */
    PART_UCX_AM_BACK, /**< mca_part_ucx_failover_news_t: it is opened anew; this has come by it */
    PART_UCX_AM_PROBE, /**< nothing: the system acknowledges it, or a helper thread wakes up */
    PART_UCX_AM_OFFER, /**< mca_part_ucx_data_header_t: the bytes of some segments are to be
                        * fetched. The only message that is a rendezvous of UCX */
    PART_UCX_AM_ASK    /**< mca_part_ucx_event_t: the sender needs READY in each epoch */
};

/** No bundle has more pieces. */
#define PART_UCX_BUNDLE_MOST 64u

/** Header of a data message; also the record of where an operation's bytes belong. */
typedef struct mca_part_ucx_data_header_t {
    uint64_t key;     /**< channel key of the receiving end */
    uint32_t epoch;   /**< iteration, counted from 1 */
    uint32_t segment; /**< first segment; of a bundle the first piece */
    uint32_t count;   /**< number of segments; of a bundle of pieces, at least 2 */
    uint32_t nonce;   /**< of the receiving end */
    uint32_t gap;     /**< nanoseconds since the message before it on this pair was posted;
                       * UINT32_MAX: longer, or not known */
    uint32_t zero;    /**< reserved, 0 */
} mca_part_ucx_data_header_t;

/** A piece in a bundle. */
typedef struct mca_part_ucx_bundled_t {
    uint32_t piece;
    uint32_t length; /**< bytes */
} mca_part_ucx_bundled_t;

/** Why an end goes no further. */
typedef enum mca_part_ucx_reason_t {
    PART_UCX_END_FREED = 1, /**< its request was freed, or its collective given up */
    PART_UCX_END_FAILED,    /**< an error; waits to hear that this end does not write any more */
    PART_UCX_END_REVOKED    /**< the communicator was revoked; waits likewise */
} mca_part_ucx_reason_t;

/** Header of READY, ASK and END. */
typedef struct mca_part_ucx_event_t {
    uint64_t key;    /**< channel key of the end addressed */
    uint64_t from;   /**< channel key of the end that speaks */
    uint32_t epoch;  /**< READY: the epoch started. ASK: that of the sender. END: the last one that
                      * was no failure */
    uint32_t nonce;  /**< of the end addressed */
    uint16_t reason; /**< of END: mca_part_ucx_reason_t; else 0 */
    uint16_t busy; /**< of END: 1 if the end that speaks could not wait for its operations, and may
                    * still touch the other's memory; else 0 */
    uint32_t done; /**< of READY where a channel fails over: the last complete epoch; else 0 */
} mca_part_ucx_event_t;

/** Header of DOWN and BACK. It is for a process; any channel that both have names it. */
typedef struct mca_part_ucx_failover_news_t {
    uint64_t key;        /**< of a channel of the process addressed */
    uint32_t nonce;      /**< of that end */
    uint32_t generation; /**< that is given up, or opened */
    uint32_t from_path;  /**< path of the process that speaks, ... */
    uint32_t to_path;    /**< ... and of the one addressed */
    uint32_t answer;     /**< 1: it answers, and need not be answered; else 0 */
    uint32_t zero;       /**< reserved, 0 */
} mca_part_ucx_failover_news_t;

static_assert(32 == sizeof(mca_part_ucx_data_header_t), "wire layout");
static_assert(8 == sizeof(mca_part_ucx_bundled_t), "wire layout");
static_assert(32 == sizeof(mca_part_ucx_event_t), "wire layout");
static_assert(32 == sizeof(mca_part_ucx_failover_news_t), "wire layout");

#endif /* PART_UCX_MESSAGE_H */
