/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up of channels: who takes which message (see part_ucx_wireup.h).
 */
#include "wireup/part_ucx_wireup.h"

#include "base/part_ucx_host.h"
#include "path/part_ucx_guests.h"
#include "path/part_ucx_network.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_announce.h"
#include "wireup/part_ucx_listener.h"
#include "wireup/part_ucx_meet.h"
#include "wireup/part_ucx_outstanding.h"
#include "wireup/part_ucx_read.h"

static void withdrawn(ompi_communicator_t *comm, int source, uint64_t send_key)
{
    mca_part_ucx_meet_withdrawn(comm, source, send_key);
    mca_part_ucx_wire_tell(comm, source, PART_UCX_WIRE_WITHDRAWN, send_key);
}

static void deliver(ompi_communicator_t *comm, int source, const void *message, size_t length)
{
    mca_part_ucx_wire_header_t header;

    /* Once MPI is ending here, an answer might find its process gone. */
    if (mca_part_ucx_process.closing || !mca_part_ucx_read_header(message, length, &header)) {
        return;
    }
    if (PART_UCX_WIRE_MAGIC != header.magic || PART_UCX_WIRE_VERSION != header.version) {
        mca_part_ucx_help("wire-version", source,
                          mca_part_ucx_peer_host(
                              mca_part_ucx_peer_get(ompi_comm_peer_lookup(comm, source))),
                          (unsigned) header.version, PART_UCX_WIRE_VERSION);
        return;
    }
    switch (header.kind) {
    case PART_UCX_WIRE_ANNOUNCE:
        mca_part_ucx_meet_announced(comm, source, message, length);
        break;
    case PART_UCX_WIRE_WITHDRAW:
        if (mca_part_ucx_read_short(message, length, &header)) {
            withdrawn(comm, source, header.send_key);
        }
        break;
    case PART_UCX_WIRE_WITHDRAWN:
        if (mca_part_ucx_read_short(message, length, &header)) {
            mca_part_ucx_outstanding_answer_came(comm, header.send_key);
        }
        break;
    case PART_UCX_WIRE_GAVE_UP:
        if (mca_part_ucx_read_short(message, length, &header)) {
            mca_part_ucx_meet_gave_up(comm, source, header.send_key);
        }
        break;
    case PART_UCX_WIRE_ACCEPT:
        mca_part_ucx_announce_accepted(comm, source, message, length);
        break;
    case PART_UCX_WIRE_REFUSE:
        mca_part_ucx_announce_refused(comm, source, message, length);
        break;
    default:
        break;
    }
}

int mca_part_ucx_wireup_progress(void)
{
    return mca_part_ucx_listeners_progress(deliver);
}

/* Can no container have been put between the processes of this job on this host? Found out once. */
static bool are_together(void)
{
    static enum { UNKNOWN, TOGETHER, APART } found;

    if (UNKNOWN == found) {
        found = mca_part_ucx_host_is_parents() ? TOGETHER : APART;
    }
    return TOGETHER == found;
}

/* Open MPI's guess is believed only of the own job, whose processes of a host were started in one
 * place. */
bool mca_part_ucx_wireup_is_surely_here(const mca_part_ucx_peer_t *peer)
{
    if (!peer->local || 0 != peer->remotes) {
        return peer->local;
    }
    return peer->name.jobid == OPAL_PROC_MY_NAME.jobid && are_together();
}

/* The peer may be on another host: connections to it take descriptors. */
static int open_network(mca_part_ucx_channel_t *channel)
{
    if (!mca_part_ucx_network_promise(channel->peer)) {
        mca_part_ucx_help("descriptors", channel->peer_rank, mca_part_ucx_paths.network);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return mca_part_ucx_network_open();
}

/* What all channels with a peer have in common. */
static int attach(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_guests_close(); /* those of before may be gone */
    channel->peer = mca_part_ucx_peer_get(ompi_comm_peer_lookup(channel->comm,
                                                                channel->peer_rank));
    if (NULL != channel->peer) {
        mca_part_ucx_guests_use(channel->peer);
    }
    channel->listener = mca_part_ucx_listener_get(channel->comm);
    if (NULL == channel->peer || NULL == channel->listener
        || !mca_part_ucx_channel_enter(channel)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (channel->peer->guest) {
        mca_part_ucx_guests_open();
    }
    return mca_part_ucx_wireup_is_surely_here(channel->peer) ? OMPI_SUCCESS
                                                             : open_network(channel);
}

static void undo(mca_part_ucx_channel_t *channel)
{
    if (0 != channel->key) {
        mca_part_ucx_table_remove(&mca_part_ucx_channels, channel->key);
    }
    if (NULL != channel->peer) {
        mca_part_ucx_guests_leave(channel->peer);
    }
    if (NULL != channel->listener) {
        mca_part_ucx_listener_put(channel->listener);
    }
    atomic_fetch_sub(&mca_part_ucx_process.unmatched, 1);
}

int mca_part_ucx_wireup_begin(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_check(channel);
    int rc;

    mca_part_ucx_process_progress(); /* lets the PML see what peers have sent before this call */
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    if (mca_part_ucx_process.closing) {
        pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
        return PART_UCX_WIREUP_CLOSING;
    }
    atomic_fetch_add(&mca_part_ucx_process.unmatched, 1);
    rc = attach(channel);
    if (OMPI_SUCCESS == rc && NULL != send) {
        rc = mca_part_ucx_announce(send);
    } else if (OMPI_SUCCESS == rc) {
        /* What has arrived comes first: a send that was announced and withdrawn before this call
         * must not be met. */
        while (mca_part_ucx_wireup_progress() > 0) {
            continue;
        }
        rc = mca_part_ucx_meet(mca_part_ucx_recv_of(channel));
    }
    if (OMPI_SUCCESS != rc) {
        undo(channel);
    }
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    return rc;
}
