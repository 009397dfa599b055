/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiving end of a channel (see part_ucx_recv.h).
 *
 * A segment has arrived when its flag equals the epoch. For units that come as messages the
 * handler writes the flag after the data and counts down `remaining`; for units that come as puts
 * the sender's put writes it, and a path that polls the channel finds out.
 */
#include "channel/part_ucx_recv.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_bundle_read.h"
#include "channel/part_ucx_datatype.h"
#include "channel/part_ucx_traffic.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_process.h"

#include <stdlib.h>
#include <string.h>

/* ---- arrival, under a path's lock ---- */

/* It has its data: so the sender has our ACCEPT, and our addresses with the first of those. In a
 * process that only receives nothing else shows that. */
void mca_part_ucx_recv_finish(mca_part_ucx_recv_t *recv)
{
    atomic_store_explicit(&recv->super.peer->knows_us, true, memory_order_relaxed);
    mca_part_ucx_channel_finish(&recv->super);
}

/*
 * Unpack into the user's buffer. One thread at a time: where a slice ends inside a basic element,
 * the convertor reads and writes the whole element, and another one may hold the other half.
 */
static bool unpack(mca_part_ucx_recv_t *recv, uint32_t segment, uint64_t offset, uint64_t length,
                   const void *data)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    uint32_t pair = mca_part_ucx_map_pair(map, mca_part_ucx_map_unit_of(map, segment));
    bool good;

    mca_part_ucx_lock_wait(&recv->unpacking);
    good = mca_part_ucx_datatype_unpack(&recv->super.convertor[pair], offset, length, data);
    mca_part_ucx_lock_release(&recv->unpacking);
    return good;
}

bool mca_part_ucx_recv_store(mca_part_ucx_recv_t *recv, uint32_t segment, uint64_t offset,
                             uint64_t length, const void *data)
{
    bool good = true;

    if (!recv->super.contiguous) {
        good = unpack(recv, segment, offset, length, data);
    } else if (0 != length) {
        memcpy(mca_part_ucx_channel_at(&recv->super, offset), data, length);
    }
    if (!good) {
        mca_part_ucx_channel_fail(&recv->super, MPI_ERR_INTERN);
    }
    return good;
}

void mca_part_ucx_recv_arrived(mca_part_ucx_recv_t *recv, uint32_t epoch, uint32_t first,
                               uint32_t count)
{
    mca_part_ucx_arrivals_t *arrivals
        = atomic_load_explicit(&recv->arrivals, memory_order_relaxed);

    if (NULL == arrivals) {
        recv->super.observer->moved(recv->super.context, first);
    } else {
        mca_part_ucx_arrivals_set(arrivals, epoch, first, count);
    }
    if (atomic_fetch_sub(&recv->remaining, count) == count) {
        mca_part_ucx_recv_finish(recv);
    }
}

int mca_part_ucx_recv_poll(mca_part_ucx_path_t *path)
{
    mca_part_ucx_polled_t **link = &mca_part_ucx_traffic_of(path)->polled;
    int events = 0;

    while (NULL != *link) {
        mca_part_ucx_polled_t *polled = *link;
        mca_part_ucx_recv_t *recv = polled->recv;
        uint32_t epoch = mca_part_ucx_recv_epoch(recv);
        uint32_t flags = recv->super.map.flags;

        while (polled->seen < flags
               && epoch == atomic_load_explicit(&recv->flag[polled->seen], memory_order_acquire)) {
            ++polled->seen;
            if (polled->seen == polled->gap) {
                polled->seen += flags - recv->super.map.segments;
            }
        }
        if (polled->seen == flags) {
            *link = polled->next;
            mca_part_ucx_recv_finish(recv);
            ++events;
        } else if (mca_part_ucx_channel_is_over(&recv->super)) {
            *link = polled->next; /* it has failed */
        } else {
            link = &polled->next;
        }
    }
    return events;
}

/* ---- data messages ---- */

mca_part_ucx_recv_t *mca_part_ucx_recv_find(const mca_part_ucx_data_header_t *header)
{
    mca_part_ucx_channel_t *channel = mca_part_ucx_channel_find(header->key, header->nonce);

    return NULL == channel ? NULL : mca_part_ucx_recv_check(channel);
}

/* Where a user's channel has one path, its lock, which we hold, keeps others from its flags. With
 * several, a unit comes over any of them, and segments are claimed. */
static bool is_its_path(const mca_part_ucx_recv_t *recv, const mca_part_ucx_path_t *path)
{
    return NULL != recv->super.piece || 1 != recv->super.map.pairs || path == recv->endpoint->path;
}

static bool is_new(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header)
{
    mca_part_ucx_arrivals_t *arrivals
        = atomic_load_explicit(&recv->arrivals, memory_order_relaxed);

    return NULL == arrivals
               ? header->epoch != atomic_exchange(&recv->came[header->segment], header->epoch)
               : mca_part_ucx_arrivals_reserve(arrivals, header->epoch, header->segment,
                                               header->count);
}

/* Of its epoch: TAKE if it is the present one. */
static mca_part_ucx_verdict_t judge_epoch(mca_part_ucx_recv_t *recv,
                                          const mca_part_ucx_data_header_t *header)
{
    /* Data may come when a link has begun its epoch, but has not been armed for it yet. */
    const atomic_uint *begun = NULL == recv->credit ? &recv->super.epoch : &recv->armed;
    uint32_t epoch = atomic_load_explicit(begun, memory_order_acquire);

    if (PART_UCX_MATCHED != mca_part_ucx_channel_state(&recv->super)) {
        return PART_UCX_USELESS;
    }
    if (0 != header->epoch && mca_part_ucx_epoch_is_after(epoch, header->epoch)) {
        return PART_UCX_REPEATED;
    }
    return 0 == epoch || header->epoch != epoch || PART_UCX_METHOD_MESSAGE != recv->super.method
               ? PART_UCX_WRONG
               : PART_UCX_TAKE;
}

mca_part_ucx_verdict_t mca_part_ucx_recv_judge_range(mca_part_ucx_recv_t *recv,
                                                     const mca_part_ucx_data_header_t *header,
                                                     const uint64_t *length, uint64_t *offset)
{
    mca_part_ucx_verdict_t verdict = judge_epoch(recv, header);
    uint64_t expected;

    if (PART_UCX_TAKE != verdict) {
        return verdict;
    }
    return mca_part_ucx_map_names(&recv->super.map, header->segment, header->count, offset,
                                  &expected)
                   && (NULL == length || *length == expected)
               ? PART_UCX_TAKE
               : PART_UCX_WRONG;
}

/* It is taken. */
static mca_part_ucx_verdict_t taken(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_recv_not_boxed(recv);
    return PART_UCX_TAKE;
}

mca_part_ucx_verdict_t mca_part_ucx_recv_judge(mca_part_ucx_recv_t *recv,
                                               const mca_part_ucx_path_t *path,
                                               const mca_part_ucx_data_header_t *header,
                                               const uint64_t *length, uint64_t *offset)
{
    mca_part_ucx_verdict_t verdict = mca_part_ucx_recv_judge_range(recv, header, length, offset);

    if (PART_UCX_TAKE != verdict) {
        return verdict;
    }
    if (!is_its_path(recv, path)) {
        return PART_UCX_WRONG;
    }
    return is_new(recv, header) ? taken(recv) : PART_UCX_REPEATED;
}

void mca_part_ucx_recv_refuse(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header,
                              mca_part_ucx_verdict_t verdict)
{
    if (PART_UCX_REPEATED == verdict) {
        atomic_fetch_add_explicit(&mca_part_ucx_process.repeats, 1, memory_order_relaxed);
    } else if (PART_UCX_WRONG == verdict) {
        PART_UCX_VERBOSE(1, "a data message does not fit its channel (epoch %u segment %u)",
                         header->epoch, header->segment);
        mca_part_ucx_channel_fail(&recv->super, MPI_ERR_INTERN);
    }
}

mca_part_ucx_verdict_t mca_part_ucx_recv_judge_list(mca_part_ucx_recv_t *recv,
                                                    const mca_part_ucx_data_header_t *header,
                                                    const void *data, size_t length)
{
    mca_part_ucx_verdict_t verdict = judge_epoch(recv, header);

    return PART_UCX_TAKE == verdict
                   && !mca_part_ucx_bundle_is_good(&recv->super.map, header, data, length)
               ? PART_UCX_WRONG
               : verdict;
}

mca_part_ucx_verdict_t mca_part_ucx_recv_judge_bundle(mca_part_ucx_recv_t *recv,
                                                      const mca_part_ucx_data_header_t *header,
                                                      const void *data, size_t length,
                                                      uint64_t *fresh)
{
    mca_part_ucx_verdict_t verdict = mca_part_ucx_recv_judge_list(recv, header, data, length);

    if (PART_UCX_TAKE != verdict) {
        return verdict;
    }
    *fresh = 0;
    for (uint32_t i = 0; i < header->count; ++i) {
        uint32_t piece = mca_part_ucx_bundle_entry(data, i).piece;

        if (header->epoch != atomic_exchange(&recv->came[piece], header->epoch)) {
            *fresh |= UINT64_C(1) << i;
        }
    }
    return 0 != *fresh ? taken(recv) : PART_UCX_REPEATED;
}

/* ---- making ---- */

mca_part_ucx_recv_t *mca_part_ucx_recv_new(void)
{
    mca_part_ucx_recv_t *recv = calloc(1, sizeof(*recv));

    if (NULL != recv) {
        recv->super.side = &mca_part_ucx_recv_side;
    }
    return recv;
}

mca_part_ucx_recv_t *mca_part_ucx_recv_check(mca_part_ucx_channel_t *channel)
{
    return &mca_part_ucx_recv_side == channel->side ? mca_part_ucx_recv_of(channel) : NULL;
}
