/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ACCEPT: the receiver decides how a channel is cut and delivered, reserves what the sender
 * needs to know (addresses, remote keys), and both ends make the same map of it.
 */
#include "wireup/part_ucx_setup.h"

#include "channel/part_ucx_datatype.h"
#include "base/part_ucx_help.h"
#include "channel/part_ucx_leave.h"
#include "wireup/part_ucx_listener.h"

#include <stdlib.h>
#include <string.h>

/* ---- decisions ---- */

/* A pair of paths of the channel. */
static const mca_part_ucx_pairing_t *pair_of(const mca_part_ucx_recv_t *recv,
                                             const mca_part_ucx_peer_t *peer, uint32_t index)
{
    return &peer->pair[recv->first_pair + index];
}

/* All pairs of the peer, or the one that is to be measured. */
static void choose_pairs(mca_part_ucx_recv_t *recv, const mca_part_ucx_peer_t *peer)
{
    bool only = 0 != mca_part_ucx.only_pair && mca_part_ucx.only_pair <= peer->pairs;

    recv->first_pair = only ? mca_part_ucx.only_pair - 1 : 0;
    recv->super.pairs = only ? 1 : peer->pairs;
}

static mca_part_ucx_device_kind_t kind_of(const mca_part_ucx_recv_t *recv,
                                          const mca_part_ucx_peer_t *peer)
{
    return mca_part_ucx.paths[pair_of(recv, peer, 0)->local].device.kind;
}

/* Delivery by what is known of the lanes; docs/protocol.md argues each case. */
mca_part_ucx_method_t mca_part_ucx_setup_method(mca_part_ucx_device_kind_t kind, uint64_t bytes)
{
    if (PART_UCX_METHOD_AUTO != mca_part_ucx.params.method) {
        return (mca_part_ucx_method_t) mca_part_ucx.params.method;
    }
    if (bytes <= mca_part_ucx.params.message_limit || PART_UCX_DEVICE_RDMA != kind) {
        return PART_UCX_METHOD_MESSAGE;
    }
    return PART_UCX_METHOD_FLUSH;
}

static mca_part_ucx_method_t choose_method(const mca_part_ucx_recv_t *recv,
                                           const mca_part_ucx_peer_t *peer)
{
    const mca_part_ucx_request_t *base = &recv->super;
    uint64_t offset, length;

    if (!base->contiguous || 0 == base->total || NULL != base->piece) {
        return PART_UCX_METHOD_MESSAGE; /* only a message handler can unpack, or find a piece */
    }
    mca_part_ucx_map_range(&base->map, 0, base->map.group, &offset, &length);
    return mca_part_ucx_setup_method(kind_of(recv, peer), length);
}

/* May the sender copy to where the data go? The sender has its own conditions. */
static bool allows_copying(const mca_part_ucx_recv_t *recv, const mca_part_ucx_peer_t *peer)
{
    return PART_UCX_DEVICE_SHARED == kind_of(recv, peer) && mca_part_ucx_share_allowed();
}

/* Also into any memory of this process? */
static bool allows_placing(const mca_part_ucx_recv_t *recv, const mca_part_ucx_peer_t *peer)
{
    return 0 != peer->process && allows_copying(recv, peer);
}

/* Half of a message that is worth a unit for each of the two that copy. */
#define COPY_MIN UINT64_C(16384)

/* Two copy at the same time, as if they were two paths. */
static void share_copying(mca_part_ucx_map_limits_t *limits, uint64_t total)
{
    limits->paths = 2;
    limits->stripe_min = limits->unit_min / 2 > COPY_MIN ? limits->unit_min / 2 : COPY_MIN;
    if (total / 2 >= COPY_MIN && total / 2 < limits->unit_min) {
        limits->unit_min = total / 2;
    }
}

static bool choose_map(mca_part_ucx_recv_t *recv, const mca_part_ucx_peer_t *peer,
                       const mca_part_ucx_wire_announce_t *announce)
{
    bool shared = PART_UCX_DEVICE_SHARED == kind_of(recv, peer);
    const mca_part_ucx_params_t *params = &mca_part_ucx.params;
    mca_part_ucx_map_limits_t limits = {
        .paths = recv->super.pairs,
        .unit_min = shared ? params->shared_unit_min : params->unit_min,
        .unit_max = shared ? params->shared_unit_max : params->unit_max,
        .stripe_min = params->stripe_min};
    uint32_t slices, group;

    if (NULL != recv->super.piece) {
        return mca_part_ucx_map_init_pieces(&recv->super.map, recv->super.piece, recv->super.cut,
                                            recv->super.pairs);
    }
    if (allows_placing(recv, peer) && PART_UCX_COPY_BOTH == params->shared_copy) {
        share_copying(&limits, announce->total);
    }
    mca_part_ucx_map_choose(announce->total, announce->partitions, &limits, &slices, &group);
    if (!mca_part_ucx_datatype_may_be_cut(recv->super.datatype)) {
        slices = 1; /* partitions hold whole elements */
    }
    return mca_part_ucx_map_init(&recv->super.map, announce->total, announce->partitions,
                                 recv->super.cut, slices, group, recv->super.pairs);
}

/* ---- receiver ---- */

static void refuse(mca_part_ucx_recv_t *recv, const mca_part_ucx_wire_announce_t *announce,
                   mca_part_ucx_refusal_t reason)
{
    mca_part_ucx_wire_refuse_t message = {.header = announce->header,
                                          .total = recv->super.total,
                                          .partitions = recv->super.cut,
                                          .reason = reason};

    message.header.kind = PART_UCX_WIRE_REFUSE;
    mca_part_ucx_listener_tell(recv->super.comm, recv->super.peer_rank, &message, sizeof(message));
}

/* Register the buffer and the flags on the paths of the channel. */
static int register_memory(mca_part_ucx_recv_t *recv, const mca_part_ucx_peer_t *peer)
{
    uint32_t paths = 0;

    if (PART_UCX_METHOD_MESSAGE == recv->super.method) {
        return OMPI_SUCCESS;
    }
    for (uint32_t i = 0; i < recv->super.pairs; ++i) {
        paths |= 1u << pair_of(recv, peer, i)->local;
    }
    recv->region = mca_part_ucx_region_make(recv->super.data, recv->super.total, paths);
    recv->flag_region = mca_part_ucx_region_make((void *) (uintptr_t) recv->flag,
                                                recv->super.map.flags * sizeof(uint64_t), paths);
    if (NULL == recv->region || NULL == recv->flag_region) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

static int build_recv(mca_part_ucx_recv_t *recv, mca_part_ucx_peer_t *peer)
{
    const mca_part_ucx_pairing_t *first = pair_of(recv, peer, 0);
    mca_part_ucx_request_t *base = &recv->super;
    int rc = mca_part_ucx_recv_build(recv);

    recv->endpoint = mca_part_ucx_peer_endpoint(peer, first->local, first->remote);
    if (OMPI_SUCCESS != rc || NULL == recv->endpoint) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (!base->contiguous) {
        base->convertor = mca_part_ucx_datatype_convertors(base->datatype,
                                                           base->partitions * base->count,
                                                           base->buffer, false, base->pairs);
        if (NULL == base->convertor) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return register_memory(recv, peer);
}

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

static int send_accept(mca_part_ucx_recv_t *recv, const mca_part_ucx_peer_t *peer,
                       const mca_part_ucx_wire_announce_t *announce)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    mca_part_ucx_wire_accept_t *message = calloc(1, PART_UCX_WIRE_MAX);
    size_t length = sizeof(*message);

    if (NULL == message) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    message->header = announce->header;
    message->header.kind = PART_UCX_WIRE_ACCEPT;
    message->recv_key = recv->super.key;
    message->data = (uint64_t) (uintptr_t) (NULL != recv->super.piece
                                                ? (const void *) recv->super.piece
                                                : recv->super.data);
    message->flags = (uint64_t) (uintptr_t) recv->flag;
    if (allows_copying(recv, peer) && mca_part_ucx_share_is_used(recv)) {
        message->shm = *recv->shm;
    }
    message->partitions = map->recv_partitions;
    message->slices = map->slices;
    message->group = map->group;
    message->method = (uint32_t) recv->super.method
                      | (recv->super.contiguous ? 0 : PART_UCX_EAGER_ONLY)
                      | (allows_placing(recv, peer) ? PART_UCX_PLACES : 0);
    recv->written = PART_UCX_METHOD_MESSAGE != recv->super.method || allows_copying(recv, peer);
    message->pairs = recv->super.pairs;
    for (uint32_t i = 0; i < recv->super.pairs; ++i) {
        size_t used = pack_pair(recv, pair_of(recv, peer, i), (char *) message + length,
                                PART_UCX_WIRE_MAX - length);

        if (0 == used) {
            free(message);
            return OMPI_ERROR;
        }
        length += used;
    }
    if (!peer->knows_us) {
        message->blob_bytes = mca_part_ucx_peer_pack((char *) message + length,
                                                     PART_UCX_WIRE_MAX - length);
        if (0 == message->blob_bytes) {
            mca_part_ucx_help("addresses-too-long", mca_part_ucx.path_count);
            free(message);
            return OMPI_ERROR;
        }
        length += message->blob_bytes;
    }
    return mca_part_ucx_listener_send(recv->super.comm, recv->super.peer_rank, message, length);
}

static int meet(mca_part_ucx_recv_t *recv, mca_part_ucx_peer_t *peer,
                const mca_part_ucx_wire_announce_t *announce)
{
    mca_part_ucx_request_t *base = &recv->super;
    int rc;

    if (0 == mca_part_ucx_peer_pair(peer)) {
        mca_part_ucx_help("no-common-path", mca_part_ucx_peer_host(peer->proc));
        return OMPI_ERR_UNREACH;
    }
    choose_pairs(recv, peer);
    if (!choose_map(recv, peer, announce)) {
        return OMPI_ERR_BAD_PARAM;
    }
    base->method = choose_method(recv, peer);
    rc = build_recv(recv, peer);
    if (OMPI_SUCCESS == rc) {
        rc = send_accept(recv, peer, announce);
    }
    return rc;
}

void mca_part_ucx_setup_refuse_size(mca_part_ucx_recv_t *recv)
{
    refuse(recv, &recv->announce, PART_UCX_REFUSE_SIZE);
}

void mca_part_ucx_setup_meet(mca_part_ucx_recv_t *recv, mca_part_ucx_peer_t *peer,
                             const mca_part_ucx_wire_announce_t *announce)
{
    mca_part_ucx_request_t *base = &recv->super;

    atomic_store(&base->peer_key, announce->header.send_key);
    recv->announce = *announce;
    recv->announce.blob_bytes = 0;
    if (NULL != base->piece
        && (announce->fingerprint != base->fingerprint || announce->partitions != base->cut
            || announce->total != base->total)) {
        mca_part_ucx_help("different-collectives", base->peer_rank);
        refuse(recv, announce, PART_UCX_REFUSE_FAILURE);
        mca_part_ucx_request_fail(base, MPI_ERR_OTHER);
    } else if (announce->total != base->total) {
        base->mismatched = true;
        base->other_total = announce->total;
        base->other_partitions = announce->partitions;
        if (atomic_load(&base->running)) {
            mca_part_ucx_setup_refuse_size(recv);
        }
    } else if (OMPI_SUCCESS != meet(recv, peer, announce)) {
        refuse(recv, announce, PART_UCX_REFUSE_FAILURE);
        mca_part_ucx_request_fail(base, MPI_ERR_OTHER);
    } else {
        mca_part_ucx_setup_ready(base);
    }
}

/* ---- sender ---- */

/* Read one pair record: endpoint and keys. Returns its length, 0 when something is wrong. */
static size_t unpack_pair(mca_part_ucx_send_t *send, uint32_t index, const char *at, size_t size)
{
    mca_part_ucx_wire_pair_t pair;
    mca_part_ucx_endpoint_t *endpoint;
    ucs_status_t status = UCS_OK;
    size_t used = sizeof(pair);

    if (size < used) {
        return 0;
    }
    memcpy(&pair, at, sizeof(pair));
    if (size - used < (size_t) pair.data_rkey_bytes + pair.flag_rkey_bytes) {
        return 0;
    }
    endpoint = mca_part_ucx_peer_endpoint(send->super.peer, pair.send_path, pair.recv_path);
    if (NULL == endpoint) {
        return 0;
    }
    send->endpoint[index] = endpoint;
    if (0 != pair.data_rkey_bytes) {
        mca_part_ucx_path_lock(endpoint->path);
        status = ucp_ep_rkey_unpack(endpoint->ucp, at + used, &send->data_rkey[index]);
        if (UCS_OK == status) {
            status = ucp_ep_rkey_unpack(endpoint->ucp, at + used + pair.data_rkey_bytes,
                                        &send->flag_rkey[index]);
        }
        mca_part_ucx_path_unlock(endpoint->path);
    }
    used += (size_t) pair.data_rkey_bytes + pair.flag_rkey_bytes;
    return UCS_OK == status ? used : 0;
}

static int unpack_pairs(mca_part_ucx_send_t *send, const mca_part_ucx_wire_accept_t *accept,
                        const char *message, size_t length)
{
    size_t at = sizeof(*accept);

    if (accept->blob_bytes > length - at || 0 == accept->pairs
        || accept->pairs > PART_UCX_MAX_PATHS
        || OMPI_SUCCESS
               != mca_part_ucx_peer_unpack(send->super.peer, message + length - accept->blob_bytes,
                                           accept->blob_bytes)) {
        return OMPI_ERR_BAD_PARAM;
    }
    send->super.pairs = accept->pairs;
    for (uint32_t i = 0; i < accept->pairs; ++i) {
        size_t used = unpack_pair(send, i, message + at, length - accept->blob_bytes - at);

        if (0 == used) {
            return OMPI_ERR_BAD_PARAM;
        }
        at += used;
    }
    return OMPI_SUCCESS;
}

static int build_send(mca_part_ucx_send_t *send, const mca_part_ucx_wire_accept_t *accept)
{
    mca_part_ucx_request_t *base = &send->super;
    uint32_t paths = 0;

    base->method = (mca_part_ucx_method_t) (accept->method
                                            & ~(PART_UCX_EAGER_ONLY | PART_UCX_PLACES));
    send->eager_only = 0 != (accept->method & PART_UCX_EAGER_ONLY);
    send->remote_data = accept->data;
    send->remote_flags = accept->flags;
    if (NULL != base->piece
            ? !mca_part_ucx_map_init_pieces(&base->map, base->piece, base->cut, accept->pairs)
            : !mca_part_ucx_map_init(&base->map, base->total, base->cut, accept->partitions,
                                     accept->slices, accept->group, accept->pairs)) {
        return OMPI_ERR_BAD_PARAM;
    }
    mca_part_ucx_share_prepare(send, 0 != (accept->method & PART_UCX_PLACES), &accept->shm);
    if (!base->contiguous) {
        base->convertor = mca_part_ucx_datatype_convertors(base->datatype,
                                                           base->partitions * base->count,
                                                           base->buffer, true, base->pairs);
        if (NULL == base->convertor) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    } else if (PART_UCX_METHOD_MESSAGE != base->method) {
        for (uint32_t i = 0; i < base->pairs; ++i) {
            paths |= 1u << send->endpoint[i]->path->index;
        }
        send->region = mca_part_ucx_region_make(base->data, base->total, paths);
        if (NULL == send->region) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return OMPI_SUCCESS;
}

/* The receive that this send had met was freed unstarted, and another one has taken its place. */
static bool fits_again(const mca_part_ucx_send_t *send, const mca_part_ucx_wire_accept_t *accept)
{
    const mca_part_ucx_map_t *map = &send->super.map;

    /* The same process decides by the same rules, so the sender's part of the map is the same. */
    return 0 == atomic_load(&send->ready_epoch) && accept->slices == map->slices
           && accept->group == map->group && accept->pairs == map->paths;
}

static void forget_keys(mca_part_ucx_send_t *send)
{
    mca_part_ucx_send_unregister(send);
    mca_part_ucx_datatype_release(send->super.convertor, send->super.pairs);
    send->super.convertor = NULL;
}

/* The communicator has been revoked, and that, or LEAVE, has overtaken ACCEPT. Nothing must leave:
 * the receiver may have its buffer back. */
static void leave_early(mca_part_ucx_request_t *request, uint64_t peer)
{
    if (mca_part_ucx_leave_is_told(request, peer) || mca_part_ucx_leave_is_due(request)) {
        mca_part_ucx_leave_begin(request, MPI_ERR_OTHER);
    }
}

void mca_part_ucx_setup_accepted(mca_part_ucx_send_t *send, const void *message, size_t length)
{
    bool again = PART_UCX_LINK_READY == mca_part_ucx_request_link(&send->super);
    mca_part_ucx_wire_accept_t accept;
    bool fits = false;
    int rc = OMPI_ERR_BAD_PARAM;

    if (length >= sizeof(accept)) {
        memcpy(&accept, message, sizeof(accept));
        send->super.peer->knows_us = true;
        send->super.mismatched = false;
        fits = !again || fits_again(send, &accept);
        if (again && fits) {
            forget_keys(send);
        }
    }
    if (fits) {
        rc = unpack_pairs(send, &accept, message, length);
    }
    if (OMPI_SUCCESS == rc) {
        rc = build_send(send, &accept);
    }
    if (OMPI_SUCCESS == rc) {
        rc = again ? mca_part_ucx_send_adapt(send) : mca_part_ucx_send_ready(send);
    }
    if (OMPI_SUCCESS == rc) {
        leave_early(&send->super, accept.recv_key);
        if (!again) {
            mca_part_ucx_setup_ready(&send->super);
        }
        atomic_store(&send->super.peer_key, accept.recv_key);
        leave_early(&send->super, accept.recv_key); /* it may have come meanwhile */
        mca_part_ucx_send_heed_early(send);
    } else {
        mca_part_ucx_help("setup-failed", send->super.peer_rank, send->super.tag,
                          mca_part_ucx_peer_host(send->super.peer->proc));
        mca_part_ucx_setup_send_failed(send);
    }
}

/* ---- both ---- */

void mca_part_ucx_setup_ready(mca_part_ucx_request_t *request)
{
    const mca_part_ucx_map_t *map = &request->map;
    int open = PART_UCX_LINK_OPEN;
    /* Fixed while the link is open and we hold the lock; from the change on MPI_Start begins and
     * starts on its own, and must not be started again here. */
    bool begun = atomic_load(&request->running);

    PART_UCX_VERBOSE(3, "%s rank %d tag %d: %u partitions to %u, %u units on %u paths, %s",
                     mca_part_ucx_request_is_send(request) ? "send to" : "receive from",
                     request->peer_rank, request->tag, map->send_partitions, map->recv_partitions,
                     map->units, map->paths,
                     PART_UCX_METHOD_MESSAGE == request->method ? "messages"
                     : PART_UCX_METHOD_FLUSH == request->method ? "puts, flush, flags"
                                                                : "puts, chained flags");
    if (!atomic_compare_exchange_strong(&request->link, &open, PART_UCX_LINK_READY)) {
        return; /* failed meanwhile */
    }
    atomic_fetch_sub(&mca_part_ucx.unmatched, 1);
    if (begun) {
        mca_part_ucx_request_start_ready(request);
    }
}
