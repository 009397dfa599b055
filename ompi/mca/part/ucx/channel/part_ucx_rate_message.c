/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rates of paths, from the receiver to the sender (see part_ucx_rate_message.h).
 */
#include "channel/part_ucx_rate_message.h"

#include "base/part_ucx_clock.h"

#include <string.h>

static uint32_t news_of(mca_part_ucx_rate_measure_t *measure)
{
    unsigned news = atomic_load_explicit(&measure->news, memory_order_acquire);

    if (news == atomic_exchange_explicit(&measure->told, news, memory_order_relaxed)) {
        return 0;
    }
    return atomic_load_explicit(&measure->rate, memory_order_relaxed);
}

size_t mca_part_ucx_rate_message_tell(const mca_part_ucx_recv_t *recv, uint32_t *rate)
{
    const mca_part_ucx_peer_t *peer = recv->super.peer;
    uint32_t pairs = recv->super.pairs;
    bool any = false;

    /* A link that was made while a pair was lost leaves it out; which one is not kept. */
    if (1 == pairs || NULL == peer->measure || (0 == recv->alike && pairs < peer->pairs)) {
        return 0;
    }
    for (uint32_t i = 0; i < pairs; ++i) {
        rate[i] = news_of(&peer->measure[peer->pair[mca_part_ucx_recv_pair(recv, i)].local]);
        any = any || 0 != rate[i];
    }
    return any ? pairs * sizeof(*rate) : 0;
}

void mca_part_ucx_rate_message_heed(mca_part_ucx_send_t *send, const void *data, size_t length)
{
    uint64_t now;

    if (PART_UCX_MATCHED != mca_part_ucx_channel_state(&send->super)
        || length != send->super.pairs * sizeof(uint32_t)) {
        return;
    }
    now = mca_part_ucx_clock_ns();
    for (uint32_t i = 0; i < send->super.pairs; ++i) {
        uint32_t rate;

        memcpy(&rate, (const char *) data + i * sizeof(rate), sizeof(rate));
        if (0 != rate) {
            atomic_store_explicit(&send->endpoint[i]->rate, rate, memory_order_relaxed);
            atomic_store_explicit(&send->endpoint[i]->rated_ns, now, memory_order_relaxed);
            atomic_store_explicit(&send->endpoint[i]->unrated, 0, memory_order_relaxed);
        }
    }
}

void mca_part_ucx_rate_message_note(const mca_part_ucx_recv_t *recv,
                                    const mca_part_ucx_path_t *path,
                                    const mca_part_ucx_data_header_t *header, size_t length)
{
    mca_part_ucx_rate_measure_t *measure = recv->super.peer->measure;

    if (NULL != measure) {
        mca_part_ucx_rate_measure_note(&measure[path->index], mca_part_ucx_clock_ns(), path->idle,
                                       header->gap, length);
    }
}

void mca_part_ucx_rate_message_stamp(mca_part_ucx_endpoint_t *endpoint,
                                     mca_part_ucx_data_header_t *header)
{
    uint64_t now;

    if (PART_UCX_DEVICE_SHARED == endpoint->path->device.kind) {
        return;
    }
    now = mca_part_ucx_clock_ns();
    header->gap = mca_part_ucx_rate_measure_gap(endpoint->posted_ns, now);
    endpoint->posted_ns = now;
}
