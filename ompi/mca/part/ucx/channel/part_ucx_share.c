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
#include "channel/part_ucx_send.h"

#include "base/part_ucx_clock.h"
#include "path/part_ucx_place.h"
#include "wireup/part_ucx_setup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the receiving end ---- */

bool mca_part_ucx_share_allowed(void)
{
    return NULL != mca_part_ucx.shared_path
           && PART_UCX_COPY_RECEIVER != mca_part_ucx.params.shared_copy
           && PART_UCX_METHOD_MESSAGE
                  == mca_part_ucx_setup_method(PART_UCX_DEVICE_SHARED, UINT64_MAX);
}

bool mca_part_ucx_share_make(mca_part_ucx_shm_t *shm, uint64_t bytes)
{
    return mca_part_ucx_share_allowed() && mca_part_ucx_shm_make(shm, bytes);
}

bool mca_part_ucx_share_probe(mca_part_ucx_shm_t *shm)
{
    return mca_part_ucx_share_allowed() && mca_part_ucx_shm_probe(shm);
}

bool mca_part_ucx_share_sees(const mca_part_ucx_shm_t *shm)
{
    return 0 != shm->bytes && mca_part_ucx_share_allowed() && mca_part_ucx_shm_found(shm);
}

#define VIEW_LIMIT UINT64_C(8192)

/* Pieces that lie in shared memory are copied there from this size on: it takes no system call. */
static uint64_t view_limit(void)
{
    uint64_t limit = mca_part_ucx.params.shared_eager_limit;

    return limit < VIEW_LIMIT ? limit : VIEW_LIMIT;
}

bool mca_part_ucx_share_is_used(const mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_shm_t *shm = recv->shm;
    const mca_part_ucx_piece_t *piece = recv->super.piece;

    for (uint32_t i = 0; NULL != shm && i < recv->super.cut; ++i) {
        if (piece[i].bytes > view_limit() && piece[i].address - shm->base < shm->bytes) {
            return true;
        }
    }
    return false;
}

/* ---- the sending end: where to ---- */

/* May the receive buffer be written to? Only a range of memory without gaps. */
static bool may_copy(const mca_part_ucx_send_t *send)
{
    return PART_UCX_METHOD_MESSAGE == send->super.method && send->super.contiguous
           && !send->eager_only && PART_UCX_COPY_RECEIVER != mca_part_ucx.params.shared_copy;
}

/* The receiver's list of the pieces of a link, as long as it may be. */
static bool read_targets(const mca_part_ucx_send_t *send, int32_t process, uint64_t bytes)
{
    mca_part_ucx_targets_t *targets = send->targets;
    const char *list = mca_part_ucx_shm_at(&targets->view, send->remote_data, bytes);

    if (NULL != list) {
        memcpy(targets->piece, list, bytes);
    } else if (0 == process
               || !mca_part_ucx_place_read(process, send->remote_data, targets->piece, bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < send->super.map.segments; ++i) {
        if (targets->piece[i].bytes != send->super.piece[i].bytes) {
            return false;
        }
    }
    return true;
}

static void forget_targets(mca_part_ucx_send_t *send)
{
    mca_part_ucx_share_end(send);
    free(send->targets);
    send->targets = NULL;
}

/* Learn where the pieces of a link go. False: that cannot be found out. */
static bool learn_targets(mca_part_ucx_send_t *send, int32_t process, const mca_part_ucx_shm_t *shm)
{
    uint64_t bytes = (uint64_t) send->super.map.segments * sizeof(mca_part_ucx_piece_t);

    forget_targets(send);
    send->targets = calloc(1, sizeof(*send->targets) + bytes);
    if (NULL == send->targets) {
        return false;
    }
    if (0 != shm->bytes && getpid() != shm->process) {
        (void) mca_part_ucx_shm_open(&send->targets->view, shm);
    }
    if (!read_targets(send, process, bytes)) {
        forget_targets(send);
        return false;
    }
    if (NULL != send->targets->view.here) {
        PART_UCX_VERBOSE(3, "pieces to rank %d are copied into shared memory",
                         send->super.peer_rank);
    }
    return true;
}

void mca_part_ucx_share_prepare(mca_part_ucx_send_t *send, bool allowed,
                                const mca_part_ucx_shm_t *shm)
{
    bool may = may_copy(send);
    int32_t process = may && allowed ? send->super.peer->process : 0;

    if (NULL != send->super.piece && may && (0 != process || 0 != shm->bytes)
        && !learn_targets(send, process, shm)) {
        process = 0;
    }
    atomic_store(&send->places, process);
}

void mca_part_ucx_share_end(mca_part_ucx_send_t *send)
{
    if (NULL != send->targets) {
        mca_part_ucx_shm_close(&send->targets->view);
    }
}

/* Where a piece goes, in memory that is shared; NULL: that is not in any. */
static char *in_view(const mca_part_ucx_send_t *send, uint32_t piece, uint64_t length)
{
    const mca_part_ucx_targets_t *targets = send->targets;

    return NULL == targets
               ? NULL
               : mca_part_ucx_shm_at(&targets->view, targets->piece[piece].address, length);
}

/* ---- the sending end: who ---- */

/* Smaller ones are not worth two looks at a clock. */
#define CHEAPER_MIN 8192u

mca_part_ucx_cheaper_t *mca_part_ucx_share_cheaper(const mca_part_ucx_send_t *send, uint32_t pair,
                                                   uint64_t length)
{
    mca_part_ucx_cheaper_t *cheaper = send->endpoint[pair]->cheaper;

    if (length < CHEAPER_MIN || length > mca_part_ucx.params.shared_eager_limit
        || 0 == atomic_load_explicit(&send->places, memory_order_relaxed)) {
        return NULL;
    }
    for (unsigned i = 1; i < PART_UCX_CHEAPER_SIZES && length >> i >= CHEAPER_MIN; ++i) {
        ++cheaper;
    }
    return cheaper;
}

void mca_part_ucx_share_note(mca_part_ucx_cheaper_t *cheaper, uint32_t way, uint64_t length,
                             uint64_t begin_ns)
{
    uint64_t ns = mca_part_ucx_clock_ns() - begin_ns;

    /* What follows takes time, too: what was carried is copied once more; what was placed needs a
     * message, and a system call leaves less in the caches: about half as long as the call. */
    ns += PART_UCX_CARRY == way ? ns : ns / 2;
    mca_part_ucx_cheaper_note(cheaper, way, length, ns);
}

/* Who copies a unit that is not carried. Any thread. */
static mca_part_ucx_way_t take_turns(mca_part_ucx_send_t *send, uint32_t pair)
{
    mca_part_ucx_endpoint_t *endpoint = send->endpoint[pair];
    unsigned most = atomic_load_explicit(&endpoint->placed, memory_order_relaxed) ? 2 : 1;

    if (PART_UCX_COPY_SENDER == mca_part_ucx.params.shared_copy || send->super.warm) {
        return PART_UCX_WAY_PLACE;
    }
    if (atomic_fetch_add_explicit(&endpoint->offers, 1, memory_order_relaxed) < most) {
        atomic_store_explicit(&endpoint->placed, false, memory_order_relaxed);
        return PART_UCX_WAY_OFFER;
    }
    mca_part_ucx_share_undo(endpoint);
    atomic_store_explicit(&endpoint->placed, true, memory_order_relaxed);
    return PART_UCX_WAY_PLACE;
}

/* The same of one that is too large to be carried. */
static mca_part_ucx_way_t choose_large(mca_part_ucx_send_t *send, uint32_t pair)
{
    if (1 == send->super.map.units && PART_UCX_COPY_SENDER != mca_part_ucx.params.shared_copy
        && !send->super.warm) {
        return PART_UCX_WAY_OPEN; /* nobody to take turns with, and an offer may precede READY */
    }
    return take_turns(send, pair);
}

/* The same of one that could be carried. */
static mca_part_ucx_way_t choose_small(mca_part_ucx_send_t *send, uint32_t pair, uint64_t length)
{
    mca_part_ucx_cheaper_t *cheaper = mca_part_ucx_share_cheaper(send, pair, length);

    if (NULL == cheaper || PART_UCX_PLACE != mca_part_ucx_cheaper_next(cheaper)) {
        return PART_UCX_WAY_OPEN;
    }
    /* A try of placing finds out what that costs; and one unit is there sooner than its offer. */
    return cheaper->trying || 1 == send->super.map.units ? PART_UCX_WAY_PLACE
                                                         : take_turns(send, pair);
}

mca_part_ucx_way_t mca_part_ucx_share_choose(mca_part_ucx_send_t *send, uint32_t pair,
                                             uint32_t first, uint64_t length)
{
    if (length > view_limit() && NULL != in_view(send, first, length)) {
        return PART_UCX_WAY_PLACE;
    }
    if (0 == atomic_load_explicit(&send->places, memory_order_relaxed)) {
        return PART_UCX_WAY_OPEN;
    }
    return length <= mca_part_ucx.params.shared_eager_limit ? choose_small(send, pair, length)
                                                            : choose_large(send, pair);
}

/* Place by a system call. */
static bool place(mca_part_ucx_send_t *send, uint32_t pair, uint64_t target, const char *source,
                  uint64_t length)
{
    mca_part_ucx_cheaper_t *cheaper = mca_part_ucx_share_cheaper(send, pair, length);
    int process = atomic_load_explicit(&send->places, memory_order_relaxed);
    uint64_t begin = NULL != cheaper ? mca_part_ucx_clock_ns() : 0;

    if (0 == process || !mca_part_ucx_place(process, target, source, length)) {
        return false;
    }
    if (NULL != cheaper) {
        mca_part_ucx_share_note(cheaper, PART_UCX_PLACE, length, begin);
    }
    return true;
}

bool mca_part_ucx_share_place(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first,
                              uint64_t offset, uint64_t length)
{
    const mca_part_ucx_targets_t *targets = send->targets;
    uint64_t target = NULL != targets ? targets->piece[first].address : send->remote_data + offset;
    char *here = in_view(send, first, length);
    const char *source = mca_part_ucx_request_at(&send->super, offset);

    if (NULL != here) {
        /* Under the path's lock. The receiver is told after it, as after the system call. */
        mca_part_ucx_copy(&send->targets->copies, here, source, length);
        return true;
    }
    if (place(send, pair, target, source, length)) {
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
    uint32_t pair = mca_part_ucx_send_pair(send, unit);
    uint64_t offset, length;

    if (0 == atomic_load_explicit(&send->places, memory_order_relaxed) || NULL != send->sent
        || (send->pulled && !mca_part_ucx_send_is_awaited(send))
        || PART_UCX_LINK_FAILED == atomic_load(&send->super.link)) { /* see part_ucx_leave.c */
        return;
    }
    mca_part_ucx_map_range(&send->super.map, unit, 1, &offset, &length);
    if (length <= mca_part_ucx.params.shared_eager_limit) {
        return; /* quickly done, by one thread at a time */
    }
    object->way = choose_large(send, pair);
    if (PART_UCX_WAY_PLACE == object->way) {
        bool placed = mca_part_ucx_share_place(send, pair, unit, offset, length);

        object->way = placed ? PART_UCX_WAY_PLACED : PART_UCX_WAY_OPEN;
    }
}
