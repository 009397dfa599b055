/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fetching what a sender offers (see part_ucx_fetch.h).
 */
#include "channel/part_ucx_fetch.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_incoming.h"
#include "channel/part_ucx_traffic.h"

#include <stdlib.h>

/* A fetch in progress. Records are recycled per path, so that progress allocates
 * only when more of them run at once than ever before. */
typedef struct mca_part_ucx_fetch_t {
    struct mca_part_ucx_fetch_t *next; /* in the traffic of the path */
    mca_part_ucx_path_t *path;
    mca_part_ucx_data_header_t header;
    void *descriptor; /* UCX's, until the data are asked for */
    size_t length;
} fetch_t;

static void recycle(fetch_t *record)
{
    mca_part_ucx_traffic_t *traffic = mca_part_ucx_traffic_of(record->path);

    record->next = traffic->rx_free;
    traffic->rx_free = record;
}

static void fetched(void *request, ucs_status_t status, size_t length, void *user_data)
{
    fetch_t *record = user_data;
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_find(&record->header);

    (void) length;
    mca_part_ucx_path_free_request(request);
    if (NULL != recv) {
        atomic_fetch_sub_explicit(&recv->fetching, 1, memory_order_release);
        if (UCS_OK == status) {
            mca_part_ucx_recv_arrived(recv, record->header.epoch, record->header.segment,
                                      record->header.count);
        } else {
            mca_part_ucx_channel_fail(&recv->super, MPI_ERR_OTHER);
        }
    }
    recycle(record);
}

/* A record for an offer; NULL: no memory, and the receive has failed. */
static fetch_t *new_record(mca_part_ucx_path_t *path, mca_part_ucx_recv_t *recv,
                                const mca_part_ucx_data_header_t *header, void *descriptor,
                                size_t length)
{
    mca_part_ucx_traffic_t *traffic = mca_part_ucx_traffic_of(path);
    fetch_t *record = traffic->rx_free;

    if (NULL != record) {
        traffic->rx_free = record->next;
    } else {
        record = malloc(sizeof(*record));
    }
    if (NULL == record) {
        mca_part_ucx_channel_fail(&recv->super, MPI_ERR_NO_MEM);
        return NULL;
    }
    *record = (fetch_t) {
        .path = path, .header = *header, .descriptor = descriptor, .length = length};
    return record;
}

/* Fetch a large unit straight into the user's buffer. */
static void fetch(fetch_t *record, mca_part_ucx_recv_t *recv, uint64_t offset)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.recv_am = fetched,
                                 .user_data = record};
    mca_part_ucx_arrivals_t *arrivals
        = atomic_load_explicit(&recv->arrivals, memory_order_relaxed);
    ucs_status_ptr_t status;

    if (NULL != arrivals) {
        mca_part_ucx_arrivals_set(arrivals, record->header.epoch | PART_UCX_FETCHING,
                                  record->header.segment, record->header.count);
    }
    atomic_fetch_add_explicit(&recv->fetching, 1, memory_order_relaxed);
    status = ucp_am_recv_data_nbx(record->path->worker, record->descriptor,
                                  mca_part_ucx_channel_at(&recv->super, offset), record->length,
                                  &param);
    if (!UCS_PTR_IS_PTR(status)) {
        fetched(NULL, UCS_PTR_RAW_STATUS(status), record->length, record);
    }
}

/* Is this an offer of the next epoch? The receive has not started it, or does so right now. */
static bool is_early(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header)
{
    uint32_t armed = atomic_load_explicit(&recv->armed, memory_order_acquire);

    /* Never in the first epoch: the sender waits for READY then. */
    return PART_UCX_MATCHED == mca_part_ucx_channel_state(&recv->super) && 0 != armed
           && header->epoch == mca_part_ucx_epoch_next(armed);
}

/* Only a message of one unit is offered so early, and only once. */
static mca_part_ucx_verdict_t judge_early(const mca_part_ucx_recv_t *recv,
                                          const mca_part_ucx_path_t *path,
                                          const mca_part_ucx_data_header_t *header, size_t length)
{
    const mca_part_ucx_map_t *map = &recv->super.map;

    if (NULL != recv->super.piece || 1 != map->units || 0 != header->segment
        || map->segments != header->count || map->total != length
        || path != recv->endpoint->path) {
        return PART_UCX_WRONG;
    }
    return recv->offer_kept == header->epoch ? PART_UCX_REPEATED : PART_UCX_TAKE;
}

/* Deal with an early offer; true when it is off the list. */
static bool settle_early(mca_part_ucx_path_t *path, fetch_t *record)
{
    mca_part_ucx_recv_t *recv = mca_part_ucx_recv_find(&record->header);
    uint64_t offset, length = record->length;

    /* UCX tells the sender of an offer that is released that all has gone well. So END must have
     * told it before that this end has failed. */
    if (NULL != recv
        && (is_early(recv, &record->header)
            || PART_UCX_LEAVING == mca_part_ucx_channel_state(&recv->super))) {
        return false;
    }
    if (NULL != recv
        && PART_UCX_TAKE
               == mca_part_ucx_recv_judge(recv, path, &record->header, &length, &offset)) {
        recv->fetched = record->header.epoch;
        fetch(record, recv, offset);
    } else {
        ucp_am_data_release(path->worker, record->descriptor); /* freed, or failed */
        recycle(record);
    }
    return true;
}

void mca_part_ucx_fetch_forget(mca_part_ucx_path_t *path)
{
    mca_part_ucx_traffic_t *traffic = mca_part_ucx_traffic_of(path);

    while (NULL != traffic->early) {
        fetch_t *record = traffic->early;

        traffic->early = record->next;
        ucp_am_data_release(path->worker, record->descriptor);
        recycle(record);
    }
    while (NULL != traffic->rx_free) {
        fetch_t *record = traffic->rx_free;

        traffic->rx_free = record->next;
        free(record);
    }
}

int mca_part_ucx_fetch_early(mca_part_ucx_path_t *path)
{
    fetch_t **link = &mca_part_ucx_traffic_of(path)->early;
    int events = 0;

    while (NULL != *link) {
        fetch_t *record = *link;
        fetch_t *next = record->next;

        if (settle_early(path, record)) {
            *link = next;
            ++events;
        } else {
            link = &record->next;
        }
    }
    return events;
}

/* Keep an offer until its receive has started. */
static void keep_offer(mca_part_ucx_traffic_t *traffic, mca_part_ucx_recv_t *recv, fetch_t *record)
{
    recv->offer_kept = record->header.epoch;
    record->next = traffic->early;
    traffic->early = record;
}

ucs_status_t mca_part_ucx_fetch_offered(void *arg, const void *header, size_t header_length,
                                        void *descriptor, size_t length,
                                        const ucp_am_recv_param_t *param)
{
    mca_part_ucx_path_t *path = arg;
    mca_part_ucx_data_header_t head;
    mca_part_ucx_recv_t *recv = mca_part_ucx_incoming_recv(header, header_length, &head);
    mca_part_ucx_verdict_t verdict = PART_UCX_WRONG;
    uint64_t offset = 0, bytes = length;
    fetch_t *record;
    bool early;

    if (NULL == recv) {
        return mca_part_ucx_incoming_stray(head.key, param);
    }
    early = is_early(recv, &head);
    if (recv->super.contiguous && !recv->super.fails_over
        && mca_part_ucx_incoming_is_offered(param)) {
        verdict = early ? judge_early(recv, path, &head, length)
                        : mca_part_ucx_recv_judge(recv, path, &head, &bytes, &offset);
    }
    if (PART_UCX_TAKE != verdict) {
        return mca_part_ucx_incoming_refused(verdict, recv, &head, param);
    }
    record = new_record(path, recv, &head, descriptor, length);
    if (NULL == record) {
        return UCS_ERR_NO_MEMORY;
    }
    if (early) {
        keep_offer(mca_part_ucx_traffic_of(path), recv, record);
    } else {
        fetch(record, recv, offset);
    }
    return UCS_INPROGRESS;
}
