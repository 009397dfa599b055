/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a channel asks of its side: the sending end (part_ucx_send_side.c) or the receiving one
 * (part_ucx_recv_side.c).
 */
#ifndef PART_UCX_SIDE_H
#define PART_UCX_SIDE_H

#include "path/part_ucx_peer.h"

#include <stdbool.h>
#include <stdint.h>

struct mca_part_ucx_channel_t;

/** What differs between a sending and a receiving end. */
typedef struct mca_part_ucx_side_t {
    const char *name; /**< for messages: "send", "receive" */
    /** Begin an epoch; the other end is known. */
    void (*start)(struct mca_part_ucx_channel_t *channel);
    /** The other end says that it has all of the epochs up to this one. Under a path's lock. NULL:
     * it is no affair of this side. */
    void (*acknowledged)(struct mca_part_ucx_channel_t *channel, uint32_t epoch);
    /** An endpoint has been lost, and the channel fails over: what went over it goes over another
     * one. Under the set-up lock. */
    void (*reroute)(struct mca_part_ucx_channel_t *channel, mca_part_ucx_endpoint_t *endpoint);
    /** Is the other end final? Then nothing that another one says counts. NULL: it is as soon as it
     * is known. */
    bool (*settled)(struct mca_part_ucx_channel_t *channel);
    /** The endpoints by which the other end can be told of something, best first; how many. */
    uint32_t (*endpoints)(const struct mca_part_ucx_channel_t *channel,
                          mca_part_ucx_endpoint_t *list[PART_UCX_MAX_PATHS]);
    /** Is an operation of it under way on this path? Under the path's lock. NULL: never. */
    bool (*carried)(const struct mca_part_ucx_channel_t *channel, const mca_part_ucx_path_t *path);
    /** Is its buffer being read or written outside of paths' locks, by UCX or another thread? */
    bool (*touched)(struct mca_part_ucx_channel_t *channel);
    /** May the other end still write into its buffer? NULL: never. */
    bool (*exposed)(struct mca_part_ucx_channel_t *channel);
    /** Has everything of the epoch been handed to the network, which has still to move
     * `remaining`? */
    bool (*waits)(struct mca_part_ucx_channel_t *channel, uint32_t *remaining);
    const char *stalled; /**< the topic of the message about that */
    /** Has a partition been marked, or has it come, in this epoch? And what those are that have
     * not, for messages. Of a channel that has met its other end; not of a link. */
    bool (*has)(struct mca_part_ucx_channel_t *channel, uint32_t partition);
    const char *lacks;
    /** Has the other end started this epoch? NULL: it cannot know. */
    bool (*answered)(struct mca_part_ucx_channel_t *channel);
    /** Give back what UCX has made for its memory and the peer's. */
    void (*unregister)(struct mca_part_ucx_channel_t *channel);
    /** Nothing is moved any more: give back what belongs to the peer; not what a thread may
     * still write to, of one that is over and stays. */
    void (*retire)(struct mca_part_ucx_channel_t *channel);
    /** Free its arrays. */
    void (*release)(struct mca_part_ucx_channel_t *channel);
} mca_part_ucx_side_t;

#endif /* PART_UCX_SIDE_H */
