/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender's part of set-up (see part_ucx_announce.h).
 */
#include "wireup/part_ucx_announce.h"

#include "channel/part_ucx_datatype.h"
#include "channel/part_ucx_end_message.h"
#include "channel/part_ucx_gate.h"
#include "channel/part_ucx_send_side.h"
#include "path/part_ucx_own_card.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_accept.h"
#include "wireup/part_ucx_listener.h"
#include "wireup/part_ucx_mismatch.h"
#include "wireup/part_ucx_outstanding.h"
#include "wireup/part_ucx_presence.h"
#include "wireup/part_ucx_wire.h"

#include <stdlib.h>
#include <string.h>

/* ---- announcing ---- */

static int announce(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_wire_announce_t *message = malloc(PART_UCX_WIRE_MAX);
    size_t length = sizeof(*message);

    if (NULL == message) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memset(message, 0, sizeof(*message));
    message->header = mca_part_ucx_wire_header(PART_UCX_WIRE_ANNOUNCE, channel->key);
    message->tag = channel->tag;
    message->partitions = channel->partitions;
    message->total = channel->total;
    message->fingerprint = channel->fingerprint;
    message->space = channel->space;
    message->send_nonce = channel->nonce;
    if (mca_part_ucx_peer_is_to_know(channel->peer)) {
        message->card_bytes = mca_part_ucx_own_card_write(channel->peer, message + 1,
                                                          PART_UCX_WIRE_MAX - sizeof(*message));
        if (0 == message->card_bytes) {
            free(message);
            return OMPI_ERROR;
        }
        length += message->card_bytes;
    }
    return mca_part_ucx_wire_send_built(channel, message, length);
}

/* It was refused, and is started: both ends are. */
static void mismatch(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_wire_send(channel, PART_UCX_WIRE_GAVE_UP);
    mca_part_ucx_mismatch_fail(channel);
}

/* It goes before it was ever started: the receiver answers, behind an ACCEPT that may be on its
 * way; unless it cannot. */
static void withdraw(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_wire_send(channel, PART_UCX_WIRE_WITHDRAW);
    if (mca_part_ucx_process.closing || mca_part_ucx_channel_is_revoked(channel)
        || mca_part_ucx_presence_has_died(channel->peer)) {
        mca_part_ucx_listener_put(channel->listener);
    } else {
        mca_part_ucx_outstanding_expect_answer(channel->listener, channel->key);
    }
}

static void detach(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_state_t state = mca_part_ucx_channel_state(channel);
    /* Over a revoked communicator WITHDRAW would be lost. */
    bool revoked = PART_UCX_MATCHED == state && mca_part_ucx_channel_is_revoked(channel);

    if (!revoked
        && (mca_part_ucx_state_is_unmatched(state) || mca_part_ucx_send_of(channel)->refused
            || ((PART_UCX_MATCHED == state || PART_UCX_FAILED == state)
                && mca_part_ucx_channel_is_unused(channel)))) {
        withdraw(channel);
    } else {
        mca_part_ucx_end_freed(channel);
        mca_part_ucx_listener_put(channel->listener);
    }
}

static const mca_part_ucx_wireup_t wireup = {.mismatch = mismatch, .detach = detach};

int mca_part_ucx_announce(mca_part_ucx_send_t *send)
{
    send->super.wireup = &wireup;
    return announce(&send->super);
}

/* ---- the answer ---- */

/* The send that an answer is for: it waits for its first receive, or for another one. A receive
 * that has met a send which had failed is told. */
static mca_part_ucx_send_t *asking_send(const ompi_communicator_t *comm, int source, uint64_t key)
{
    mca_part_ucx_channel_t *channel = mca_part_ucx_table_find(&mca_part_ucx_channels, key);
    mca_part_ucx_send_t *send = NULL == channel ? NULL : mca_part_ucx_send_check(channel);

    if (NULL == send || channel->comm != comm || channel->peer_rank != source) {
        return NULL;
    }
    if (mca_part_ucx_channel_is_over(channel)) {
        mca_part_ucx_wire_send(channel, PART_UCX_WIRE_GAVE_UP);
        return NULL;
    }
    return mca_part_ucx_send_is_settled(channel) ? NULL : send;
}

void mca_part_ucx_announce_refused(ompi_communicator_t *comm, int source, const void *message,
                                   size_t length)
{
    mca_part_ucx_wire_refuse_t refuse;
    bool good = mca_part_ucx_read_refuse(message, length, &refuse);
    mca_part_ucx_send_t *send = good ? asking_send(comm, source, refuse.header.send_key) : NULL;

    if (!good) {
        mca_part_ucx_help("setup-lost", source);
    }
    if (NULL == send) {
        return;
    }
    if (PART_UCX_REFUSE_SIZE == refuse.reason) {
        send->super.peer->knows_us = true; /* else it may have had no memory for that */
        mca_part_ucx_mismatch_found(&send->super, refuse.total, refuse.partitions);
    } else {
        send->refused = true;
        mca_part_ucx_channel_fail(&send->super, MPI_ERR_OTHER);
    }
}

/* The receive that this send had met was freed unstarted, and another one has taken its place: give
 * back what belongs to the first. */
static void forget_first(mca_part_ucx_channel_t *channel)
{
    channel->side->unregister(channel);
    mca_part_ucx_datatype_release(channel->convertor, channel->pairs);
    channel->convertor = NULL;
}

/* Its end, or the communicator's, may have overtaken ACCEPT. Then nothing must leave: the receiver
 * may have its buffer back. */
static void heed_end(mca_part_ucx_channel_t *channel, uint64_t receiver)
{
    mca_part_ucx_channel_heed_end(channel, receiver);
    if (mca_part_ucx_channel_is_revoked(channel)) {
        mca_part_ucx_channel_fail(channel, PART_UCX_ERR_REVOKED);
    }
}

static void begin(mca_part_ucx_send_t *send, const mca_part_ucx_wire_accept_t *accept)
{
    mca_part_ucx_channel_t *channel = &send->super;

    mca_part_ucx_channel_matched(channel);
    heed_end(channel, accept->recv_key);
    mca_part_ucx_channel_meet(channel, accept->recv_key, accept->recv_nonce);
    heed_end(channel, accept->recv_key); /* it may have come meanwhile */
    mca_part_ucx_gate_heed_ready(send);
}

/* Build what the receive needs. */
static int take(mca_part_ucx_send_t *send, const mca_part_ucx_read_accept_t *read)
{
    bool again = NULL != send->unit, before = send->super.fails_over;
    int rc;

    if (again && !mca_part_ucx_accept_fits_again(send, &read->accept)) {
        return OMPI_ERR_BAD_PARAM;
    }
    if (again) {
        forget_first(&send->super);
    }
    rc = mca_part_ucx_accept_take(send, read);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (again && before != send->super.fails_over) {
        return OMPI_ERR_BAD_PARAM; /* what its epoch waits for has been counted */
    }
    return again ? mca_part_ucx_send_side_adapt(send) : mca_part_ucx_send_side_build(send);
}

/* A receive has met what a send has left behind that failed and was freed: it would wait for ever.
 * One that was withdrawn is told otherwise. */
static void tell_of_lost_send(ompi_communicator_t *comm, int source, uint64_t send_key)
{
    if (NULL == mca_part_ucx_table_find(&mca_part_ucx_channels, send_key)
        && !mca_part_ucx_outstanding_answer_expected(comm, send_key)) {
        mca_part_ucx_wire_tell(comm, source, PART_UCX_WIRE_GAVE_UP, send_key);
    }
}

void mca_part_ucx_announce_accepted(ompi_communicator_t *comm, int source, const void *message,
                                    size_t length)
{
    mca_part_ucx_wire_header_t header;
    mca_part_ucx_read_accept_t read;
    mca_part_ucx_send_t *send;
    mca_part_ucx_channel_t *channel;
    bool good;

    if (!mca_part_ucx_read_header(message, length, &header)) {
        return;
    }
    send = asking_send(comm, source, header.send_key);
    if (NULL == send) {
        tell_of_lost_send(comm, source, header.send_key);
        return;
    }
    channel = &send->super;
    good = mca_part_ucx_read_accept(message, length, &read);
    if (good && read.accept.recv_key == atomic_load(&channel->peer_key)) {
        return; /* it has come before */
    }
    if (good) {
        channel->peer->knows_us = true;
    }
    if (good && OMPI_SUCCESS == take(send, &read)) {
        begin(send, &read.accept);
    } else {
        mca_part_ucx_mismatch_tell_failed(channel);
        mca_part_ucx_wire_send(channel, PART_UCX_WIRE_GAVE_UP);
        mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER);
    }
}
