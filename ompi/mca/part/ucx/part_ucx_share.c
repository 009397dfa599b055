/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who copies a large unit between two processes of one host. Both can, at the same time: the
 * receiver fetches what it is offered, the sender places the rest. They take turns; a receiver that
 * has nothing to fetch is offered the next unit, one that has two is not. What a collective reduces
 * is in the cache of the sender, who places all of it.
 *
 * A unit that is one partition, or a slice of one, is placed by the thread that has marked it,
 * before it is pushed on its path's queue and without any lock, so threads copy side by side. Two
 * kinds are placed under the path's lock, by who posts them: units of several partitions, of which
 * some may have left alone and be in the application's hands again at the receiver, as only
 * part_ucx_post.c knows; and pieces of collectives, which the engine marks, perhaps under a lock.
 */
#include "part_ucx_send.h"

#include "part_ucx_place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* May the receive buffer be written to? Only a range of memory without gaps. */
static bool may_place(const mca_part_ucx_send_t *send)
{
    return 0 != send->super.peer->process && PART_UCX_METHOD_MESSAGE == send->super.method
           && send->super.contiguous && !send->eager_only
           && PART_UCX_COPY_RECEIVER != mca_part_ucx.params.shared_copy;
}

/* Learn where the pieces of a link go: by reading the receiver's list, as long as it may be. */
static bool learn_targets(mca_part_ucx_send_t *send)
{
    size_t bytes = (size_t) send->super.map.segments * sizeof(mca_part_ucx_piece_t);
    mca_part_ucx_targets_t *targets = calloc(1, sizeof(*targets) + bytes);

    send->targets = targets;
    if (NULL == targets
        || !mca_part_ucx_place_read(send->super.peer->process, send->remote_data, targets->piece,
                                    bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < send->super.map.segments; ++i) {
        if (targets->piece[i].bytes != send->super.piece[i].bytes) {
            return false;
        }
    }
    return true;
}

uint64_t mca_part_ucx_share_described(const mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_shm_t *shm = recv->shm;
    const mca_part_ucx_piece_t *piece = recv->super.piece;

    for (uint32_t i = 0; NULL != shm && i < recv->super.cut; ++i) {
        if (piece[i].bytes > mca_part_ucx.params.shared_eager_limit
            && piece[i].address - shm->base < shm->bytes) {
            return (uint64_t) (uintptr_t) shm;
        }
    }
    return 0;
}

void mca_part_ucx_share_prepare(mca_part_ucx_send_t *send, bool allowed, uint64_t shm)
{
    int32_t process = send->super.peer->process;
    bool places = allowed && may_place(send) && (NULL == send->super.piece || learn_targets(send));

    if (places && 0 != shm && NULL != send->targets && getpid() != process) {
        bool mapped = mca_part_ucx_shm_open(&send->targets->view, process, shm);

        PART_UCX_VERBOSE(3, "pieces to rank %d are copied by %s", send->super.peer_rank,
                         mapped ? "this process, into shared memory" : "the system");
    }
    atomic_store(&send->places, places ? process : 0);
}

void mca_part_ucx_share_end(mca_part_ucx_send_t *send)
{
    if (NULL != send->targets) {
        mca_part_ucx_shm_close(&send->targets->view);
    }
}

mca_part_ucx_way_t mca_part_ucx_share_choose(mca_part_ucx_send_t *send, uint32_t pair,
                                             uint64_t length)
{
    mca_part_ucx_endpoint_t *endpoint = send->endpoint[pair];
    unsigned most;

    if (0 == atomic_load_explicit(&send->places, memory_order_relaxed)
        || length <= mca_part_ucx.params.shared_eager_limit) {
        return PART_UCX_WAY_OPEN;
    }
    if (PART_UCX_COPY_SENDER == mca_part_ucx.params.shared_copy || send->super.warm) {
        return PART_UCX_WAY_PLACE;
    }
    if (1 == send->super.map.units) {
        return PART_UCX_WAY_OPEN; /* nobody to take turns with, and an offer may precede READY */
    }
    most = atomic_load_explicit(&endpoint->placed, memory_order_relaxed) ? 2 : 1;
    if (atomic_fetch_add_explicit(&endpoint->offers, 1, memory_order_relaxed) < most) {
        atomic_store_explicit(&endpoint->placed, false, memory_order_relaxed);
        return PART_UCX_WAY_OFFER;
    }
    mca_part_ucx_share_undo(endpoint);
    atomic_store_explicit(&endpoint->placed, true, memory_order_relaxed);
    return PART_UCX_WAY_PLACE;
}

bool mca_part_ucx_share_place(mca_part_ucx_send_t *send, uint32_t first, uint64_t offset,
                              uint64_t length)
{
    const mca_part_ucx_targets_t *targets = send->targets;
    uint64_t target = NULL != targets ? targets->piece[first].address : send->remote_data + offset;
    char *here = NULL != targets ? mca_part_ucx_shm_at(&targets->view, target, length) : NULL;
    const char *source = mca_part_ucx_request_at(&send->super, offset);
    int process = atomic_load_explicit(&send->places, memory_order_relaxed);

    if (NULL != here) {
        memcpy(here, source, length); /* the receiver is told after it, as after the system call */
        return true;
    }
    if (0 != process && mca_part_ucx_place(process, target, source, length)) {
        return true;
    }
    PART_UCX_VERBOSE(1, "the memory of rank %d cannot be written to any more; it fetches",
                     send->super.peer_rank);
    atomic_store_explicit(&send->places, 0, memory_order_relaxed);
    return false;
}

void mca_part_ucx_share_ahead(mca_part_ucx_send_t *send, uint32_t unit)
{
    mca_part_ucx_unit_t *object = &send->unit[unit];
    uint64_t offset, length;

    if (0 == atomic_load_explicit(&send->places, memory_order_relaxed) || NULL != send->sent
        || (send->pulled && !mca_part_ucx_send_is_awaited(send))
        || PART_UCX_LINK_FAILED == mca_part_ucx_request_link(&send->super)) {
        return;
    }
    mca_part_ucx_map_range(&send->super.map, unit, 1, &offset, &length);
    object->way = mca_part_ucx_share_choose(send, mca_part_ucx_send_pair(send, unit), length);
    if (PART_UCX_WAY_PLACE == object->way) {
        bool placed = mca_part_ucx_share_place(send, unit, offset, length);

        object->way = placed ? PART_UCX_WAY_PLACED : PART_UCX_WAY_OPEN;
    }
}
