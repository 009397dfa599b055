/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ACCEPT, written and read (see part_ucx_accept.h).
 */
#include "wireup/part_ucx_accept.h"

#include "channel/part_ucx_copy_side.h"
#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_credit_limits.h"
#include "channel/part_ucx_failover_ready.h"
#include "channel/part_ucx_fastbox.h"
#include "channel/part_ucx_shared_memory.h"
#include "channel/part_ucx_targets.h"
#include "path/part_ucx_cma.h"
#include "path/part_ucx_own_card.h"
#include "path/part_ucx_prefault.h"
#include "wireup/part_ucx_both_ends.h"
#include "wireup/part_ucx_decide.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/runtime/ompi_rte.h"

static_assert(PART_UCX_CREDIT_LONGEST <= PART_UCX_CREDIT_MOST, "a sender refuses more");

/* ---- receiver ---- */

/* Append a pair record and its keys; returns its length, 0 when it does not fit. */
static size_t pack_pair(const mca_part_ucx_recv_t *recv, const mca_part_ucx_pairing_t *pairing,
                        char *at, size_t size)
{
    mca_part_ucx_wire_pair_t pair = {.send_path = pairing->remote, .recv_path = pairing->local};
    size_t used = sizeof(pair);

    if (size < used) {
        return 0;
    }
    if (NULL != recv->region) {
        pair.data_rkey_bytes = mca_part_ucx_region_pack(recv->region, pairing->local, at + used,
                                                        size - used);
        used += pair.data_rkey_bytes;
        pair.flag_rkey_bytes = mca_part_ucx_region_pack(recv->flag_region, pairing->local,
                                                        at + used, size - used);
        used += pair.flag_rkey_bytes;
        if (0 == pair.data_rkey_bytes || 0 == pair.flag_rkey_bytes) {
            return 0;
        }
    }
    memcpy(at, &pair, sizeof(pair));
    return used;
}

/* The fixed part. */
static void fill(mca_part_ucx_wire_accept_t *message, mca_part_ucx_recv_t *recv,
                 const mca_part_ucx_wire_announce_t *announce)
{
    const mca_part_ucx_channel_t *channel = &recv->super;
    const mca_part_ucx_map_t *map = &channel->map;
    bool copying = mca_part_ucx_decide_allows_copying(channel);
    bool placing = PART_UCX_METHOD_MESSAGE == channel->method
                   && mca_part_ucx_decide_allows_placing(channel);

    message->header = announce->header;
    message->header.kind = PART_UCX_WIRE_ACCEPT;
    message->recv_key = channel->key;
    message->recv_nonce = channel->nonce;
    message->data = (uint64_t) (uintptr_t) (NULL != channel->piece
                                                ? (const void *) channel->piece
                                                : channel->data);
    message->flags = (uint64_t) (uintptr_t) recv->flag;
    message->boxes = copying ? mca_part_ucx_fastbox_offer(recv) : 0;
    if (copying && (0 != message->boxes || mca_part_ucx_shared_memory_is_used(recv))) {
        message->shm = *recv->shm;
    }
    message->partitions = map->recv_partitions;
    message->slices = map->slices;
    message->group = map->group;
    message->method = (uint32_t) channel->method | (channel->contiguous ? 0 : PART_UCX_EAGER_ONLY)
                      | (placing ? PART_UCX_CMA_ALLOWED : 0);
    /* The sender of one with credit carries all. */
    recv->writable
        = PART_UCX_METHOD_MESSAGE != channel->method || (copying && NULL == recv->credit);
    message->pairs = channel->pairs;
    message->credit = mca_part_ucx_credit_epochs(recv);
}

int mca_part_ucx_accept_write(mca_part_ucx_recv_t *recv, const mca_part_ucx_pairing_t *pairing,
                              const mca_part_ucx_wire_announce_t *announce)
{
    const mca_part_ucx_peer_t *peer = recv->super.peer;
    mca_part_ucx_wire_accept_t *message = calloc(1, PART_UCX_WIRE_MAX);
    size_t length = sizeof(*message);

    if (NULL == message) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    fill(message, recv, announce);
    for (uint32_t i = 0; i < recv->super.pairs; ++i) {
        size_t used = pack_pair(recv, &pairing[i], (char *) message + length,
                                PART_UCX_WIRE_MAX - length);

        if (0 == used) {
            free(message);
            return OMPI_ERROR;
        }
        length += used;
    }
    if (mca_part_ucx_peer_is_to_know(peer)) {
        message->card_bytes = mca_part_ucx_own_card_write(peer, (char *) message + length,
                                                          PART_UCX_WIRE_MAX - length);
        if (0 == message->card_bytes) {
            free(message);
            return OMPI_ERROR;
        }
        length += message->card_bytes;
    }
    return mca_part_ucx_wire_send_built(&recv->super, message, length);
}

/*
 * One that does not fail over says READY by the first pair alone. The other endpoints are for the
 * sender's: UCX makes this end of a connection when the sender's asks for it, which costs as much,
 * one path after the other. Here they are made while the sender makes its own.
 */
int mca_part_ucx_accept_connect(mca_part_ucx_recv_t *recv, const mca_part_ucx_pairing_t *pairing)
{
    mca_part_ucx_peer_t *peer = recv->super.peer;
    mca_part_ucx_endpoint_t *endpoint[PART_UCX_MAX_PATHS] = {NULL};
    uint32_t needed = recv->super.fails_over ? recv->super.pairs : 1;

    for (uint32_t i = 0; i < recv->super.pairs; ++i) {
        endpoint[i] = mca_part_ucx_endpoint_get(peer, pairing[i].local, pairing[i].remote);
        if (i < needed && NULL == endpoint[i]) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    recv->endpoint = endpoint[0];
    if (!mca_part_ucx_both_ends_are_usable(endpoint, needed, recv->super.fails_over)) {
        return OMPI_ERR_UNREACH;
    }
    return recv->super.fails_over ? mca_part_ucx_failover_ready_spread(recv, endpoint)
                                  : OMPI_SUCCESS;
}

/* ---- sender ---- */

/* One pair: endpoint and keys. */
static bool take_pair(mca_part_ucx_send_t *send, uint32_t index,
                      const mca_part_ucx_read_pair_t *read)
{
    mca_part_ucx_peer_t *peer = send->super.peer;
    const mca_part_ucx_wire_pair_t *pair = &read->pair;
    mca_part_ucx_endpoint_t *endpoint
        = mca_part_ucx_endpoint_get(peer, pair->send_path, pair->recv_path);
    ucs_status_t status = UCS_OK;

    if (NULL == endpoint) {
        return false;
    }
    mca_part_ucx_prefault_peer(endpoint, PART_UCX_AM_PREFAULT);
    mca_part_ucx_copy_side_begin(endpoint);
    send->endpoint[index] = endpoint;
    if (0 != pair->data_rkey_bytes) {
        if (NULL == send->keys || !endpoint->path->puts || !peer->remote[pair->recv_path].puts) {
            return false;
        }
        mca_part_ucx_path_lock(endpoint->path);
        status = mca_part_ucx_endpoint_is_up(endpoint)
                     ? ucp_ep_rkey_unpack(endpoint->ucp, read->data_rkey, &send->keys[index].data)
                     : UCS_ERR_UNREACHABLE;
        if (UCS_OK == status) {
            status = ucp_ep_rkey_unpack(endpoint->ucp, read->flag_rkey, &send->keys[index].flags);
        }
        mca_part_ucx_path_unlock(endpoint->path);
    }
    return UCS_OK == status;
}

static int take_pairs(mca_part_ucx_send_t *send, const mca_part_ucx_read_accept_t *read,
                      mca_part_ucx_pairing_t pairing[PART_UCX_MAX_PATHS])
{
    const mca_part_ucx_wire_accept_t *accept = &read->accept;

    if (OMPI_SUCCESS
        != mca_part_ucx_peer_learn(send->super.peer, read->card, accept->card_bytes)) {
        return OMPI_ERR_BAD_PARAM;
    }
    send->super.pairs = accept->pairs;
    if (PART_UCX_METHOD_MESSAGE != mca_part_ucx_read_method(accept) && NULL == send->keys) {
        send->keys = calloc(accept->pairs, sizeof(*send->keys));
        if (NULL == send->keys) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    for (uint32_t i = 0; i < accept->pairs; ++i) {
        const mca_part_ucx_wire_pair_t *pair = &read->pair[i].pair;

        pairing[i] = (mca_part_ucx_pairing_t) {.local = pair->send_path, .remote = pair->recv_path};
        if (!take_pair(send, i, &read->pair[i])) {
            return OMPI_ERR_BAD_PARAM;
        }
    }
    return OMPI_SUCCESS;
}

/* Can the receiver's memory be where it says? */
static bool is_addressable(const mca_part_ucx_channel_t *base,
                           const mca_part_ucx_wire_accept_t *accept)
{
    return accept->data <= UINT64_MAX - base->total
           && accept->flags <= UINT64_MAX - base->map.flags * sizeof(uint64_t);
}

/* The links of a rank begin with different paths, as those of the next rank of its host do: most
 * collectives of few bytes have one piece for each, and these leave at the same time. Its receivers
 * do not know of one another. */
static uint8_t first_pair(const mca_part_ucx_send_t *send)
{
    static uint32_t links; /* under the set-up lock */
    uint32_t pairs = send->super.pairs;
    uint32_t turn = (links++ + ompi_process_info.my_local_rank) % pairs;

    for (uint32_t i = 0; i < pairs; ++i) {
        if (turn == (uint32_t) send->endpoint[i]->path->index % pairs) {
            return (uint8_t) i;
        }
    }
    return (uint8_t) turn;
}

/* Where a match comes again threads may be marking by the map of the first: all that can differ is
 * what depends on the receiver's partitions. */
static bool make_map(mca_part_ucx_send_t *send, const mca_part_ucx_wire_accept_t *accept)
{
    mca_part_ucx_channel_t *base = &send->super;
    mca_part_ucx_map_t map;

    if (!(NULL != base->piece
              ? mca_part_ucx_map_init_pieces(&map, base->piece, base->partitions, accept->pairs)
              : mca_part_ucx_map_init(&map, base->total, base->partitions, accept->partitions,
                                      accept->slices, accept->group, accept->pairs))) {
        return false;
    }
    if (NULL == send->unit) {
        base->map = map;
    } else {
        base->map.recv_partitions = map.recv_partitions;
        base->map.recv_bytes = map.recv_bytes;
        base->map.send_bytes = map.send_bytes; /* differs where there are no bytes at all */
    }
    return true;
}

/* Does what the receiver has chosen go together? */
static bool is_consistent(const mca_part_ucx_channel_t *base,
                          const mca_part_ucx_wire_accept_t *accept)
{
    bool puts = PART_UCX_METHOD_MESSAGE != base->method;

    return (0 == accept->credit || !(base->fails_over || puts))
           && (!puts || (NULL == base->piece && 0 != base->total && is_addressable(base, accept)));
}

static bool is_readable(const mca_part_ucx_piece_t *piece)
{
    return mca_part_ucx_cma_can_be_read((const void *) (uintptr_t) piece->address, piece->bytes);
}

/* A receiver on this host fetches what is offered by a system call. What that cannot read costs UCX
 * its endpoint. The ends of a buffer stand for what is between them. */
static bool can_be_fetched(const mca_part_ucx_send_t *send)
{
    const mca_part_ucx_channel_t *base = &send->super;

    if (PART_UCX_DEVICE_SHARED != send->endpoint[0]->path->device.kind || !base->contiguous
        || !mca_part_ucx_copy_side_may_offer(base->total)) {
        return true;
    }
    return NULL == base->piece ? mca_part_ucx_cma_can_be_read(base->data, base->total)
                               : is_readable(&base->piece[0])
                                     && is_readable(&base->piece[base->partitions - 1]);
}

static int build_send(mca_part_ucx_send_t *send, const mca_part_ucx_wire_accept_t *accept,
                      const mca_part_ucx_pairing_t *pairing)
{
    mca_part_ucx_channel_t *base = &send->super;

    base->method = mca_part_ucx_read_method(accept);
    base->fails_over = mca_part_ucx_both_ends_fail_over(base, pairing);
    if (!mca_part_ucx_both_ends_are_usable(send->endpoint, base->pairs, base->fails_over)) {
        return OMPI_ERR_UNREACH;
    }
    send->eager_only = base->fails_over || 0 != (accept->method & PART_UCX_EAGER_ONLY)
                       || !can_be_fetched(send);
    send->remote_data = accept->data;
    send->remote_flags = accept->flags;
    send->credit = accept->credit;
    send->first = NULL == base->piece ? 0 : first_pair(send);
    if (!make_map(send, accept) || !is_consistent(base, accept)) {
        return OMPI_ERR_BAD_PARAM;
    }
    mca_part_ucx_targets_find(send, 0 != (accept->method & PART_UCX_CMA_ALLOWED), &accept->shm);
    mca_part_ucx_fastbox_attach(send, accept->boxes);
    return mca_part_ucx_both_ends_prepare(base, pairing, true, &send->region);
}

bool mca_part_ucx_accept_fits_again(const mca_part_ucx_send_t *send,
                                    const mca_part_ucx_wire_accept_t *accept)
{
    const mca_part_ucx_map_t *map = &send->super.map;

    /* The same process decides by the same rules, so the sender's part of the map is the same. */
    return 0 == atomic_load(&send->ready_epoch) && accept->slices == map->slices
           && accept->group == map->group && accept->pairs == map->pairs;
}

int mca_part_ucx_accept_take(mca_part_ucx_send_t *send, const mca_part_ucx_read_accept_t *read)
{
    mca_part_ucx_pairing_t pairing[PART_UCX_MAX_PATHS];
    int rc = take_pairs(send, read, pairing);

    return OMPI_SUCCESS == rc ? build_send(send, &read->accept, pairing) : rc;
}
