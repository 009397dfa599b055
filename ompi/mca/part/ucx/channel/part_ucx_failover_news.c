/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sending and hearing DOWN and BACK (see part_ucx_failover_news.h).
 */
#include "channel/part_ucx_failover_news.h"

#include "channel/part_ucx_event.h"
#include "path/part_ucx_failover_outage.h"
#include "path/part_ucx_paths.h"

#include <stdlib.h>
#include <string.h>

static void news_sent(void *request, ucs_status_t status, void *user_data)
{
    (void) status; /* it is said again until the peer has answered */
    mca_part_ucx_path_free_request(request);
    free(user_data);
}

static bool may_carry(const mca_part_ucx_endpoint_t *endpoint, unsigned id)
{
    return PART_UCX_AM_BACK == id ? mca_part_ucx_endpoint_is_open(endpoint)
                                  : mca_part_ucx_endpoint_is_up(endpoint);
}

static void send_by(mca_part_ucx_endpoint_t *endpoint, unsigned id,
                    const mca_part_ucx_failover_news_t *news)
{
    mca_part_ucx_failover_news_t *copy = malloc(sizeof(*copy));

    if (NULL == copy) {
        return;
    }
    *copy = *news;
    mca_part_ucx_path_lock(endpoint->path);
    if (may_carry(endpoint, id)) {
        mca_part_ucx_event_post(endpoint, id, copy, sizeof(*copy), NULL, 0, news_sent, copy);
    } else {
        free(copy);
    }
    mca_part_ucx_path_unlock(endpoint->path);
}

static mca_part_ucx_failover_news_t about(const mca_part_ucx_channel_t *channel,
                                          const mca_part_ucx_endpoint_t *endpoint)
{
    return (mca_part_ucx_failover_news_t) {.key = atomic_load(&channel->peer_key),
                                          .nonce = atomic_load(&channel->peer_nonce),
                                          .generation = atomic_load(&endpoint->outage.generation),
                                          .from_path = (uint32_t) endpoint->path->index,
                                          .to_path = endpoint->remote};
}

void mca_part_ucx_failover_news_say(mca_part_ucx_channel_t *channel,
                                    const mca_part_ucx_endpoint_t *endpoint, bool answer)
{
    mca_part_ucx_failover_news_t news = about(channel, endpoint);
    mca_part_ucx_endpoint_t *list[PART_UCX_MAX_PATHS];
    uint32_t count = channel->side->endpoints(channel, list);

    news.answer = answer;
    for (uint32_t i = 0; i < count; ++i) {
        send_by(list[i], PART_UCX_AM_DOWN, &news);
    }
}

void mca_part_ucx_failover_news_say_back(const mca_part_ucx_channel_t *channel,
                                         mca_part_ucx_endpoint_t *endpoint)
{
    mca_part_ucx_failover_news_t news = about(channel, endpoint);

    send_by(endpoint, PART_UCX_AM_BACK, &news);
}

/* Neither end opens a generation before the other one has given up the last: so none is ahead by
 * more than one, and what says otherwise is not meant well. */
static bool is_possible(mca_part_ucx_endpoint_t *endpoint, uint32_t generation)
{
    uint32_t own = atomic_load(&endpoint->outage.generation);

    return generation <= own || generation - own == 1;
}

bool mca_part_ucx_failover_news_heard(unsigned id, const void *header, size_t header_length)
{
    mca_part_ucx_failover_news_t news;
    mca_part_ucx_channel_t *channel;
    mca_part_ucx_endpoint_t *endpoint;

    if (sizeof(news) != header_length) {
        return false;
    }
    memcpy(&news, header, sizeof(news)); /* UCX does not promise alignment */
    channel = mca_part_ucx_channel_find(news.key, news.nonce);
    /* In this order: set-up may be about to write the rest of one that is not matched yet. */
    if (NULL == channel || mca_part_ucx_state_is_unmatched(mca_part_ucx_channel_state(channel))
        || !channel->fails_over || news.from_path >= channel->peer->remotes
        || news.to_path >= (uint32_t) mca_part_ucx_paths.count) {
        return false;
    }
    endpoint = channel->peer->remote[news.from_path].endpoint[news.to_path];
    if (NULL == endpoint || !endpoint->fails_over || !is_possible(endpoint, news.generation)) {
        return false;
    }
    if (PART_UCX_AM_BACK == id) {
        mca_part_ucx_failover_outage_heard_back(endpoint, news.generation);
    } else {
        mca_part_ucx_failover_outage_heard(endpoint, news.generation, 0 != news.answer);
    }
    return true;
}
