/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Moving units: the only place that knows in which order data and arrival flags may leave.
 * docs/protocol.md argues, per transport class, why no flag is visible before its data; the
 * comments here say which rule each step keeps.
 *
 *   message   data and flag are one active message; the receiver sets the flag itself
 *   placed    data in the receiver's memory, written by us | message; the receiver sets the flag
 *   flush     put ... put | flush completes | flag put    (progress does the last two steps)
 *   chained   put | put completes | flag put              (where completion means in place)
 *
 * Everything here runs under the lock of the path concerned. Callbacks only record: flushing or
 * progressing inside a UCX callback is not allowed.
 */
#include "channel/part_ucx_request.h"

#include "base/part_ucx_clock.h"
#include "channel/part_ucx_datatype.h"

static void count(atomic_uint_least64_t *counter, uint64_t amount)
{
    /* One writer at a time (the path's lock), so no read-modify-write is needed. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + amount,
                          memory_order_relaxed);
}

/* The source of the bytes that an operation carries: in place, or packed into its staging. */
static const void *source_of(mca_part_ucx_op_t *op, uint64_t offset, uint64_t length)
{
    mca_part_ucx_request_t *base = &op->send->super;

    if (base->contiguous) {
        return mca_part_ucx_request_at(base, offset);
    }
    return mca_part_ucx_datatype_pack(&base->convertor[op->pair], offset, length, &op->staging,
                                      &op->staging_size);
}

static void op_failed(mca_part_ucx_op_t *op, ucs_status_t status)
{
    mca_part_ucx_send_t *send = op->send;

    PART_UCX_VERBOSE(1, "path %d: sending to %s failed: %s", op->path->index,
                     mca_part_ucx_peer_host(op->endpoint->peer->proc), ucs_status_string(status));
    if (NULL != send->super.piece) {
        mca_part_ucx_send_unload(send, op->header.segment);
    }
    mca_part_ucx_path_return_op(op);
    mca_part_ucx_request_fail(&send->super, MPI_ERR_OTHER);
}

static void list_for_flush(mca_part_ucx_endpoint_t *endpoint)
{
    if (!endpoint->listed) {
        endpoint->listed = true;
        endpoint->next_flush = endpoint->path->flush_list;
        endpoint->path->flush_list = endpoint;
    }
}

/* A put has failed: so will all that wait for a flush. (A message may have been refused only.) */
static void put_failed(mca_part_ucx_op_t *op, ucs_status_t status)
{
    op->endpoint->status = status;
    list_for_flush(op->endpoint);
    op_failed(op, status);
}

static void message_sent(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_op_t *op = user_data;

    if (NULL != request) {
        ucp_request_free(request);
    }
    if (op->offer) {
        mca_part_ucx_share_undo(op->endpoint);
    }
    if (UCS_OK != status) {
        op_failed(op, status);
        return;
    }
    if (op->own) {
        mca_part_ucx_send_was_fetched(op->send, op->header.epoch);
    }
    mca_part_ucx_send_op_done(op);
}

static uint64_t eager_limit(const mca_part_ucx_path_t *path)
{
    return PART_UCX_DEVICE_SHARED == path->device.kind ? mca_part_ucx.params.shared_eager_limit
                                                       : mca_part_ucx.params.eager_limit;
}

bool mca_part_ucx_transfer_pulls(const mca_part_ucx_send_t *send)
{
    const mca_part_ucx_request_t *base = &send->super;

    return PART_UCX_METHOD_MESSAGE == base->method && 1 == base->map.units && NULL == base->piece
           && base->contiguous && !send->eager_only
           && base->total > eager_limit(send->endpoint[0]->path);
}

static void post_message(mca_part_ucx_op_t *op, unsigned id, const void *source, uint64_t length)
{
    bool eager = (length <= eager_limit(op->path) && !op->offer) || !op->send->super.contiguous
                 || op->send->eager_only;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA
                                                 | UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = eager ? UCP_AM_SEND_FLAG_EAGER : UCP_AM_SEND_FLAG_RNDV,
                                 .cb.send = message_sent,
                                 .user_data = op};
    mca_part_ucx_cheaper_t *cheaper = mca_part_ucx_share_cheaper(op->send, op->pair, length);
    uint64_t begin = NULL != cheaper ? mca_part_ucx_clock_ns() : 0;
    ucs_status_ptr_t status;

    status = ucp_am_send_nbx(op->endpoint->ucp, id, &op->header, sizeof(op->header), source,
                             length, &param);
    if (!UCS_PTR_IS_PTR(status)) {
        if (NULL != cheaper) {
            mca_part_ucx_share_note(cheaper, PART_UCX_CARRY, length, begin);
        }
        message_sent(NULL, UCS_PTR_RAW_STATUS(status), op);
    }
}

/* A put completed locally. Its flag must wait for a flush, unless completion means in place. */
static void put_done(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_op_t *op = user_data;
    mca_part_ucx_op_t **list = &op->endpoint->put;

    if (NULL != request) {
        ucp_request_free(request);
    }
    if (UCS_OK != status) {
        put_failed(op, status); /* no flag ever follows a failed put */
        return;
    }
    mca_part_ucx_path_bytes_left(op);
    if (PART_UCX_METHOD_CHAINED == op->send->super.method) {
        list = &op->endpoint->flushed;
    }
    op->next = *list;
    *list = op;
    list_for_flush(op->endpoint);
}

static void post_put(mca_part_ucx_op_t *op, const void *source, uint64_t offset, uint64_t length)
{
    mca_part_ucx_send_t *send = op->send;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = put_done,
                                 .user_data = op};
    ucs_status_ptr_t status;

    if (NULL != send->region && send->super.contiguous) {
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
        param.memh = send->region->memh[op->path->index];
    }
    status = ucp_put_nbx(op->endpoint->ucp, source, length, send->remote_data + offset,
                         send->data_rkey[op->pair], &param);
    if (!UCS_PTR_IS_PTR(status)) {
        put_done(NULL, UCS_PTR_RAW_STATUS(status), op); /* the callback is not called then */
    }
}

/* May the operation's staging grow to `length`? The first operation of a path always may. */
static bool staging_allowed(mca_part_ucx_op_t *op, uint64_t length)
{
    size_t more = length > op->staging_size ? length - op->staging_size : 0;

    if (0 == more) {
        return true;
    }
    if (op->path->ops_in_flight > 1
        && atomic_load(&mca_part_ucx.staging) + more > mca_part_ucx.params.staging_limit) {
        return false;
    }
    atomic_fetch_add(&mca_part_ucx.staging, more);
    return true;
}

/* An operation for a unit, or for a part of one; NULL when the path has no room now. */
static mca_part_ucx_op_t *take_op(mca_part_ucx_send_t *send, mca_part_ucx_path_t *path, bool own,
                                  mca_part_ucx_way_t way, uint64_t length)
{
    mca_part_ucx_op_t *op;

    if (own) {
        send->own.path = path;
        send->own.state = PART_UCX_OP_IN_FLIGHT;
        return &send->own; /* the whole message: nothing of it leaves before in parts */
    }
    /* What is placed is never in flight. */
    op = mca_part_ucx_path_take_op(path, way >= PART_UCX_WAY_PLACE ? 0 : length);
    if (NULL != op && !send->super.contiguous && !staging_allowed(op, length)) {
        mca_part_ucx_path_return_op(op);
        return NULL; /* operations in flight will give theirs back */
    }
    return op;
}

static void post_data(mca_part_ucx_op_t *op, uint64_t offset, uint64_t length)
{
    const void *source = source_of(op, offset, length);

    if (NULL == source) {
        op_failed(op, UCS_ERR_NO_MEMORY);
    } else if (PART_UCX_METHOD_MESSAGE == op->send->super.method) {
        post_message(op, PART_UCX_AM_DATA, source, length);
    } else {
        post_put(op, source, offset, length);
    }
}

/* Place what the sender is to copy, and tell the receiver; false: it must be sent. */
static bool post_placed(mca_part_ucx_op_t *op, mca_part_ucx_way_t way, uint64_t offset,
                        uint64_t length)
{
    mca_part_ucx_path_t *path = op->path;

    if (way < PART_UCX_WAY_PLACE
        || (PART_UCX_WAY_PLACE == way
            && !mca_part_ucx_share_place(op->send, op->pair, op->header.segment, offset, length))) {
        return false;
    }
    post_message(op, PART_UCX_AM_PLACED, NULL, 0);
    if (PART_UCX_WAY_PLACE == way) {
        /* Copying takes long: see what the peer has fetched meanwhile, before the next unit. */
        (void) ucp_worker_progress(path->worker);
    }
    return true;
}

bool mca_part_ucx_transfer_post(mca_part_ucx_send_t *send, uint32_t pair, uint32_t first,
                                uint32_t segments)
{
    mca_part_ucx_endpoint_t *endpoint = send->endpoint[pair];
    mca_part_ucx_path_t *path = endpoint->path;
    mca_part_ucx_way_t *decided = NULL == send->sent ? &send->unit[first].way : NULL;
    mca_part_ucx_way_t way = NULL == decided ? PART_UCX_WAY_OPEN : *decided;
    bool own = send->pulled && PART_UCX_WAY_OPEN == way && !mca_part_ucx_send_is_awaited(send);
    uint64_t offset, length;
    mca_part_ucx_op_t *op;

    mca_part_ucx_map_range(&send->super.map, first, segments, &offset, &length);
    if (PART_UCX_WAY_OPEN == way && !own) {
        way = mca_part_ucx_share_choose(send, pair, first, length);
    }
    op = take_op(send, path, own, way, length);
    if (NULL == op) {
        if (NULL != decided) {
            *decided = way;
        } else if (PART_UCX_WAY_OFFER == way) {
            mca_part_ucx_share_undo(endpoint);
        }
        return false;
    }
    if (NULL != decided) {
        *decided = PART_UCX_WAY_OPEN;
    }
    op->send = send;
    op->endpoint = endpoint;
    op->pair = pair;
    op->offer = PART_UCX_WAY_OFFER == way;
    op->flag = mca_part_ucx_map_flag(&send->super.map, first);
    op->header = (mca_part_ucx_data_header_t) {
        .key = send->super.peer_key,
        .epoch = atomic_load_explicit(&send->super.epoch, memory_order_relaxed),
        .segment = first,
        .count = segments};
    atomic_store_explicit(&path->dirty, true, memory_order_relaxed);
    count(&path->counters.bytes, length);
    count(&path->counters.units, 1);
    count(&path->counters.messages, 1);
    if (!post_placed(op, way, offset, length)) {
        post_data(op, offset, length);
    }
    return true;
}

/* A flag put no longer needs its source: the segments it stands for are done. */
static void flags_sent(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_op_t *op = user_data;

    if (NULL != request) {
        ucp_request_free(request);
    }
    if (UCS_OK != status) {
        put_failed(op, status);
    } else {
        mca_part_ucx_send_op_done(op);
    }
}

/* Write `segments` neighbouring flags that begin with the operation's. */
static void post_flags(mca_part_ucx_op_t *op, uint32_t segments)
{
    mca_part_ucx_send_t *send = op->send;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = flags_sent,
                                 .user_data = op};
    ucs_status_ptr_t status;

    op->header.count = segments;
    count(&op->path->counters.messages, 1);
    atomic_store_explicit(&op->path->dirty, true, memory_order_relaxed);
    status = ucp_put_nbx(op->endpoint->ucp, send->flag_source, segments * sizeof(uint64_t),
                         send->remote_flags + op->flag * sizeof(uint64_t),
                         send->flag_rkey[op->pair], &param);
    if (!UCS_PTR_IS_PTR(status)) {
        flags_sent(NULL, UCS_PTR_RAW_STATUS(status), op);
    }
}

/* Flags of all operations in the list, oldest first, neighbours of one channel together. */
static int flag_all(mca_part_ucx_op_t *newest)
{
    mca_part_ucx_op_t *oldest = NULL;
    int puts = 0;

    while (NULL != newest) {
        mca_part_ucx_op_t *next = newest->next;

        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (NULL != oldest) {
        mca_part_ucx_op_t *op = oldest;
        uint32_t run = op->header.count;

        oldest = op->next;
        while (NULL != oldest && oldest->send == op->send && oldest->flag == op->flag + run
               && run + oldest->header.count <= op->send->flag_run) {
            mca_part_ucx_op_t *merged = oldest;

            run += merged->header.count;
            oldest = merged->next;
            mca_part_ucx_path_return_op(merged);
        }
        post_flags(op, run);
        ++puts;
    }
    return puts;
}

static void flush_done(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_endpoint_t *endpoint = user_data;

    if (NULL != request) {
        ucp_request_free(request);
    }
    endpoint->flush_running = false;
    if (UCS_OK != status) {
        endpoint->status = status;
        return;
    }
    /* What the flush covered is in place at the peer. */
    endpoint->flushed = endpoint->flushing;
    endpoint->flushing = NULL;
}

static void fail_list(mca_part_ucx_op_t **list, ucs_status_t status)
{
    while (NULL != *list) {
        mca_part_ucx_op_t *op = *list;

        *list = op->next;
        op_failed(op, status);
    }
}

static void start_flush(mca_part_ucx_endpoint_t *endpoint)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = flush_done,
                                 .user_data = endpoint};
    ucs_status_ptr_t status;

    endpoint->flushing = endpoint->put;
    endpoint->put = NULL;
    endpoint->flush_running = true;
    count(&endpoint->path->counters.flushes, 1);
    status = ucp_ep_flush_nbx(endpoint->ucp, &param);
    if (!UCS_PTR_IS_PTR(status)) {
        flush_done(NULL, UCS_PTR_RAW_STATUS(status), endpoint);
    }
}

/* One endpoint's turn: flags of what is in place, then one flush for all puts since the last. */
static int flush_endpoint(mca_part_ucx_endpoint_t *endpoint)
{
    int events = 0;

    if (UCS_OK != endpoint->status && !endpoint->flush_running) {
        fail_list(&endpoint->put, endpoint->status);
        fail_list(&endpoint->flushing, endpoint->status);
        fail_list(&endpoint->flushed, endpoint->status);
        return 1;
    }
    if (NULL != endpoint->put && !endpoint->flush_running && NULL == endpoint->flushed) {
        start_flush(endpoint);
        ++events;
    }
    while (NULL != endpoint->flushed) {
        mca_part_ucx_op_t *list = endpoint->flushed;

        endpoint->flushed = NULL; /* a flag put may complete at once and change the list */
        events += flag_all(list);
    }
    return events;
}

int mca_part_ucx_transfer_flush(mca_part_ucx_path_t *path)
{
    mca_part_ucx_endpoint_t **link = &path->flush_list;
    int events = 0;

    while (NULL != *link) {
        mca_part_ucx_endpoint_t *endpoint = *link;

        events += flush_endpoint(endpoint);
        if (NULL == endpoint->put && NULL == endpoint->flushing && NULL == endpoint->flushed) {
            *link = endpoint->next_flush;
            endpoint->listed = false;
        } else {
            link = &endpoint->next_flush;
        }
    }
    return events;
}
