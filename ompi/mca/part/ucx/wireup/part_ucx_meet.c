/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiver's part of set-up (see part_ucx_meet.h).
 */
#include "wireup/part_ucx_meet.h"

#include "channel/part_ucx_end_message.h"
#include "channel/part_ucx_recv_side.h"
#include "path/part_ucx_guests.h"
#include "path/part_ucx_network.h"
#include "path/part_ucx_pairing.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_accept.h"
#include "wireup/part_ucx_announcement.h"
#include "wireup/part_ucx_both_ends.h"
#include "wireup/part_ucx_decide.h"
#include "wireup/part_ucx_listener.h"
#include "wireup/part_ucx_match.h"
#include "wireup/part_ucx_mismatch.h"
#include "wireup/part_ucx_outstanding.h"
#include "wireup/part_ucx_presence.h"
#include "wireup/part_ucx_read.h"
#include "wireup/part_ucx_senders.h"

#include <stdlib.h>

#include "ompi/constants.h"

typedef mca_part_ucx_announcement_t announcement_t;

/* Receives that wait for a send, and announced sends that wait for a receive. */
static mca_part_ucx_match_t queues;

/* What a receive needs to meet sends. */
typedef struct meeting_t {
    mca_part_ucx_recv_t *recv;
    mca_part_ucx_sender_t sender; /* known while it has met one */
    mca_part_ucx_match_entry_t entry; /* in the posted queue while OPEN */
    uint64_t announce_order; /* place in the queue of announcements of the send that it has met */
} meeting_t;

static meeting_t *meeting_of(mca_part_ucx_recv_t *recv)
{
    return recv->matching;
}

/* ---- the two meet ---- */

static int build(mca_part_ucx_recv_t *recv, const mca_part_ucx_pairing_t *pairing)
{
    mca_part_ucx_channel_t *base = &recv->super;
    int rc = mca_part_ucx_recv_side_build(recv);

    if (OMPI_SUCCESS == rc) {
        rc = mca_part_ucx_both_ends_prepare(base, pairing, false, &recv->region);
    }
    if (OMPI_SUCCESS != rc || PART_UCX_METHOD_MESSAGE == base->method) {
        return rc;
    }
    recv->flag_region = mca_part_ucx_region_make((void *) (uintptr_t) recv->flag,
                                                 base->map.flags * sizeof(uint64_t),
                                                 mca_part_ucx_both_ends_paths(base, pairing));
    return NULL == recv->flag_region ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}

/* A send that nobody can meet: its sender must not wait. */
static void refuse(ompi_communicator_t *comm, int source,
                   const mca_part_ucx_wire_announce_t *announce)
{
    mca_part_ucx_wire_refuse_t message = {
        .header = mca_part_ucx_wire_header(PART_UCX_WIRE_REFUSE, announce->header.send_key),
        .total = announce->total,
        .partitions = announce->partitions,
        .reason = PART_UCX_REFUSE_FAILURE};

    mca_part_ucx_listener_tell(comm, source, &message, sizeof(message));
}

/* Its announcement cannot even be kept, or is no good, so that its receive will wait. */
static void lose(ompi_communicator_t *comm, int source,
                 const mca_part_ucx_wire_announce_t *announce)
{
    mca_part_ucx_help("setup-lost", source);
    refuse(comm, source, announce);
}

static int accept_send(mca_part_ucx_recv_t *recv, const mca_part_ucx_wire_announce_t *announce)
{
    mca_part_ucx_peer_t *peer = recv->super.peer;
    mca_part_ucx_pairing_t pairing[PART_UCX_MAX_PATHS];
    int rc;

    /* One on this host, but without shared memory. */
    if (0 == mca_part_ucx_pairing_make(peer) && OMPI_SUCCESS == mca_part_ucx_network_open()) {
        (void) mca_part_ucx_pairing_make(peer);
    }
    if (0 == peer->pairs) {
        mca_part_ucx_help("no-common-path", mca_part_ucx_peer_host(peer));
        return OMPI_ERR_SILENT;
    }
    if (!mca_part_ucx_decide(recv, announce->partitions, pairing)) {
        return OMPI_ERR_BAD_PARAM;
    }
    rc = build(recv, pairing);
    if (OMPI_SUCCESS == rc) {
        rc = mca_part_ucx_accept_write(recv, pairing, announce);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_part_ucx_accept_connect(recv, pairing);
    }
    return rc;
}

/* Links belong to the same place of the same collective. */
static bool is_right_link(const mca_part_ucx_channel_t *channel,
                          const mca_part_ucx_wire_announce_t *announce)
{
    bool right = NULL == channel->piece
                 || (announce->fingerprint == channel->fingerprint
                     && announce->partitions == channel->partitions
                     && announce->total == channel->total);

    if (!right) {
        mca_part_ucx_help("different-collectives", channel->peer_rank);
    }
    return right;
}

static bool accept_or_tell(mca_part_ucx_recv_t *recv, const mca_part_ucx_wire_announce_t *announce)
{
    int rc = is_right_link(&recv->super, announce) ? accept_send(recv, announce) : OMPI_ERR_SILENT;

    if (OMPI_SUCCESS != rc && OMPI_ERR_SILENT != rc) {
        mca_part_ucx_mismatch_tell_failed(&recv->super);
    }
    return OMPI_SUCCESS == rc;
}

static void meet_send(meeting_t *meeting, const mca_part_ucx_wire_announce_t *announce)
{
    mca_part_ucx_channel_t *channel = &meeting->recv->super;

    mca_part_ucx_channel_meet(channel, announce->header.send_key, announce->send_nonce);
    mca_part_ucx_sender_known(&meeting->sender, channel->peer, announce->header.send_key);
    if (NULL == channel->piece && announce->total != channel->total) {
        mca_part_ucx_mismatch_found(channel, announce->total, announce->partitions);
    } else if (accept_or_tell(meeting->recv, announce)) {
        mca_part_ucx_channel_matched(channel);
    } else {
        refuse(channel->comm, channel->peer_rank, announce);
        mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER);
    }
}

/* A receive and an announcement have met; it is used up. */
static void meet(meeting_t *meeting, announcement_t *announcement)
{
    mca_part_ucx_wire_announce_t announce = announcement->announce;
    mca_part_ucx_channel_t *channel = &meeting->recv->super;
    int error = announcement->error;

    meeting->announce_order = announcement->entry.order; /* in case it must be given back */
    mca_part_ucx_announcement_free(announcement);
    if (MPI_SUCCESS != error) {
        mca_part_ucx_channel_meet(channel, announce.header.send_key, announce.send_nonce);
        mca_part_ucx_mismatch_tell_failed(channel);
        mca_part_ucx_channel_fail(channel, error);
    } else {
        meet_send(meeting, &announce);
    }
}

/* A receive waits for its send, in its old place if it had one. */
static void recv_waits(meeting_t *meeting)
{
    mca_part_ucx_match_entry_t *met
        = mca_part_ucx_match_receive(&queues, &meeting->entry, meeting->entry.order);

    if (NULL != met) {
        meet(meeting, PART_UCX_CONTAINER(met, announcement_t, entry));
    }
}

/* An announcement waits for its receive, in its old place if it had one. */
static void announcement_waits(announcement_t *announcement)
{
    mca_part_ucx_match_entry_t *met;

    announcement->sender.announced = true;
    mca_part_ucx_sender_known(&announcement->sender,
                              MPI_SUCCESS != announcement->error ? NULL : announcement->peer,
                              announcement->announce.header.send_key);
    met = mca_part_ucx_match_announce(&queues, &announcement->entry, announcement->entry.order);
    if (NULL != met) {
        meet(PART_UCX_CONTAINER(met, meeting_t, entry), announcement);
    }
}

/* ---- one of them goes ---- */

/* The send that a receive has met ends without having written anything: a receive that leaves need
 * not wait to hear so from it. */
static void never_wrote(mca_part_ucx_recv_t *recv)
{
    recv->writable = false;
}

/* The send that a receive had met was freed before it was ever started: look for another one. */
static void recv_waits_again(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_channel_t *channel = &recv->super;
    bool built = PART_UCX_MATCHED == mca_part_ucx_channel_state(channel);

    if (NULL != channel->piece) {
        never_wrote(recv);
        mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER); /* its collective is gone there */
        return;
    }
    if (!mca_part_ucx_channel_change(channel, PART_UCX_ON_WITHDRAW)) {
        never_wrote(recv);
        return; /* it has failed: it would meet the next send, and never start */
    }
    if (built) {
        mca_part_ucx_recv_side_unbuild(recv);
    }
    mca_part_ucx_channel_meet(channel, 0, 0);
    mca_part_ucx_sender_forget(&meeting_of(recv)->sender);
    recv_waits(meeting_of(recv));
}

/* What the send had said that a receive has met; it is a user's. */
static mca_part_ucx_wire_announce_t said_by_send(mca_part_ucx_channel_t *channel)
{
    bool fits = PART_UCX_MISMATCHED != mca_part_ucx_channel_state(channel);
    mca_part_ucx_wire_announce_t announce = {
        .header = mca_part_ucx_wire_header(PART_UCX_WIRE_ANNOUNCE, atomic_load(&channel->peer_key)),
        .tag = channel->tag,
        .partitions = fits ? channel->map.send_partitions : channel->other_partitions,
        .total = fits ? channel->total : channel->other_total,
        .space = channel->space,
        .send_nonce = atomic_load(&channel->peer_nonce)};

    return announce;
}

/* A receive is freed before it was ever started: its send waits for another one. */
static void send_waits_again(mca_part_ucx_recv_t *recv)
{
    announcement_t *announcement = mca_part_ucx_announcement_new(recv->super.comm);
    mca_part_ucx_wire_announce_t announce = said_by_send(&recv->super);
    meeting_t *meeting = meeting_of(recv);

    if (NULL == announcement) {
        if (!mca_part_ucx_process.closing) {
            lose(recv->super.comm, recv->super.peer_rank, &announce);
        }
        return;
    }
    announcement->peer = recv->super.peer;
    mca_part_ucx_guests_use(announcement->peer);
    announcement->announce = announce;
    announcement->entry.key = meeting->entry.key;
    announcement->entry.order = meeting->announce_order;
    announcement_waits(announcement);
}

/* ---- messages ---- */

void mca_part_ucx_meet_announced(ompi_communicator_t *comm, int source, const void *message,
                                 size_t length)
{
    mca_part_ucx_wire_announce_t announce;
    announcement_t *announcement;
    mca_part_ucx_match_key_t key;
    const char *card;
    int rc;

    if (!mca_part_ucx_read_announce(message, length, &announce, &card)) {
        mca_part_ucx_help("setup-lost", source);
        return;
    }
    key = (mca_part_ucx_match_key_t) {
        .comm = comm, .source = source, .tag = announce.tag, .space = announce.space};
    announcement = mca_part_ucx_announcement_new(comm);
    mca_part_ucx_outstanding_announcement_came(&key, comm);
    if (NULL == announcement) {
        lose(comm, source, &announce);
        return;
    }
    announcement->announce = announce;
    announcement->peer = mca_part_ucx_peer_get(ompi_comm_peer_lookup(comm, source));
    announcement->entry.key = key;
    if (NULL != announcement->peer) {
        mca_part_ucx_guests_use(announcement->peer);
    }
    rc = NULL == announcement->peer
             ? OMPI_ERR_OUT_OF_RESOURCE
             : mca_part_ucx_peer_learn(announcement->peer, card, announce.card_bytes);
    if (OMPI_SUCCESS != rc && OMPI_ERR_OUT_OF_RESOURCE != rc) {
        lose(comm, source, &announce);
        mca_part_ucx_announcement_free(announcement);
        return;
    }
    if (OMPI_SUCCESS != rc) {
        refuse(comm, source, &announce);
        announcement->error = MPI_ERR_NO_MEM;
    }
    announcement_waits(announcement);
}

static void announcement_forget(announcement_t *announcement)
{
    (void) mca_part_ucx_match_withdraw(&announcement->entry);
    mca_part_ucx_announcement_free(announcement);
}

/* The send that a message is about; NULL: it is not known. Either its announcement waits, or a
 * receive has met it. */
static void find_sender(ompi_communicator_t *comm, int source, uint64_t send_key,
                        announcement_t **announcement, mca_part_ucx_recv_t **recv)
{
    mca_part_ucx_peer_t *peer = mca_part_ucx_peer_get(ompi_comm_peer_lookup(comm, source));
    mca_part_ucx_sender_t *sender
        = NULL == peer ? NULL : mca_part_ucx_sender_find(peer, send_key);

    if (NULL == sender) {
        sender = mca_part_ucx_announcement_refused(comm, source, send_key);
    }
    *announcement = NULL;
    *recv = NULL;
    if (NULL != sender && sender->announced) {
        *announcement = PART_UCX_CONTAINER(sender, announcement_t, sender);
    } else if (NULL != sender) {
        *recv = PART_UCX_CONTAINER(sender, meeting_t, sender)->recv;
    }
}

void mca_part_ucx_meet_withdrawn(ompi_communicator_t *comm, int source, uint64_t send_key)
{
    announcement_t *announcement;
    mca_part_ucx_recv_t *recv;

    find_sender(comm, source, send_key, &announcement, &recv);
    if (NULL != announcement) {
        announcement_forget(announcement);
    } else if (NULL != recv) {
        recv_waits_again(recv);
    }
}

/* The send of another size that a receive has met was started; or the send could not be set up. The
 * receive that it had met may have been freed meanwhile: the next one has still to hear of that. */
void mca_part_ucx_meet_gave_up(ompi_communicator_t *comm, int source, uint64_t send_key)
{
    announcement_t *announcement;
    mca_part_ucx_recv_t *recv;

    find_sender(comm, source, send_key, &announcement, &recv);
    if (NULL != announcement && MPI_SUCCESS == announcement->error) {
        announcement->error = MPI_ERR_OTHER;
    }
    if (NULL == recv) {
        return;
    }
    never_wrote(recv);
    if (PART_UCX_MISMATCHED == mca_part_ucx_channel_state(&recv->super)) {
        mca_part_ucx_mismatch_fail(&recv->super);
    } else if (!mca_part_ucx_channel_is_over(&recv->super)) {
        mca_part_ucx_channel_fail(&recv->super, MPI_ERR_OTHER);
    }
}

/* ---- the receive ---- */

/* It has met a send of another size, and is started: tell the sender. */
static void mismatch(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_wire_refuse_t message = {
        .header = mca_part_ucx_wire_header(PART_UCX_WIRE_REFUSE, atomic_load(&channel->peer_key)),
        .total = channel->total,
        .partitions = channel->partitions,
        .reason = PART_UCX_REFUSE_SIZE};

    mca_part_ucx_listener_tell(channel->comm, channel->peer_rank, &message, sizeof(message));
}

/* Can the peer still say anything? */
static bool may_be_met_again(mca_part_ucx_channel_t *channel)
{
    return !mca_part_ucx_channel_is_revoked(channel)
           && !mca_part_ucx_presence_has_died(channel->peer);
}

/* The receive goes, and its send has not been announced: is it still going to be? */
static bool is_to_come(mca_part_ucx_channel_t *channel)
{
    return PART_UCX_OPEN == mca_part_ucx_channel_state(channel) && may_be_met_again(channel);
}

static void detach(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_of(channel);
    mca_part_ucx_state_t state = mca_part_ucx_channel_state(channel);
    uint32_t last;

    mca_part_ucx_sender_forget(&meeting_of(recv)->sender);
    if (0 == atomic_load(&channel->peer_key)) {
        /* It waits to be met, even if it has failed. */
        (void) mca_part_ucx_match_withdraw(&meeting_of(recv)->entry);
        if (!is_to_come(channel)) {
            mca_part_ucx_outstanding_announcement_never(&meeting_of(recv)->entry.key);
        }
    } else if (PART_UCX_MISMATCHED == state
               || (PART_UCX_MATCHED == state && mca_part_ucx_channel_is_unused(channel)
                   && !mca_part_ucx_channel_is_revoked(channel)
                   && !mca_part_ucx_channel_peer_ended(channel, &last))) {
        if (may_be_met_again(channel)) {
            send_waits_again(recv);
        }
    } else {
        mca_part_ucx_end_freed(channel);
    }
    mca_part_ucx_listener_put(channel->listener);
}

static const mca_part_ucx_wireup_t wireup = {.mismatch = mismatch, .detach = detach};

int mca_part_ucx_meet(mca_part_ucx_recv_t *recv)
{
    meeting_t *meeting = calloc(1, sizeof(*meeting));

    if (NULL == meeting) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    recv->matching = meeting;
    recv->super.wireup = &wireup;
    meeting->recv = recv;
    meeting->entry.key = (mca_part_ucx_match_key_t) {.comm = recv->super.comm,
                                                     .source = recv->super.peer_rank,
                                                     .tag = recv->super.tag,
                                                     .space = recv->super.space};
    mca_part_ucx_outstanding_expect_announcement(&meeting->entry.key, recv->super.comm);
    recv_waits(meeting);
    return OMPI_SUCCESS;
}

void mca_part_ucx_meet_forget(void)
{
    mca_part_ucx_match_entry_t *entry;
    uint64_t from = 0;

    while (NULL != (entry = mca_part_ucx_match_any_announce(&queues, &from))) {
        announcement_forget(PART_UCX_CONTAINER(entry, announcement_t, entry));
    }
    mca_part_ucx_outstanding_forget();
}

void mca_part_ucx_meet_close(void)
{
    mca_part_ucx_match_destroy(&queues);
    mca_part_ucx_senders_close();
}
