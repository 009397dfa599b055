/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up of channels: announcing, matching, withdrawing (see part_ucx_setup.h).
 */
#include "wireup/part_ucx_setup.h"

#include "base/part_ucx_help.h"
#include "channel/part_ucx_leave.h"
#include "wireup/part_ucx_listener.h"

#include <stdlib.h>
#include <string.h>

/* A send that was announced before its receive was initialised. */
typedef struct announcement_t {
    mca_part_ucx_match_entry_t entry;
    mca_part_ucx_peer_t *peer;
    mca_part_ucx_listener_t *listener; /* used, so that the communicator stays and the withdrawal
                                        * of this announcement is heard */
    mca_part_ucx_wire_announce_t announce;
} announcement_t;

/* Names an announcement by its sender's key. */
typedef struct announced_by_t {
    const mca_part_ucx_peer_t *peer;
    uint64_t key;
} announced_by_t;

static mca_part_ucx_wire_header_t header_of(mca_part_ucx_wire_kind_t kind, uint64_t send_key)
{
    return (mca_part_ucx_wire_header_t) {.magic = PART_UCX_WIRE_MAGIC,
                                         .version = PART_UCX_WIRE_VERSION,
                                         .kind = (uint16_t) kind,
                                         .send_key = send_key};
}

/* ---- sender ---- */

static int announce(mca_part_ucx_request_t *request)
{
    mca_part_ucx_wire_announce_t *message = malloc(PART_UCX_WIRE_MAX);
    size_t length = sizeof(*message);

    if (NULL == message) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memset(message, 0, sizeof(*message));
    message->header = header_of(PART_UCX_WIRE_ANNOUNCE, request->key);
    message->tag = request->tag;
    message->partitions = request->cut;
    message->total = request->total;
    message->fingerprint = request->fingerprint;
    if (!request->peer->knows_us) {
        message->blob_bytes = mca_part_ucx_peer_pack(message + 1,
                                                     PART_UCX_WIRE_MAX - sizeof(*message));
        if (0 == message->blob_bytes) {
            mca_part_ucx_help("addresses-too-long", mca_part_ucx.path_count);
            free(message);
            return OMPI_ERROR;
        }
        length += message->blob_bytes;
    }
    return mca_part_ucx_listener_send(request->comm, request->peer_rank, message, length);
}

static void tell(mca_part_ucx_request_t *request, mca_part_ucx_wire_kind_t kind)
{
    mca_part_ucx_wire_header_t message = header_of(kind, request->key);

    mca_part_ucx_listener_tell(request->comm, request->peer_rank, &message, sizeof(message));
}

void mca_part_ucx_setup_send_failed(mca_part_ucx_send_t *send)
{
    tell(&send->super, PART_UCX_WIRE_MISMATCH);
    mca_part_ucx_request_fail(&send->super, MPI_ERR_OTHER);
}

void mca_part_ucx_setup_mismatch(mca_part_ucx_request_t *request)
{
    mca_part_ucx_help("size-mismatch", request->peer_rank, request->tag,
                      (unsigned long long) request->total, request->partitions,
                      (unsigned long long) request->other_total, request->other_partitions);
    if (mca_part_ucx_request_is_send(request)) {
        tell(request, PART_UCX_WIRE_MISMATCH);
    }
    mca_part_ucx_request_fail(request, MPI_ERR_TRUNCATE);
}

static void refused(mca_part_ucx_send_t *send, const void *message, size_t length)
{
    mca_part_ucx_wire_refuse_t refuse;

    if (length < sizeof(refuse)) {
        return;
    }
    memcpy(&refuse, message, sizeof(refuse));
    send->super.peer->knows_us = true;
    if (PART_UCX_REFUSE_SIZE == refuse.reason) {
        send->super.mismatched = true;
        send->super.other_total = refuse.total;
        send->super.other_partitions = refuse.partitions;
        if (atomic_load(&send->super.running)) {
            mca_part_ucx_setup_mismatch(&send->super);
        }
    } else {
        mca_part_ucx_request_fail(&send->super, MPI_ERR_OTHER);
    }
}

/* ---- receiver ---- */

static announcement_t *announcement_new(ompi_communicator_t *comm, int source)
{
    announcement_t *announcement = calloc(1, sizeof(*announcement));

    if (NULL != announcement) {
        announcement->listener = mca_part_ucx_listener_get(comm);
    }
    if (NULL == announcement || NULL == announcement->listener) {
        if (!mca_part_ucx.closing) {
            mca_part_ucx_help("setup-lost", source);
        }
        free(announcement);
        return NULL;
    }
    return announcement;
}

static void announcement_free(announcement_t *announcement)
{
    mca_part_ucx_listener_put(announcement->listener);
    free(announcement);
}

static bool has_failed(mca_part_ucx_request_t *request)
{
    return PART_UCX_LINK_FAILED == mca_part_ucx_request_link(request);
}

/* A receive and an announcement have met; it is used up. */
static void meet(mca_part_ucx_recv_t *recv, announcement_t *announcement)
{
    recv->announce_order = announcement->entry.order; /* in case it must be given back */
    mca_part_ucx_setup_meet(recv, announcement->peer, &announcement->announce);
    announcement_free(announcement);
}

static mca_part_ucx_recv_t *recv_of(const announced_by_t *wanted)
{
    uint32_t slots = mca_part_ucx_table_slots(&mca_part_ucx.table);

    for (uint32_t i = 0; i < slots; ++i) {
        mca_part_ucx_request_t *request = mca_part_ucx_table_at(&mca_part_ucx.table, i);

        if (NULL != request && !mca_part_ucx_request_is_send(request)
            && request->peer == wanted->peer && atomic_load(&request->peer_key) == wanted->key) {
            return (mca_part_ucx_recv_t *) request;
        }
    }
    return NULL;
}

/* The send that a receive has met ends without having written anything: a receive that leaves need
 * not wait to hear so from it (part_ucx_leave.c). */
static void never_wrote(mca_part_ucx_recv_t *recv)
{
    recv->written = false;
}

/* The send that a receive had met was freed before it was ever started: look for another one. */
static void recv_waits_again(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_match_entry_t *met;
    int ready = PART_UCX_LINK_READY;

    if (NULL != recv->super.piece) {
        never_wrote(recv);
        mca_part_ucx_request_fail(&recv->super, MPI_ERR_OTHER); /* its collective is gone there */
        return;
    }
    if (has_failed(&recv->super)) {
        never_wrote(recv);
        return; /* it would meet the next send, and never start */
    }
    if (recv->super.mismatched) {
        recv->super.mismatched = false;
    } else if (atomic_compare_exchange_strong(&recv->super.link, &ready, PART_UCX_LINK_OPEN)) {
        atomic_fetch_add(&mca_part_ucx.unmatched, 1);
        mca_part_ucx_recv_unbuild(recv);
    } else {
        return;
    }
    atomic_store(&recv->super.peer_key, 0);
    met = mca_part_ucx_match_receive_again(&mca_part_ucx.match, &recv->entry);
    if (NULL != met) {
        meet(recv, PART_UCX_CONTAINER(met, announcement_t, entry));
    }
}

/* A receive is freed before it was ever started: its send waits for another one. */
static void send_waits_again(mca_part_ucx_recv_t *recv)
{
    announcement_t *announcement = announcement_new(recv->super.comm, recv->super.peer_rank);
    mca_part_ucx_match_entry_t *met;

    if (NULL == announcement) {
        return;
    }
    announcement->peer = recv->super.peer;
    announcement->announce = recv->announce;
    announcement->entry.key = recv->entry.key;
    announcement->entry.order = recv->announce_order;
    met = mca_part_ucx_match_announce_again(&mca_part_ucx.match, &announcement->entry);
    if (NULL != met) {
        meet(PART_UCX_CONTAINER(met, mca_part_ucx_recv_t, entry), announcement);
    }
}

static void announced(ompi_communicator_t *comm, int source, const void *message, size_t length)
{
    announcement_t *announcement;
    mca_part_ucx_match_entry_t *met;

    if (length < sizeof(mca_part_ucx_wire_announce_t)) {
        return;
    }
    announcement = announcement_new(comm, source);
    if (NULL == announcement) {
        return;
    }
    memcpy(&announcement->announce, message, sizeof(announcement->announce));
    announcement->peer = mca_part_ucx_peer_get(ompi_comm_peer_lookup(comm, source));
    announcement->entry.key = (mca_part_ucx_match_key_t) {
        .comm = comm, .source = source, .tag = announcement->announce.tag};
    if (NULL == announcement->peer
        || announcement->announce.blob_bytes > length - sizeof(announcement->announce)
        || OMPI_SUCCESS
               != mca_part_ucx_peer_unpack(announcement->peer,
                                           (const char *) message + sizeof(announcement->announce),
                                           announcement->announce.blob_bytes)) {
        mca_part_ucx_help("setup-lost", source);
        announcement_free(announcement);
        return;
    }
    met = mca_part_ucx_match_announce(&mca_part_ucx.match, &announcement->entry);
    if (NULL != met) {
        meet(PART_UCX_CONTAINER(met, mca_part_ucx_recv_t, entry), announcement);
    }
}

static bool is_announced_by(mca_part_ucx_match_entry_t *entry, const void *context)
{
    const announcement_t *announcement = PART_UCX_CONTAINER(entry, announcement_t, entry);
    const announced_by_t *wanted = context;

    return announcement->peer == wanted->peer
           && announcement->announce.header.send_key == wanted->key;
}

/* Forget an announcement that no receive has met. False: one has, or none was made. */
static bool forget_announced_by(const announced_by_t *wanted)
{
    mca_part_ucx_match_entry_t *entry
        = mca_part_ucx_match_find_announce(&mca_part_ucx.match, is_announced_by, wanted);

    if (NULL == entry) {
        return false;
    }
    (void) mca_part_ucx_match_withdraw_announce(&mca_part_ucx.match, entry);
    announcement_free(PART_UCX_CONTAINER(entry, announcement_t, entry));
    return true;
}

static void withdrawn(ompi_communicator_t *comm, int source, uint64_t send_key)
{
    announced_by_t wanted = {.peer = mca_part_ucx_peer_get(ompi_comm_peer_lookup(comm, source)),
                             .key = send_key};
    mca_part_ucx_recv_t *recv = forget_announced_by(&wanted) ? NULL : recv_of(&wanted);

    if (NULL != recv) {
        recv_waits_again(recv);
    }
}

/* The send of another size that a receive has met was started; or the send could not be set up, and
 * the receive that it had met may have been freed meanwhile. */
static void mismatch_confirmed(ompi_communicator_t *comm, int source, uint64_t send_key)
{
    announced_by_t wanted = {.peer = mca_part_ucx_peer_get(ompi_comm_peer_lookup(comm, source)),
                             .key = send_key};
    mca_part_ucx_recv_t *recv = forget_announced_by(&wanted) ? NULL : recv_of(&wanted);

    if (NULL == recv) {
        return;
    }
    never_wrote(recv);
    if (has_failed(&recv->super)) {
        return;
    }
    if (recv->super.mismatched) {
        mca_part_ucx_setup_mismatch(&recv->super);
    } else {
        mca_part_ucx_request_fail(&recv->super, MPI_ERR_OTHER);
    }
}

/* ---- both ---- */

/* The send that an answer is for: it waits for its first receive, or for another one. A receive
 * that has met a send which had failed is told. */
static mca_part_ucx_send_t *asking_send(uint64_t key)
{
    mca_part_ucx_request_t *request = mca_part_ucx_table_find(&mca_part_ucx.table, key);

    if (NULL == request || !mca_part_ucx_request_is_send(request)) {
        return NULL;
    }
    if (has_failed(request)) {
        tell(request, PART_UCX_WIRE_MISMATCH);
        return NULL;
    }
    if (0 != atomic_load(&((mca_part_ucx_send_t *) request)->ready_epoch)) {
        return NULL;
    }
    return (mca_part_ucx_send_t *) request;
}

static void deliver(ompi_communicator_t *comm, int source, const void *message, size_t length)
{
    mca_part_ucx_wire_header_t header;
    mca_part_ucx_send_t *send;

    if (length < sizeof(header)) {
        return;
    }
    memcpy(&header, message, sizeof(header));
    if (PART_UCX_WIRE_MAGIC != header.magic || PART_UCX_WIRE_VERSION != header.version) {
        mca_part_ucx_help("wire-version", source,
                          mca_part_ucx_peer_host(ompi_comm_peer_lookup(comm, source)),
                          (unsigned) header.version, PART_UCX_WIRE_VERSION);
        return;
    }
    switch (header.kind) {
    case PART_UCX_WIRE_ANNOUNCE:
        announced(comm, source, message, length);
        break;
    case PART_UCX_WIRE_WITHDRAW:
        withdrawn(comm, source, header.send_key);
        break;
    case PART_UCX_WIRE_MISMATCH:
        mismatch_confirmed(comm, source, header.send_key);
        break;
    case PART_UCX_WIRE_ACCEPT:
        send = asking_send(header.send_key);
        if (NULL != send) {
            mca_part_ucx_setup_accepted(send, message, length);
        }
        break;
    case PART_UCX_WIRE_REFUSE:
        send = asking_send(header.send_key);
        if (NULL != send) {
            refused(send, message, length);
        }
        break;
    default:
        break;
    }
}

int mca_part_ucx_setup_progress(void)
{
    return mca_part_ucx_listeners_progress(deliver);
}

static void attach_recv(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_match_entry_t *met;

    /* What has arrived comes first: a send that was announced and withdrawn before this call must
     * not be met. */
    while (mca_part_ucx_setup_progress() > 0) {
        continue;
    }
    recv->entry.key = (mca_part_ucx_match_key_t) {.comm = recv->super.comm,
                                                  .source = recv->super.peer_rank,
                                                  .tag = recv->super.tag};
    met = mca_part_ucx_match_receive(&mca_part_ucx.match, &recv->entry);
    if (NULL != met) {
        meet(recv, PART_UCX_CONTAINER(met, announcement_t, entry));
    }
}

int mca_part_ucx_setup_attach(mca_part_ucx_request_t *request)
{
    int rc = OMPI_SUCCESS;

    atomic_fetch_add(&mca_part_ucx.unmatched, 1);
    request->peer = mca_part_ucx_peer_get(ompi_comm_peer_lookup(request->comm,
                                                                request->peer_rank));
    request->listener = mca_part_ucx_listener_get(request->comm);
    if (NULL == request->peer || NULL == request->listener) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    } else if (mca_part_ucx_request_is_send(request)) {
        rc = announce(request);
    } else {
        attach_recv((mca_part_ucx_recv_t *) request);
    }
    if (OMPI_SUCCESS != rc) {
        atomic_fetch_sub(&mca_part_ucx.unmatched, 1);
        if (NULL != request->listener) {
            mca_part_ucx_listener_put(request->listener);
        }
    }
    return rc;
}

static void withdraw(mca_part_ucx_recv_t *recv)
{
    (void) mca_part_ucx_match_withdraw_receive(&mca_part_ucx.match, &recv->entry);
}

/* Does the other end not know yet that this one ends, and wait for it perhaps? */
static bool is_awaited(mca_part_ucx_request_t *request)
{
    return (!request->left && UINT32_MAX == atomic_load(&request->peer_epoch))
           || mca_part_ucx_leave_is_awaited(request);
}

void mca_part_ucx_setup_detach(mca_part_ucx_request_t *request)
{
    /* Links are never matched again: whoever frees one unstarted ends the collective. */
    bool unstarted = 0 == atomic_load(&request->epoch) && NULL == request->piece;
    bool is_send = mca_part_ucx_request_is_send(request);
    int link = mca_part_ucx_request_link(request);

    if (!is_send && 0 == atomic_load(&request->peer_key)) {
        withdraw((mca_part_ucx_recv_t *) request); /* it waits to be met, even if it has failed */
    } else if (PART_UCX_LINK_READY == link && mca_part_ucx_leave_is_due(request)) {
        /* Before it has been looked after. Over a revoked communicator WITHDRAW would be lost. */
        mca_part_ucx_close_send(request, PART_UCX_AM_LEAVE, false);
    } else if (is_send
               && (PART_UCX_LINK_OPEN == link || (PART_UCX_LINK_READY == link && unstarted))) {
        tell(request, PART_UCX_WIRE_WITHDRAW);
    } else if (PART_UCX_LINK_OPEN == link && request->mismatched) {
        send_waits_again((mca_part_ucx_recv_t *) request);
    } else if (PART_UCX_LINK_READY == link && unstarted) {
        send_waits_again((mca_part_ucx_recv_t *) request);
    } else if (0 != atomic_load(&request->peer_key) && is_awaited(request)) {
        mca_part_ucx_close_send(request, PART_UCX_AM_CLOSE, false);
    }
    if (PART_UCX_LINK_OPEN == link) {
        atomic_fetch_sub(&mca_part_ucx.unmatched, 1);
    }
    mca_part_ucx_listener_put(request->listener);
}

static bool any_announcement(mca_part_ucx_match_entry_t *entry, const void *context)
{
    (void) entry, (void) context;
    return true;
}

void mca_part_ucx_setup_forget(void)
{
    mca_part_ucx_match_entry_t *entry;

    while (NULL != (entry = mca_part_ucx_match_find_announce(&mca_part_ucx.match,
                                                             any_announcement, NULL))) {
        (void) mca_part_ucx_match_withdraw_announce(&mca_part_ucx.match, entry);
        announcement_free(PART_UCX_CONTAINER(entry, announcement_t, entry));
    }
}
