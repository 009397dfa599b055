/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who delivers what: the table of deliveries, choosing and posting (see part_ucx_delivery.h).
 * Callbacks of UCX only record: flushing or progressing inside of them is not allowed.
 */
#include "channel/part_ucx_delivery.h"

#include "channel/part_ucx_bundle_read.h"
#include "channel/part_ucx_copy_side.h"
#include "channel/part_ucx_datatype.h"
#include "channel/part_ucx_failover_resend.h"

#define ADDRESS(row) &mca_part_ucx_deliver_##row,
const mca_part_ucx_delivery_t *const mca_part_ucx_deliveries[] = {PART_UCX_DELIVERIES(ADDRESS)};

#define ROWS ((uint32_t) (sizeof(mca_part_ucx_deliveries) / sizeof(mca_part_ucx_deliveries[0])))

/* Where a row is kept, rows are counted from 1 on. */
#define NO_ROW 0u

/* ---- choosing ---- */

void mca_part_ucx_delivery_prepare(mca_part_ucx_send_t *send)
{
    send->deliveries = 0;
    send->early = NO_ROW;
    send->ahead = NO_ROW;
    for (uint32_t i = 0; i < ROWS; ++i) {
        const mca_part_ucx_delivery_t *row = mca_part_ucx_deliveries[i];

        if (row->method != send->super.method || (0 != send->credit && !row->carries)
            || (NULL != row->serves && !row->serves(send))) {
            continue;
        }
        send->deliveries |= 1u << i;
        /* An offer that comes early has its place on the first pair. */
        if (NULL != row->early && !send->rotates && row->early(send)) {
            send->early = (uint8_t) (i + 1);
        }
        if (NULL != row->ahead) {
            send->ahead = (uint8_t) (i + 1);
        }
    }
}

/* The first row that fits; the last one that serves the channel does always. */
static uint32_t choose(mca_part_ucx_parcel_t *parcel)
{
    uint32_t rows = parcel->send->deliveries;
    uint32_t row = (uint32_t) __builtin_ctz(rows);

    while (0 != (rows & (rows - 1)) && NULL != mca_part_ucx_deliveries[row]->fits
           && !mca_part_ucx_deliveries[row]->fits(parcel)) {
        rows &= rows - 1;
        row = (uint32_t) __builtin_ctz(rows);
    }
    return row;
}

/* ---- a unit's decision, between being marked and being posted ---- */

static mca_part_ucx_parcel_t parcel_of(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first,
                                       uint32_t count, const mca_part_ucx_unit_t *unit)
{
    mca_part_ucx_parcel_t parcel = {.send = send,
                                    .pair = pair,
                                    .first = first,
                                    .count = count,
                                    .reserved = NULL != unit && unit->reserved,
                                    .placed = NULL != unit && unit->placed};

    mca_part_ucx_map_range(&send->super.map, first, count, &parcel.offset, &parcel.length);
    return parcel;
}

static void keep(mca_part_ucx_unit_t *unit, uint32_t row, const mca_part_ucx_parcel_t *parcel)
{
    unit->row = (uint8_t) row;
    unit->reserved = parcel->reserved;
    unit->placed = parcel->placed;
}

static void forget(mca_part_ucx_unit_t *unit)
{
    unit->row = NO_ROW;
    unit->reserved = false;
    unit->placed = false;
}

void mca_part_ucx_delivery_forget(mca_part_ucx_send_t *send, uint32_t unit)
{
    if (send->unit[unit].reserved) {
        mca_part_ucx_copy_side_undo(send->endpoint[mca_part_ucx_send_pair(send, unit)]);
    }
    forget(&send->unit[unit]);
}

void mca_part_ucx_delivery_ahead(mca_part_ucx_send_t *send, uint32_t unit)
{
    mca_part_ucx_parcel_t parcel;

    /* The state is looked at after the marks: see touched() in part_ucx_send_side.c. */
    if (NO_ROW == send->ahead || NULL != send->sent
        || (NO_ROW != send->early && !mca_part_ucx_send_heard_ready(send))
        || mca_part_ucx_state_is_end((mca_part_ucx_state_t) atomic_load(&send->super.state))) {
        return;
    }
    parcel = parcel_of(send, mca_part_ucx_send_pair(send, unit), unit, 1, NULL);
    mca_part_ucx_deliveries[send->ahead - 1]->ahead(&parcel);
    keep(&send->unit[unit], NO_ROW, &parcel);
}

/* ---- posting ---- */

/* May the transfer's staging grow to `length`? The first operation of a path always may. */
static bool staging_allowed(mca_part_ucx_op_t *op, uint64_t length)
{
    size_t more = length > op->staging_size ? length - op->staging_size : 0;

    if (0 == more) {
        return true;
    }
    if (op->path->ops_in_flight > 1
        && atomic_load(&mca_part_ucx_window_staging) + more > mca_part_ucx_params.staging_limit) {
        return false;
    }
    if (mca_part_ucx_datatype_grow(&op->staging, &op->staging_size, length)) {
        atomic_fetch_add(&mca_part_ucx_window_staging, more);
    }
    return true; /* if it has not grown, packing fails */
}

/* An operation for a parcel; NULL when the path has no room now. */
static mca_part_ucx_op_t *take_op(mca_part_ucx_path_t *path, const mca_part_ucx_parcel_t *parcel,
                                  bool own, bool instant)
{
    mca_part_ucx_send_t *send = parcel->send;
    mca_part_ucx_op_t *op;

    if (own) {
        send->own.op.path = path;
        send->own.op.state = PART_UCX_OP_IN_FLIGHT;
        return &send->own.op; /* the whole message: nothing of it leaves before in parts */
    }
    op = mca_part_ucx_path_take_op(path, instant ? 0 : parcel->length);
    if (NULL != op && (!send->super.contiguous || NULL != parcel->bundle)
        && !staging_allowed(op, parcel->length)) {
        mca_part_ucx_path_return_op(op);
        return NULL; /* operations in flight will give theirs back */
    }
    return op;
}

static void fill(mca_part_ucx_transfer_t *transfer, mca_part_ucx_endpoint_t *endpoint,
                 const mca_part_ucx_parcel_t *parcel)
{
    mca_part_ucx_send_t *send = parcel->send;

    transfer->op.endpoint = endpoint;
    transfer->op.channel = &send->super;
    transfer->pair = parcel->pair;
    transfer->reserved = parcel->reserved;
    transfer->header = (mca_part_ucx_data_header_t) {
        .key = send->super.peer_key,
        .epoch = atomic_load_explicit(&send->super.epoch, memory_order_relaxed),
        .segment = parcel->first,
        .count = parcel->count,
        .nonce = atomic_load_explicit(&send->super.peer_nonce, memory_order_relaxed)};
}

static void count_parcel(mca_part_ucx_path_t *path, const mca_part_ucx_parcel_t *parcel)
{
    bool bundle = NULL != parcel->bundle;
    uint64_t list = bundle ? mca_part_ucx_bundle_list_bytes(parcel->count) : 0;

    atomic_store_explicit(&path->dirty, true, memory_order_relaxed);
    mca_part_ucx_path_tally(&path->counters.bytes, parcel->length - list);
    mca_part_ucx_path_tally(&path->counters.units, bundle ? parcel->count : 1);
    mca_part_ucx_path_tally(&path->counters.messages, 1);
}

const void *mca_part_ucx_delivery_source(mca_part_ucx_transfer_t *transfer,
                                         const mca_part_ucx_parcel_t *parcel)
{
    mca_part_ucx_channel_t *channel = &parcel->send->super;

    if (0 == parcel->length) {
        return ""; /* it may have no address; NULL would say that there is no memory */
    }
    if (channel->contiguous) {
        return mca_part_ucx_channel_at(channel, parcel->offset);
    }
    return mca_part_ucx_datatype_pack(&channel->convertor[parcel->pair], parcel->offset,
                                      parcel->length, &transfer->op.staging,
                                      &transfer->op.staging_size);
}

/* It has its operation: off it goes. The send may be gone afterwards. */
static void launch(mca_part_ucx_op_t *op, uint32_t row, mca_part_ucx_parcel_t *parcel)
{
    mca_part_ucx_transfer_t *transfer = mca_part_ucx_transfer_of(op);

    fill(transfer, parcel->send->endpoint[parcel->pair], parcel);
    count_parcel(op->path, parcel);
    transfer->row = (uint8_t) row;
    while (!mca_part_ucx_deliveries[transfer->row]->post(transfer, parcel)) {
        transfer->row = (uint8_t) choose(parcel);
    }
}

bool mca_part_ucx_delivery_post(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first,
                                uint32_t count)
{
    mca_part_ucx_endpoint_t *endpoint = send->endpoint[pair];
    mca_part_ucx_unit_t *unit = NULL == send->sent ? &send->unit[first] : NULL;
    mca_part_ucx_parcel_t parcel = parcel_of(send, pair, first, count, unit);
    uint32_t kept = NULL == unit ? NO_ROW : unit->row;
    bool own = NO_ROW != send->early && NO_ROW == kept && !parcel.reserved && !parcel.placed
               && !mca_part_ucx_send_heard_ready(send);
    uint32_t row = own              ? send->early - 1u
                   : NO_ROW != kept ? kept - 1
                                    : choose(&parcel);
    mca_part_ucx_op_t *op;

    if (NULL != send->resend && !mca_part_ucx_endpoint_is_up(endpoint)) {
        mca_part_ucx_failover_resend_defer(send, pair, first, count);
        return true;
    }
    op = take_op(endpoint->path, &parcel, own, mca_part_ucx_deliveries[row]->instant);
    if (NULL == op) {
        if (NULL != unit) {
            keep(unit, row + 1, &parcel);
        } else if (parcel.reserved) {
            mca_part_ucx_copy_side_undo(endpoint);
        }
        return false;
    }
    if (NULL != unit) {
        forget(unit);
    }
    if (NULL != send->resend) {
        parcel.offset
            = mca_part_ucx_failover_resend_posted(send, pair, first, count, parcel.offset);
    }
    launch(op, row, &parcel);
    return true;
}

bool mca_part_ucx_delivery_post_unit(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    mca_part_ucx_unit_t *unit = PART_UCX_CONTAINER(work, mca_part_ucx_unit_t, work);
    mca_part_ucx_send_t *send = unit->send;
    uint32_t index = (uint32_t) (unit - send->unit);

    (void) path;
    if (mca_part_ucx_channel_is_over(&send->super)) {
        mca_part_ucx_delivery_forget(send, index);
        if (NULL != send->super.piece) {
            mca_part_ucx_send_unload(send, index);
        }
        return true; /* completed with an error; the buffer is the user's again */
    }
    return mca_part_ucx_delivery_post(send, mca_part_ucx_send_pair(send, index), index, 1);
}

/* The pair is lost: each of the pieces takes another one. */
static void defer_bundle(mca_part_ucx_send_t *send, uint32_t pair,
                         const mca_part_ucx_item_t *first)
{
    while (NULL != first) {
        /* Afterwards it may arrive by its new pair, and the next epoch queue it again. */
        const mca_part_ucx_item_t *next = first->next;

        mca_part_ucx_failover_resend_defer(send, pair, mca_part_ucx_unit_index(send, first), 1);
        first = next;
    }
}

bool mca_part_ucx_delivery_post_bundle(mca_part_ucx_send_t *send, uint32_t pair,
                                       const mca_part_ucx_item_t *first, uint32_t count,
                                       uint64_t length)
{
    mca_part_ucx_parcel_t parcel = {.send = send,
                                    .pair = pair,
                                    .first = mca_part_ucx_unit_index(send, first),
                                    .count = count,
                                    .length = length,
                                    .bundle = first};
    mca_part_ucx_op_t *op;

    if (NULL != send->resend && !mca_part_ucx_endpoint_is_up(send->endpoint[pair])) {
        defer_bundle(send, pair, first);
        return true;
    }
    op = take_op(send->endpoint[pair]->path, &parcel, false, false);
    if (NULL == op) {
        return false;
    }
    for (const mca_part_ucx_item_t *item = first; NULL != item; item = item->next) {
        uint32_t piece = mca_part_ucx_unit_index(send, item);

        /* Of a try alone, without room. It may have reserved a turn to copy. */
        mca_part_ucx_delivery_forget(send, piece);
        if (NULL != send->resend) {
            (void) mca_part_ucx_failover_resend_posted(send, pair, piece, 1, 0);
        }
    }
    launch(op, choose(&parcel), &parcel);
    return true;
}
