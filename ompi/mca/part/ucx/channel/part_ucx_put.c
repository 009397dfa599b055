/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts and flags (see part_ucx_put.h).
 */
#include "channel/part_ucx_put.h"

#include "channel/part_ucx_traffic.h"

static void list_for_flush(mca_part_ucx_endpoint_t *endpoint)
{
    if (!endpoint->listed) {
        endpoint->listed = true;
        mca_part_ucx_traffic_t *traffic = mca_part_ucx_traffic_of(endpoint->path);

        endpoint->next_flush = traffic->flush;
        traffic->flush = endpoint;
    }
}

/* A put has failed: so will all that wait for a flush. (A message may have been refused only.) */
static void put_failed(mca_part_ucx_transfer_t *transfer, ucs_status_t status)
{
    mca_part_ucx_endpoint_t *endpoint = transfer->op.endpoint;

    if (mca_part_ucx_endpoint_has_puts(endpoint)) {
        endpoint->status = status;
        list_for_flush(endpoint);
    }
    mca_part_ucx_send_failed(transfer, status);
}

static void wait_in(mca_part_ucx_op_t **list, mca_part_ucx_transfer_t *transfer)
{
    transfer->op.next = *list;
    *list = &transfer->op;
    list_for_flush(transfer->op.endpoint);
}

void mca_part_ucx_put_await_flush(mca_part_ucx_transfer_t *transfer)
{
    wait_in(&transfer->op.endpoint->put, transfer);
}

void mca_part_ucx_put_in_place(mca_part_ucx_transfer_t *transfer)
{
    wait_in(&transfer->op.endpoint->flushed, transfer);
}

/* A put completed locally. */
static void put_done(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_transfer_t *transfer = user_data;

    mca_part_ucx_path_free_request(request);
    if (UCS_OK != status) {
        put_failed(transfer, status); /* no flag ever follows a failed put */
        return;
    }
    mca_part_ucx_path_bytes_left(&transfer->op);
    mca_part_ucx_deliveries[transfer->row]->done(transfer);
}

bool mca_part_ucx_put_post(mca_part_ucx_transfer_t *transfer, const mca_part_ucx_parcel_t *parcel)
{
    mca_part_ucx_send_t *send = parcel->send;
    const void *source = mca_part_ucx_delivery_source(transfer, parcel);
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = put_done,
                                 .user_data = transfer};
    ucs_status_ptr_t status;

    if (NULL == source) {
        mca_part_ucx_send_failed(transfer, UCS_ERR_NO_MEMORY);
        return true;
    }
    if (NULL != send->region && send->super.contiguous) {
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
        param.memh = send->region->memh[transfer->op.path->index];
    }
    status = ucp_put_nbx(transfer->op.endpoint->ucp, source, parcel->length,
                         send->remote_data + parcel->offset, send->keys[parcel->pair].data,
                         &param);
    if (!UCS_PTR_IS_PTR(status)) {
        put_done(NULL, UCS_PTR_RAW_STATUS(status), transfer); /* UCX does not call it then */
    }
    return true;
}

/* A flag put no longer needs its source: the segments it stands for are done. */
static void flags_sent(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_transfer_t *transfer = user_data;

    mca_part_ucx_path_free_request(request);
    if (UCS_OK != status) {
        put_failed(transfer, status);
    } else {
        mca_part_ucx_send_done(transfer);
    }
}

/* Index of its first arrival flag. */
static uint32_t flag_of(const mca_part_ucx_transfer_t *transfer)
{
    return mca_part_ucx_map_flag(&mca_part_ucx_send_in(transfer)->super.map,
                                 transfer->header.segment);
}

/* Write `segments` neighbouring flags that begin with the transfer's. */
static void post_flags(mca_part_ucx_transfer_t *transfer, uint32_t segments)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_in(transfer);
    mca_part_ucx_path_t *path = transfer->op.path;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = flags_sent,
                                 .user_data = transfer};
    ucs_status_ptr_t status;

    transfer->header.count = segments;
    mca_part_ucx_path_tally(&path->counters.messages, 1);
    atomic_store_explicit(&path->dirty, true, memory_order_relaxed);
    status = ucp_put_nbx(transfer->op.endpoint->ucp, send->flag_source,
                         segments * sizeof(uint64_t),
                         send->remote_flags + flag_of(transfer) * sizeof(uint64_t),
                         send->keys[transfer->pair].flags, &param);
    if (!UCS_PTR_IS_PTR(status)) {
        flags_sent(NULL, UCS_PTR_RAW_STATUS(status), transfer);
    }
}

static mca_part_ucx_op_t *reversed(mca_part_ucx_op_t *newest)
{
    mca_part_ucx_op_t *oldest = NULL;

    while (NULL != newest) {
        mca_part_ucx_op_t *next = newest->next;

        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

/* Flags of all operations in the list, oldest first, neighbours of one channel together. */
static int flag_all(mca_part_ucx_op_t *newest)
{
    mca_part_ucx_op_t *oldest = reversed(newest);
    int puts = 0;

    while (NULL != oldest) {
        mca_part_ucx_transfer_t *transfer = mca_part_ucx_transfer_of(oldest);
        uint32_t run = transfer->header.count;

        oldest = oldest->next;
        while (NULL != oldest) {
            mca_part_ucx_transfer_t *next = mca_part_ucx_transfer_of(oldest);

            if (next->op.channel != transfer->op.channel
                || flag_of(next) != flag_of(transfer) + run
                || run + next->header.count > mca_part_ucx_send_in(transfer)->flag_run) {
                break;
            }
            run += next->header.count;
            oldest = oldest->next;
            mca_part_ucx_path_return_op(&next->op);
        }
        post_flags(transfer, run);
        ++puts;
    }
    return puts;
}

static void flush_done(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_endpoint_t *endpoint = user_data;

    mca_part_ucx_path_free_request(request);
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
        mca_part_ucx_send_failed(mca_part_ucx_transfer_of(op), status);
    }
}

/* Those that it concerned have failed. UCX may only have had no memory, so others may try. A
 * connection that is lost fails them, too. */
static void forget_failure(mca_part_ucx_endpoint_t *endpoint)
{
    if (!mca_part_ucx_endpoint_has_puts(endpoint) && mca_part_ucx_endpoint_is_up(endpoint)) {
        endpoint->status = UCS_OK;
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
    mca_part_ucx_path_tally(&endpoint->path->counters.flushes, 1);
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
        forget_failure(endpoint);
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

int mca_part_ucx_put_flush(mca_part_ucx_path_t *path)
{
    mca_part_ucx_endpoint_t **link = &mca_part_ucx_traffic_of(path)->flush;
    int events = 0;

    while (NULL != *link) {
        mca_part_ucx_endpoint_t *endpoint = *link;

        events += flush_endpoint(endpoint);
        if (!mca_part_ucx_endpoint_has_puts(endpoint)) {
            *link = endpoint->next_flush;
            endpoint->listed = false;
        } else {
            link = &endpoint->next_flush;
        }
    }
    return events;
}
