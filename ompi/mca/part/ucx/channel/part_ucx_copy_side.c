/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which side copies (see part_ucx_copy_side.h).
 */
#include "channel/part_ucx_copy_side.h"

#include "base/part_ucx_clock.h"

/* Smaller ones are not worth two looks at a clock. */
#define CHEAPER_MIN 8192u

/* Messages go round a ring in shared memory, and each place of it costs more the first time. So a
 * system call comes first, and the first messages are not timed before the ring has been gone
 * through by half. */
#define FIRST_STEPS 128u

void mca_part_ucx_copy_side_begin(mca_part_ucx_endpoint_t *endpoint)
{
    if (PART_UCX_DEVICE_SHARED != endpoint->path->device.kind) {
        return; /* nothing is placed there */
    }
    mca_part_ucx_path_lock(endpoint->path);
    for (unsigned i = 0; i < PART_UCX_CHEAPER_SIZES; ++i) {
        if (0 == endpoint->cheaper[i].wait) { /* no channel has been here before */
            mca_part_ucx_cheaper_begin(&endpoint->cheaper[i], PART_UCX_PLACE, FIRST_STEPS);
        }
    }
    mca_part_ucx_path_unlock(endpoint->path);
}

bool mca_part_ucx_copy_side_may_offer(uint64_t bytes)
{
    return bytes >= CHEAPER_MIN || bytes > mca_part_ucx_params.shared_eager_limit;
}

mca_part_ucx_cheaper_t *mca_part_ucx_copy_side_cheaper(const mca_part_ucx_parcel_t *parcel)
{
    const mca_part_ucx_send_t *send = parcel->send;
    mca_part_ucx_cheaper_t *cheaper = send->endpoint[parcel->pair]->cheaper;
    uint64_t length = parcel->length;

    if (length < CHEAPER_MIN || length > mca_part_ucx_params.shared_eager_limit
        || 0 == atomic_load_explicit(&send->cma_process, memory_order_relaxed)) {
        return NULL;
    }
    for (unsigned i = 1; i < PART_UCX_CHEAPER_SIZES && length >> i >= CHEAPER_MIN; ++i) {
        ++cheaper;
    }
    return cheaper;
}

void mca_part_ucx_copy_side_note(mca_part_ucx_cheaper_t *cheaper, uint32_t way, uint64_t length,
                             uint64_t begin_ns)
{
    uint64_t ns = mca_part_ucx_clock_ns() - begin_ns;

    /* What follows takes time, too: what was carried is copied once more; what was placed needs a
     * message, and a system call leaves less in the caches: about half as long as the call. */
    ns += PART_UCX_EAGER == way ? ns : ns / 2;
    mca_part_ucx_cheaper_note(cheaper, way, length, ns);
}

/* Of a parcel that is not carried. Any thread. */
static bool take_turns(mca_part_ucx_parcel_t *parcel)
{
    mca_part_ucx_endpoint_t *endpoint = parcel->send->endpoint[parcel->pair];
    unsigned most = atomic_load_explicit(&endpoint->placed, memory_order_relaxed) ? 2 : 1;

    if (PART_UCX_COPY_SENDER == mca_part_ucx_params.shared_copy || parcel->send->super.warm) {
        return true;
    }
    parcel->reserved
        = atomic_fetch_add_explicit(&endpoint->offers, 1, memory_order_relaxed) < most;
    if (!parcel->reserved) {
        mca_part_ucx_copy_side_undo(endpoint);
    }
    atomic_store_explicit(&endpoint->placed, !parcel->reserved, memory_order_relaxed);
    return !parcel->reserved;
}

bool mca_part_ucx_copy_side_take_large(mca_part_ucx_parcel_t *parcel)
{
    const mca_part_ucx_channel_t *channel = &parcel->send->super;

    if (1 == channel->map.units && PART_UCX_COPY_SENDER != mca_part_ucx_params.shared_copy
        && !channel->warm) {
        return false; /* nobody to take turns with, and an offer may precede READY */
    }
    return take_turns(parcel);
}

/* The same of one that could be carried. */
static bool take_small(mca_part_ucx_parcel_t *parcel)
{
    mca_part_ucx_cheaper_t *cheaper = mca_part_ucx_copy_side_cheaper(parcel);

    if (NULL == cheaper || PART_UCX_PLACE != mca_part_ucx_cheaper_next(cheaper)) {
        return false;
    }
    /* A try of placing finds out what that costs; and one unit is there sooner than its offer. */
    return cheaper->trying || 1 == parcel->send->super.map.units || take_turns(parcel);
}

bool mca_part_ucx_copy_side_take(mca_part_ucx_parcel_t *parcel)
{
    return parcel->length <= mca_part_ucx_params.shared_eager_limit
               ? take_small(parcel)
               : mca_part_ucx_copy_side_take_large(parcel);
}
