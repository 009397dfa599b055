/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Putting pieces of a link together (see part_ucx_bundle.h).
 */
#include "channel/part_ucx_bundle.h"

#include "channel/part_ucx_datatype.h"
#include "channel/part_ucx_delivery.h"
#include "channel/part_ucx_failover_resend_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

static uint64_t most_now(const mca_part_ucx_bundler_t *bundler)
{
    return atomic_load_explicit(&bundler->most, memory_order_relaxed);
}

/* ---- when pieces may leave ---- */

bool mca_part_ucx_bundle_takes(const mca_part_ucx_send_t *send, uint32_t piece)
{
    return mca_part_ucx_bundle_size_fits(send->super.piece[piece].bytes, most_now(send->bundler),
                                         send->bundler->largest);
}

void mca_part_ucx_bundle_push(mca_part_ucx_send_t *send, uint32_t piece)
{
    mca_part_ucx_bundler_t *bundler = send->bundler;
    uint32_t turn = atomic_fetch_add_explicit(&send->pushed, 1, memory_order_relaxed);

    if (mca_part_ucx_mailbox_push(&bundler->box, &send->unit[piece].work.item)) {
        bundler->pair = mca_part_ucx_send_choose(send, piece, turn);
        mca_part_ucx_path_push(send->endpoint[bundler->pair]->path, &bundler->work);
    }
}

/* ---- when the path gets to them ---- */

/* Append what has come. `over`: it is not going to leave. */
static void take(mca_part_ucx_bundler_t *bundler, uint32_t pair, bool over)
{
    mca_part_ucx_item_t *item = mca_part_ucx_mailbox_take(&bundler->box);

    while (NULL != item && over) {
        mca_part_ucx_item_t *next = item->next;

        mca_part_ucx_delivery_forget(bundler->send, mca_part_ucx_unit_index(bundler->send, item));
        item = next;
    }
    for (; NULL != item; item = item->next) {
        mca_part_ucx_send_load(bundler->send, mca_part_ucx_unit_index(bundler->send, item), pair);
        *bundler->tail = item;
        bundler->tail = &item->next;
    }
}

/* How many pieces, from the first on, fit into one message, and its length; at least one. */
static uint32_t count_fitting(const mca_part_ucx_bundler_t *bundler, uint64_t *length)
{
    const mca_part_ucx_send_t *send = bundler->send;
    uint64_t most = most_now(bundler);
    uint32_t count = 0;

    *length = 0;
    for (const mca_part_ucx_item_t *item = bundler->taken;
         NULL != item && count < PART_UCX_BUNDLE_MOST; item = item->next) {
        uint32_t piece = mca_part_ucx_unit_index(send, item);
        uint64_t more = mca_part_ucx_bundle_size_share(send->super.piece[piece].bytes);

        if (0 != count && *length + more > most) {
            break;
        }
        *length += more;
        ++count;
    }
    return count;
}

/* Cut `count` items off the list; the last of them then ends it. */
static void cut(mca_part_ucx_bundler_t *bundler, uint32_t count, mca_part_ucx_item_t **last)
{
    *last = bundler->taken;
    while (--count > 0) {
        *last = (*last)->next;
    }
    bundler->taken = (*last)->next;
    if (NULL == bundler->taken) {
        bundler->tail = &bundler->taken;
    }
    (*last)->next = NULL;
}

/* Post one message with as many as fit; false: the path has no room now. Once they are posted, the
 * next epoch may have them in the mailbox again: so they are off the list before. */
static bool post_some(mca_part_ucx_bundler_t *bundler)
{
    mca_part_ucx_item_t *first = bundler->taken, *last;
    uint64_t length;
    uint32_t count = count_fitting(bundler, &length);

    cut(bundler, count, &last);
    if (1 == count ? mca_part_ucx_delivery_post(bundler->send, bundler->pair,
                                                mca_part_ucx_unit_index(bundler->send, first), 1)
                   : mca_part_ucx_delivery_post_bundle(bundler->send, bundler->pair, first, count,
                                                       length)) {
        return true;
    }
    last->next = bundler->taken;
    if (NULL == last->next) {
        bundler->tail = &last->next;
    }
    bundler->taken = first;
    return false;
}

/* The link has failed: what was taken does not leave. */
static void drop_taken(mca_part_ucx_bundler_t *bundler)
{
    mca_part_ucx_item_t *last;

    while (NULL != bundler->taken) {
        uint32_t piece = mca_part_ucx_unit_index(bundler->send, bundler->taken);

        cut(bundler, 1, &last);
        mca_part_ucx_delivery_forget(bundler->send, piece);
        mca_part_ucx_send_unload(bundler->send, piece);
    }
}

/* The link stays while the path's lock is held, whatever has been posted: who frees it waits. */
static bool post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    mca_part_ucx_bundler_t *bundler = PART_UCX_CONTAINER(work, mca_part_ucx_bundler_t, work);
    uint32_t pair = bundler->pair;

    (void) path;
    do {
        bool over = mca_part_ucx_channel_is_over(&bundler->send->super);

        take(bundler, pair, over);
        if (over) {
            drop_taken(bundler);
        }
        while (NULL != bundler->taken) {
            if (!post_some(bundler)) {
                return false;
            }
        }
    } while (!mca_part_ucx_mailbox_leave(&bundler->box));
    return true;
}

/* ---- making ---- */

int mca_part_ucx_bundle_build(mca_part_ucx_send_t *send)
{
    mca_part_ucx_bundler_t *bundler = calloc(1, sizeof(*bundler));
    uint64_t most;

    if (NULL == bundler) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    send->bundler = bundler;
    bundler->tail = &bundler->taken;
    bundler->send = send;
    bundler->work.post = post;
    if (OMPI_SUCCESS != mca_part_ucx_bundle_size_make(send, &most, &bundler->largest,
                                                      &bundler->size)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    atomic_init(&bundler->most, most);
    return OMPI_SUCCESS;
}

void mca_part_ucx_bundle_free(mca_part_ucx_send_t *send)
{
    if (NULL != send->bundler) {
        free(send->bundler->size);
        free(send->bundler);
    }
}

void mca_part_ucx_bundle_begin(mca_part_ucx_send_t *send)
{
    if (NULL != send->bundler->size) {
        atomic_store_explicit(&send->bundler->most,
                              mca_part_ucx_bundle_size_next(send->bundler->size),
                              memory_order_relaxed);
    }
}

/* ---- in one message ---- */

/* Of a link that fails over its copy: the plan may have the source back. */
static const void *source_of(const mca_part_ucx_send_t *send, uint32_t piece)
{
    return NULL != send->resend_buffer
               ? mca_part_ucx_failover_resend_buffer_at(send, piece)
               : (const void *) (uintptr_t) send->super.piece[piece].address;
}

/* Of a link that fails over they have not been since they were copied. */
void mca_part_ucx_bundle_unload(mca_part_ucx_send_t *send, const mca_part_ucx_item_t *first)
{
    for (; NULL != first && NULL == send->resend_buffer; first = first->next) {
        mca_part_ucx_send_unload(send, mca_part_ucx_unit_index(send, first));
    }
}

const void *mca_part_ucx_bundle_pack(mca_part_ucx_transfer_t *transfer,
                                     const mca_part_ucx_send_t *send,
                                     const mca_part_ucx_item_t *first, uint32_t count,
                                     uint64_t length)
{
    mca_part_ucx_bundled_t *entry;
    char *bytes;

    if (!mca_part_ucx_datatype_grow(&transfer->op.staging, &transfer->op.staging_size, length)) {
        return NULL;
    }
    entry = transfer->op.staging;
    bytes = (char *) (entry + count);
    for (const mca_part_ucx_item_t *item = first; NULL != item; item = item->next) {
        uint32_t index = mca_part_ucx_unit_index(send, item);
        const mca_part_ucx_piece_t *piece = &send->super.piece[index];

        *entry++ = (mca_part_ucx_bundled_t) {.piece = index, .length = (uint32_t) piece->bytes};
        if (0 != piece->bytes) {
            memcpy(bytes, source_of(send, index), piece->bytes);
            bytes += piece->bytes;
        }
    }
    return transfer->op.staging;
}
