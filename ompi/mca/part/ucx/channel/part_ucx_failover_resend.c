/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sending again what may have been lost (see part_ucx_failover_resend.h).
 *
 * Of each segment one word says in which epoch, by which pair, and how far it has got. Who changes
 * it: POSTED and LEFT, a thread with the lock of the pair's path; DUE, a thread that finds it on a
 * lost endpoint, under the lock of its path or by compare-and-swap. A DUE segment belongs to the
 * work of the pair that it names, and to the lock of that one's path.
 */
#include "channel/part_ucx_failover_resend.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_delivery.h"
#include "channel/part_ucx_failover_resend_buffer.h"

#include <stdlib.h>

#include "ompi/constants.h"

typedef enum left_t {
    LEFT_NOT,
    LEFT_POSTED, /* UCX has it */
    LEFT_LEFT,   /* UCX has called back: it is in a socket, or farther */
    LEFT_DUE     /* it is to leave by the pair named */
} left_t;

typedef enum again_state_t {
    AGAIN_IDLE,
    AGAIN_QUEUED,
    AGAIN_MORE /* it is queued, and more has become due */
} again_state_t;

/* The work of a pair: to post what is due there. It is queued at most once, and counts in
 * `remaining` while it is. */
typedef struct again_t {
    mca_part_ucx_work_t work;
    mca_part_ucx_send_t *send;
    uint32_t pair;
    uint32_t at;      /* segment that is looked at next; under the path's lock */
    atomic_int state; /* again_state_t */
} again_t;

struct mca_part_ucx_failover_resend_t {
    atomic_uint acknowledged; /* the last epoch that has been */
    _Atomic uint64_t *left;   /* per segment: see word() */
    again_t again[];          /* per pair */
};

static uint64_t word(uint32_t epoch, left_t state, uint32_t pair)
{
    return (uint64_t) epoch << 32 | (uint64_t) state << 8 | pair;
}

static void note(mca_part_ucx_send_t *send, left_t state, uint32_t pair, uint32_t first,
                 uint32_t count)
{
    uint64_t value = word(mca_part_ucx_send_epoch(send), state, pair);

    for (uint32_t i = first; i < first + count; ++i) {
        atomic_store(&send->resend->left[i], value);
    }
}

/* One thing less that the epoch waits for. The send may be gone afterwards. */
static void count_down(mca_part_ucx_send_t *send, uint32_t count)
{
    if (atomic_fetch_sub(&send->remaining, count) == count) {
        mca_part_ucx_channel_finish(&send->super);
    }
}

static bool is_acknowledged(mca_part_ucx_send_t *send)
{
    return mca_part_ucx_send_epoch(send) == atomic_load(&send->resend->acknowledged);
}

/* Of the pairs that are up, from one on, the one whose turn it is; `pairs` if there is none. */
static uint32_t live_pair(const mca_part_ucx_send_t *send, uint32_t from, uint32_t turn)
{
    uint32_t pairs = send->super.pairs;
    uint32_t live[PART_UCX_MAX_PATHS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < pairs; ++i) {
        uint32_t pair = (from + i) % pairs;

        if (mca_part_ucx_endpoint_is_up(send->endpoint[pair])) {
            live[count++] = pair;
        }
    }
    return 0 == count ? pairs : live[turn % count];
}

/* ---- posting what is due ---- */

/* How many segments from `first` on, of its unit, are due at this pair? */
static uint32_t due_from(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t unit = mca_part_ucx_map_unit_of(map, first);
    uint64_t due = word(mca_part_ucx_send_epoch(send), LEFT_DUE, pair);
    uint32_t run = 0;

    while (first + run < map->segments && unit == mca_part_ucx_map_unit_of(map, first + run)
           && due == atomic_load(&send->resend->left[first + run])) {
        ++run;
    }
    return run;
}

/* False: there is no room. */
static bool post_due(again_t *again)
{
    mca_part_ucx_send_t *send = again->send;

    while (again->at < send->super.map.segments) {
        uint32_t run = due_from(send, again->pair, again->at);

        if (0 != run && !mca_part_ucx_delivery_post(send, again->pair, again->at, run)) {
            return false;
        }
        again->at += 0 != run ? run : 1;
    }
    again->at = 0;
    return true;
}

static bool again_post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    again_t *again = PART_UCX_CONTAINER(work, again_t, work);
    int queued = AGAIN_QUEUED;

    (void) path;
    while (!mca_part_ucx_channel_is_over(&again->send->super)) {
        if (!post_due(again)) {
            return false;
        }
        if (atomic_compare_exchange_strong(&again->state, &queued, AGAIN_IDLE)) {
            count_down(again->send, 1);
            return true;
        }
        (void) atomic_exchange(&again->state, AGAIN_QUEUED);
        queued = AGAIN_QUEUED;
    }
    return true; /* it has failed, and leaves nothing undone that anybody waits for */
}

/* The work has something to do. The send may be gone afterwards. */
static void wake(again_t *again)
{
    if (AGAIN_IDLE == atomic_exchange(&again->state, AGAIN_MORE)) {
        atomic_fetch_add(&again->send->remaining, 1);
        atomic_store(&again->state, AGAIN_QUEUED);
        mca_part_ucx_path_push(again->send->endpoint[again->pair]->path, &again->work);
    }
}

/* A piece leaves the queue of the path that it was given to when it is posted there, or dealt to
 * another pair. That is so once in an epoch: what is due is in no such queue. */
static void unqueue(mca_part_ucx_send_t *send, uint32_t first)
{
    uint32_t last = (uint32_t) (atomic_load(&send->resend->left[first]) >> 32);

    if (NULL != send->resend_buffer && last != mca_part_ucx_send_epoch(send)) {
        mca_part_ucx_send_unload(send, first);
    }
}

uint64_t mca_part_ucx_failover_resend_posted(mca_part_ucx_send_t *send, uint32_t pair,
                                             uint32_t first, uint32_t count, uint64_t offset)
{
    unqueue(send, first);
    note(send, LEFT_POSTED, pair, first, count);
    return NULL == send->resend_buffer
               ? offset
               : (uint64_t) (uintptr_t) mca_part_ucx_failover_resend_buffer_copy(send, first);
}

void mca_part_ucx_failover_resend_defer(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first,
                                        uint32_t count)
{
    /* What would have left by one pair is dealt to all others, to each as much. */
    uint32_t turn = mca_part_ucx_map_unit_of(&send->super.map, first) / send->super.map.pairs;
    uint32_t other = live_pair(send, pair + 1, turn);

    if (other == send->super.pairs) {
        mca_part_ucx_channel_fail(&send->super, MPI_ERR_OTHER);
        return;
    }
    /* Once it is noted as due, another thread may post it, and the epoch end, before `wake`. */
    atomic_fetch_add(&send->remaining, 1);
    unqueue(send, first);
    note(send, LEFT_DUE, other, first, count);
    wake(&send->resend->again[other]);
    count_down(send, 1);
}

/* ---- the end of an operation, and of an epoch ---- */

void mca_part_ucx_failover_resend_over(mca_part_ucx_transfer_t *transfer, ucs_status_t status)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_in(transfer);
    mca_part_ucx_endpoint_t *endpoint = transfer->op.endpoint;
    uint32_t count = transfer->header.count;
    bool good;

    if (UCS_ERR_NO_MEMORY == status) { /* of this process: no other path has more */
        if (!is_acknowledged(send)) {
            mca_part_ucx_channel_fail(&send->super, MPI_ERR_NO_MEM);
        }
    } else if (UCS_OK != status) {
        mca_part_ucx_endpoint_op_failed(endpoint, status);
    }
    good = is_acknowledged(send) || (UCS_OK == status && mca_part_ucx_endpoint_is_up(endpoint));
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t segment = mca_part_ucx_send_segment(transfer, i);

        if (good) {
            note(send, LEFT_LEFT, transfer->pair, segment, 1);
        } else if (!mca_part_ucx_channel_is_over(&send->super)) {
            mca_part_ucx_failover_resend_defer(send, transfer->pair, segment, 1);
        }
    }
    if (good) {
        mca_part_ucx_send_done(transfer);
    } else {
        mca_part_ucx_path_return_op(&transfer->op);
    }
}

void mca_part_ucx_failover_resend_acknowledged(mca_part_ucx_channel_t *channel, uint32_t epoch)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_of(channel);
    uint32_t last, own;

    if (NULL == send->resend) {
        return;
    }
    /* In this order: where the exchange finds `last`, nothing has been acknowledged since, so `own`
     * still runs. Else a thread that stands still here, while an epoch is acknowledged by another
     * path and the next one, too, would count down a third one. */
    last = atomic_load(&send->resend->acknowledged);
    own = mca_part_ucx_send_epoch(send);
    /* Also one that has failed is counted down once per epoch only. */
    if (0 != own && !mca_part_ucx_epoch_is_after(own, epoch) && last != own
        && atomic_compare_exchange_strong(&send->resend->acknowledged, &last, own)) {
        count_down(send, 1);
    }
}

/* ---- an endpoint is lost ---- */

/* Keep the epoch from ending. False: it has ended, or has not begun. */
static bool keep_open(mca_part_ucx_send_t *send)
{
    uint32_t remaining = atomic_load(&send->remaining);

    while (0 != remaining) {
        if (atomic_compare_exchange_weak(&send->remaining, &remaining, remaining + 1)) {
            return true;
        }
    }
    return false;
}

/* What has left by a pair is counted as done, and now is not. */
static void send_again(mca_part_ucx_send_t *send, uint32_t pair)
{
    uint64_t lost = word(mca_part_ucx_send_epoch(send), LEFT_LEFT, pair);

    for (uint32_t i = 0; i < send->super.map.segments; ++i) {
        if (lost == atomic_load(&send->resend->left[i])) {
            atomic_fetch_add(&send->remaining, 1);
            mca_part_ucx_failover_resend_defer(send, pair, i, 1);
        }
    }
}

void mca_part_ucx_failover_resend_reroute(mca_part_ucx_channel_t *channel,
                                          mca_part_ucx_endpoint_t *endpoint)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_of(channel);

    if (live_pair(send, 0, 0) == channel->pairs) {
        mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER);
        return;
    }
    if (!keep_open(send)) {
        return;
    }
    for (uint32_t pair = 0; pair < channel->pairs && !is_acknowledged(send); ++pair) {
        if (endpoint == send->endpoint[pair]) {
            send_again(send, pair);
        }
    }
    count_down(send, 1);
}

/* ---- making ---- */

int mca_part_ucx_failover_resend_make(mca_part_ucx_send_t *send)
{
    uint32_t pairs = send->super.map.pairs;
    struct mca_part_ucx_failover_resend_t *resend;

    if (!send->super.fails_over || NULL != send->resend) {
        return OMPI_SUCCESS;
    }
    resend = send->resend = calloc(1, sizeof(*resend) + pairs * sizeof(resend->again[0]));
    if (NULL == resend) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (uint32_t i = 0; i < pairs; ++i) {
        resend->again[i].send = send;
        resend->again[i].pair = i;
        resend->again[i].work.post = again_post;
    }
    resend->left = calloc(send->super.map.segments, sizeof(*resend->left));
    if (NULL != send->super.piece) {
        send->resend_buffer = mca_part_ucx_failover_resend_buffer_make(&send->super.map);
    }
    if (NULL == resend->left || (NULL != send->super.piece && NULL == send->resend_buffer)) {
        mca_part_ucx_failover_resend_free(send);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

void mca_part_ucx_failover_resend_free(mca_part_ucx_send_t *send)
{
    if (NULL != send->resend) {
        free((void *) send->resend->left);
        free(send->resend);
        send->resend = NULL;
        mca_part_ucx_failover_resend_buffer_free(send->resend_buffer);
        send->resend_buffer = NULL;
    }
}
