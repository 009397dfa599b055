/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * DOWN: a process tells another one that it has given up an endpoint, or has heard so. BACK: it has
 * opened one anew.
 */
#ifndef PART_UCX_FAILOVER_NEWS_H
#define PART_UCX_FAILOVER_NEWS_H

#include "channel/part_ucx_channel.h"

/** Say of an endpoint that it has been given up, by all others of a channel with the same peer that
 * work: that may have been given up there. Under the set-up lock. */
void mca_part_ucx_failover_news_say(mca_part_ucx_channel_t *channel,
                                    const mca_part_ucx_endpoint_t *endpoint, bool answer);

/** Say by an endpoint that it has been opened anew. Under the set-up lock. */
void mca_part_ucx_failover_news_say_back(const mca_part_ucx_channel_t *channel,
                                         mca_part_ucx_endpoint_t *endpoint);

/** DOWN or BACK has come; false: it names no channel, or no endpoint. Under a path's lock. */
bool mca_part_ucx_failover_news_heard(unsigned id, const void *header, size_t header_length);

#endif /* PART_UCX_FAILOVER_NEWS_H */
