/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fast boxes (see part_ucx_fastbox.h).
 */
#include "channel/part_ucx_fastbox.h"

#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_credit_limits.h"
#include "channel/part_ucx_event.h"
#include "channel/part_ucx_traffic.h"
#include "path/part_ucx_guests.h"
#include "path/part_ucx_helper.h"
#include "process/part_ucx_log.h"

#include <sched.h>
#include <stdlib.h>

/* ---- where they are ---- */

uint64_t mca_part_ucx_fastbox_bytes(uint32_t pieces, uint64_t largest, uint64_t total)
{
    uint32_t credit = mca_part_ucx_credit_limits_of_boxes(pieces, total);
    mca_part_ucx_boxes_t boxes;

    if (0 == credit || !mca_part_ucx_boxes_fit(pieces, largest)) {
        return 0;
    }
    boxes = mca_part_ucx_boxes_at(NULL, pieces, largest, credit);
    return mca_part_ucx_boxes_bytes(&boxes);
}

static uint64_t largest_of(const mca_part_ucx_channel_t *link)
{
    return mca_part_ucx_boxes_largest(link->piece, link->partitions);
}

/* ---- receiver ---- */

static mca_part_ucx_traffic_t *traffic_of(const mca_part_ucx_recv_t *recv)
{
    return mca_part_ucx_traffic_of(recv->endpoint->path);
}

/* Take it off the list of its path. Under the path's lock. */
static void unlist(mca_part_ucx_boxed_t *boxed)
{
    if (NULL != boxed->back) {
        *boxed->back = boxed->next;
        if (NULL != boxed->next) {
            boxed->next->back = boxed->back;
        }
        boxed->back = NULL;
    }
}

static bool is_looked_for(mca_part_ucx_boxed_t *boxed)
{
    return atomic_load_explicit(&boxed->used, memory_order_relaxed)
           && !mca_part_ucx_channel_is_over(&boxed->recv->super);
}

/* Take what is there of the epoch. The link is only ours while something is missing: whoever gets
 * the last piece has taken it off the list before. How many pieces; `all`: none is missing, and it
 * may be gone. */
static int take(mca_part_ucx_boxed_t *boxed, bool *all)
{
    mca_part_ucx_recv_t *recv = boxed->recv;
    uint32_t epoch = mca_part_ucx_recv_epoch(recv);
    uint32_t pieces = recv->super.partitions;
    int taken = 0;

    *all = false;
    for (uint32_t i = 0; i < pieces && !*all; ++i) {
        const mca_part_ucx_piece_t *piece = &recv->super.piece[i];
        const mca_part_ucx_box_t *box = mca_part_ucx_boxes_box(&boxed->boxes, epoch, i);

        if (epoch == atomic_load_explicit(&recv->came[i], memory_order_relaxed)
            || epoch != atomic_load_explicit(&box->epoch, memory_order_acquire)) {
            continue;
        }
        mca_part_ucx_piece_store(piece, box->bytes);
        atomic_store_explicit(&recv->came[i], epoch, memory_order_relaxed);
        *all = 0 == --boxed->missing;
        if (*all) {
            unlist(boxed);
        }
        ++taken;
        mca_part_ucx_recv_arrived(recv, epoch, i, 1);
    }
    return taken;
}

static void list(mca_part_ucx_boxed_t *boxed)
{
    mca_part_ucx_boxed_t **first = &traffic_of(boxed->recv)->boxed;

    boxed->next = *first;
    boxed->back = first;
    if (NULL != boxed->next) {
        boxed->next->back = &boxed->next;
    }
    *first = boxed;
}

/* Who fills a box looks at `asleep` after that; who sets it looks into the boxes after that. One of
 * them sees the other. */
static void ask_to_be_woken(const mca_part_ucx_boxed_t *boxed)
{
    atomic_store(&mca_part_ucx_boxes_head(&boxed->boxes)->asleep, 1);
    atomic_thread_fence(memory_order_seq_cst);
}

/* An epoch has been started, and pieces are missing. */
static bool list_post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    mca_part_ucx_boxed_t *boxed = PART_UCX_CONTAINER(work, mca_part_ucx_boxed_t, work);
    bool all;

    (void) path;
    atomic_store(&boxed->queued, false); /* it stays while the path's lock is held */
    if (is_looked_for(boxed)) {
        list(boxed);
        if (mca_part_ucx_helper_watches()) {
            ask_to_be_woken(boxed);
        }
        (void) take(boxed, &all);
    }
    return true;
}

bool mca_part_ucx_fastbox_make(mca_part_ucx_recv_t *recv, uint64_t boxes)
{
    mca_part_ucx_boxed_t *boxed = calloc(1, sizeof(*boxed));

    if (NULL != boxed) {
        boxed->recv = recv;
        boxed->boxes.area = (char *) (uintptr_t) boxes;
        boxed->work.post = list_post;
        boxed->work.urgent = true;
        atomic_init(&boxed->used, true);
    }
    recv->boxed = boxed;
    return NULL != boxed;
}

void mca_part_ucx_fastbox_build(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_boxed_t *boxed = mca_part_ucx_recv_boxed(recv);
    uint32_t credit = mca_part_ucx_credit_epochs(recv);

    if (NULL != boxed && 0 != credit) {
        boxed->boxes = mca_part_ucx_boxes_at(boxed->boxes.area, recv->super.partitions,
                                             largest_of(&recv->super), credit);
    } else if (NULL != boxed) {
        free(boxed);
        recv->boxed = NULL;
    }
}

uint64_t mca_part_ucx_fastbox_offer(const mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_boxed_t *boxed = mca_part_ucx_recv_boxed(recv);

    return NULL == boxed ? 0 : (uint64_t) (uintptr_t) boxed->boxes.area;
}

void mca_part_ucx_fastbox_start(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_boxed_t *boxed = mca_part_ucx_recv_boxed(recv);
    bool all;

    if (NULL == boxed || !is_looked_for(boxed)) {
        return;
    }
    boxed->missing = recv->super.partitions;
    (void) take(boxed, &all); /* in no list yet, so nobody else looks */
    if (!all) {
        atomic_store(&boxed->queued, true);
        mca_part_ucx_path_push(recv->endpoint->path, &boxed->work);
    }
}

int mca_part_ucx_fastbox_poll(mca_part_ucx_path_t *path)
{
    mca_part_ucx_boxed_t *next;
    int taken = 0;
    bool all;

    /* What is taken makes no other link leave the list, nor come into it. */
    for (mca_part_ucx_boxed_t *boxed = mca_part_ucx_traffic_of(path)->boxed; NULL != boxed;
         boxed = next) {
        next = boxed->next;
        if (is_looked_for(boxed)) {
            taken += take(boxed, &all);
        } else {
            unlist(boxed);
        }
    }
    return taken;
}

bool mca_part_ucx_fastbox_doze(mca_part_ucx_path_t *path)
{
    for (const mca_part_ucx_boxed_t *boxed = mca_part_ucx_traffic_of(path)->boxed; NULL != boxed;
         boxed = boxed->next) {
        ask_to_be_woken(boxed);
    }
    return 0 == mca_part_ucx_fastbox_poll(path);
}

void mca_part_ucx_fastbox_end(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_boxed_t *boxed = mca_part_ucx_recv_boxed(recv);

    if (NULL == boxed) {
        return;
    }
    atomic_store(&boxed->used, false);
    if (NULL == recv->endpoint) { /* it has not met its other end */
        return;
    }
    /* Where the sender did without them, its messages may have been faster than the path. One that
     * has failed stays, so it may be queued for ever. */
    while (atomic_load(&boxed->queued) && !mca_part_ucx_channel_is_over(&recv->super)) {
        (void) mca_part_ucx_path_drive(recv->endpoint->path, false);
        sched_yield();
    }
    mca_part_ucx_path_lock(recv->endpoint->path);
    unlist(boxed);
    mca_part_ucx_path_unlock(recv->endpoint->path);
}

/* ---- sender ---- */

static void nudged(void *request, ucs_status_t status, void *peer)
{
    (void) status; /* who is gone need not be woken */
    mca_part_ucx_path_free_request(request);
    mca_part_ucx_guests_leave(peer);
}

/* The receiver's helper thread sleeps on the events of its paths: make one. */
static bool nudge_post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    mca_part_ucx_endpoint_t *endpoint = PART_UCX_CONTAINER(work, mca_part_ucx_endpoint_t, nudge);

    (void) path;
    /* Who has something from now on sends another one. Not a store: it would not see what came
     * before others saw this one queued. */
    (void) atomic_exchange(&endpoint->nudging, false);
    mca_part_ucx_event_post(endpoint, PART_UCX_AM_PROBE, NULL, 0, NULL, 0, nudged, endpoint->peer);
    return true;
}

static void nudge(mca_part_ucx_endpoint_t *endpoint)
{
    if (!atomic_exchange(&endpoint->nudging, true)) {
        mca_part_ucx_guests_use(endpoint->peer); /* the message needs the endpoint */
        mca_part_ucx_path_push(endpoint->path, &endpoint->nudge);
    }
}

void mca_part_ucx_fastbox_attach(mca_part_ucx_send_t *send, uint64_t offer)
{
    mca_part_ucx_endpoint_t *endpoint = send->endpoint[0];
    uint32_t pieces = send->super.partitions;
    mca_part_ucx_boxes_t boxes;
    char *area;

    if (0 == offer || 0 == send->credit || NULL == send->targets
        || !mca_part_ucx_boxes_fit(pieces, largest_of(&send->super))) {
        return;
    }
    boxes = mca_part_ucx_boxes_at(NULL, pieces, largest_of(&send->super), send->credit);
    area = mca_part_ucx_shm_at(&send->targets->view, offer, mca_part_ucx_boxes_bytes(&boxes));
    if (NULL == area || 0 != (uintptr_t) area % PART_UCX_BOXES_LINE) {
        return;
    }
    if (NULL == endpoint->nudge.post) {
        endpoint->nudge.post = nudge_post;
        endpoint->nudge.urgent = true;
    }
    boxes.area = area;
    send->targets->boxes = boxes;
    PART_UCX_VERBOSE(3, "pieces to rank %d go into boxes", send->super.peer_rank);
}

/*
 * Without a lock. Giving the link up changes its state, then looks whether marks are complete
 * (part_ucx_send_side.c, `touched`): so it sees this, or this sees that, and the view stays as long
 * as something is written there.
 */
bool mca_part_ucx_fastbox_put(mca_part_ucx_send_t *send, uint32_t piece)
{
    const mca_part_ucx_piece_t *source = &send->super.piece[piece];
    const mca_part_ucx_boxes_t *boxes = &send->targets->boxes;
    uint32_t epoch = mca_part_ucx_send_epoch(send);
    mca_part_ucx_box_t *box = mca_part_ucx_boxes_box(boxes, epoch, piece);
    mca_part_ucx_boxes_head_t *head = mca_part_ucx_boxes_head(boxes);
    bool good = !mca_part_ucx_state_is_end((mca_part_ucx_state_t) atomic_load(&send->super.state));

    if (good) {
        mca_part_ucx_piece_load(source, box->bytes);
        atomic_store_explicit(&box->epoch, epoch, memory_order_release);
        atomic_thread_fence(memory_order_seq_cst); /* see ask_to_be_woken() */
        if (0 != atomic_load_explicit(&head->asleep, memory_order_relaxed)
            && 0 != atomic_exchange(&head->asleep, 0)) {
            nudge(send->endpoint[0]);
        }
    }
    atomic_store_explicit(&send->unit[piece].marks, 0, memory_order_release);
    return good;
}
