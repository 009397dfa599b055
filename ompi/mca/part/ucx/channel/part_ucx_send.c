/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A send, and the end of its transfers (see part_ucx_send.h).
 */
#include "channel/part_ucx_send.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_ask.h"
#include "channel/part_ucx_bundle_read.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_process.h"

#include <stdlib.h>

mca_part_ucx_send_t *mca_part_ucx_send_new(void)
{
    mca_part_ucx_send_t *send = calloc(1, sizeof(*send));

    if (NULL != send) {
        send->super.side = &mca_part_ucx_send_side;
    }
    return send;
}

mca_part_ucx_send_t *mca_part_ucx_send_check(mca_part_ucx_channel_t *channel)
{
    return &mca_part_ucx_send_side == channel->side ? mca_part_ucx_send_of(channel) : NULL;
}

/* What is told of an epoch may come after what is told of the next one. */
void mca_part_ucx_send_started(mca_part_ucx_send_t *send, uint32_t epoch)
{
    if (mca_part_ucx_epoch_is_after(epoch, atomic_load(&send->ready_epoch))) {
        atomic_store(&send->ready_epoch, epoch);
    }
}

bool mca_part_ucx_send_is_settled(mca_part_ucx_channel_t *channel)
{
    return 0 != atomic_load(&mca_part_ucx_send_of(channel)->ready_epoch);
}

/* A link that fails over leaves out pairs that are lost. */
static bool is_usable(const mca_part_ucx_send_t *send, uint32_t pair)
{
    return NULL == send->resend || mca_part_ucx_endpoint_is_up(send->endpoint[pair]);
}

static uint32_t idlest(const mca_part_ucx_send_t *send, uint32_t turn)
{
    uint32_t pairs = send->super.map.pairs;
    uint32_t best;
    uint64_t least = UINT64_MAX;

    turn += send->first + mca_part_ucx_send_epoch(send);
    best = turn % pairs;
    for (uint32_t i = 0; i < pairs && 0 != least; ++i) {
        uint32_t pair = (turn + i) % pairs;
        uint64_t queued = atomic_load_explicit(&send->endpoint[pair]->path->queued,
                                               memory_order_relaxed);

        if (queued < least && is_usable(send, pair)) {
            least = queued;
            best = pair;
        }
    }
    return best;
}

uint32_t mca_part_ucx_send_choose(const mca_part_ucx_send_t *send, uint32_t piece, uint32_t turn)
{
    return mca_part_ucx_send_is_dealt(send) && is_usable(send, send->unit[piece].pair)
               ? send->unit[piece].pair
               : idlest(send, turn);
}

void mca_part_ucx_send_load(mca_part_ucx_send_t *send, uint32_t piece, uint32_t pair)
{
    send->unit[piece].pair = pair;
    atomic_fetch_add_explicit(&send->endpoint[pair]->path->queued, send->super.piece[piece].bytes,
                              memory_order_relaxed);
}

void mca_part_ucx_send_unload(mca_part_ucx_send_t *send, uint32_t piece)
{
    atomic_fetch_sub_explicit(&send->endpoint[send->unit[piece].pair]->path->queued,
                              send->super.piece[piece].bytes, memory_order_relaxed);
}

uint32_t mca_part_ucx_send_segment(const mca_part_ucx_transfer_t *transfer, uint32_t n)
{
    bool bundle = NULL != mca_part_ucx_send_in(transfer)->super.piece
                  && 1 != transfer->header.count;

    return bundle ? mca_part_ucx_bundle_entry(transfer->op.staging, n).piece
                  : transfer->header.segment + n;
}

/* The owner of a link is told when UCX needs a source no longer; one that fails over has told
 * already (part_ucx_failover_resend_buffer.h), and has left the queue of its path then. */
static bool is_to_tell(const mca_part_ucx_send_t *send)
{
    return NULL != send->super.piece && NULL == send->resend_buffer;
}

void mca_part_ucx_send_done(mca_part_ucx_transfer_t *transfer)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_in(transfer);
    uint32_t count = transfer->header.count;

    for (uint32_t i = 0; is_to_tell(send) && i < count; ++i) {
        uint32_t piece = mca_part_ucx_send_segment(transfer, i);

        mca_part_ucx_send_unload(send, piece);
        send->super.observer->moved(send->super.context, piece); /* cheap */
    }
    mca_part_ucx_path_return_op(&transfer->op);
    if (atomic_fetch_sub(&send->remaining, count) == count) {
        mca_part_ucx_channel_finish(&send->super);
    }
}

void mca_part_ucx_send_failed(mca_part_ucx_transfer_t *transfer, ucs_status_t status)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_in(transfer);

    PART_UCX_VERBOSE(1, "path %d: sending to %s failed: %s", transfer->op.path->index,
                     mca_part_ucx_peer_host(send->super.peer), ucs_status_string(status));
    for (uint32_t i = 0; is_to_tell(send) && i < transfer->header.count; ++i) {
        mca_part_ucx_send_unload(send, mca_part_ucx_send_segment(transfer, i));
    }
    mca_part_ucx_path_return_op(&transfer->op);
    mca_part_ucx_channel_fail(&send->super, MPI_ERR_OTHER);
}

static bool is_prepared(mca_part_ucx_send_t *send, uint32_t epoch)
{
    bool ahead = 0 != send->credit && NULL != send->super.piece;
    atomic_uint *known = ahead ? &send->opened : &send->ready_epoch;

    /* The receiver may be in the next epoch already. */
    return !mca_part_ucx_epoch_is_after(epoch, atomic_load_explicit(known, memory_order_acquire));
}

int mca_part_ucx_send_prepare(mca_part_ucx_send_t *send)
{
    uint32_t epoch = mca_part_ucx_send_epoch(send), last;

    while (!is_prepared(send, epoch) && MPI_SUCCESS == atomic_load(&send->super.error)) {
        /* An epoch that is over here does not fail any more when the receiver goes. */
        if (!atomic_load(&send->super.running)
            && mca_part_ucx_channel_peer_ended(&send->super, &last)) {
            return mca_part_ucx_epoch_is_after(epoch, last) ? MPI_ERR_OTHER : MPI_SUCCESS;
        }
        /* Until the first READY another receive may take this one's place; it comes unasked. */
        if (0 != send->credit && NULL == send->super.piece
            && 0 != atomic_load(&send->ready_epoch)) {
            mca_part_ucx_ask(send);
        }
        mca_part_ucx_process_progress();
    }
    return mca_part_ucx_channel_error(&send->super);
}
