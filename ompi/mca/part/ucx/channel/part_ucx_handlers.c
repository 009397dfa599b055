/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Active messages from peers. Handlers run inside ucp_worker_progress(), under the lock of the
 * path they came over, and find their request by channel key; a key that is no longer known is
 * a late message for a freed request and is dropped.
 */
#include "channel/part_ucx_request.h"

#include "channel/part_ucx_datatype.h"
#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_leave.h"
#include "wireup/part_ucx_watch.h"

#include <stdlib.h>
#include <string.h>

/* A rendezvous receive in progress. Records are recycled per path, so that progress allocates
 * only when more of them run at once than ever before. */
typedef struct mca_part_ucx_rendezvous_t {
    struct mca_part_ucx_rendezvous_t *next; /* in path->rx_free or path->early */
    mca_part_ucx_path_t *path;
    mca_part_ucx_data_header_t header;
    void *descriptor; /* UCX's, until the data are asked for */
    size_t length;
} rendezvous_t;

static mca_part_ucx_recv_t *find_recv(uint64_t key)
{
    mca_part_ucx_request_t *request = mca_part_ucx_table_find(&mca_part_ucx.table, key);

    if (NULL == request || mca_part_ucx_request_is_send(request)) {
        return NULL;
    }
    return (mca_part_ucx_recv_t *) request;
}

/* Does a data header describe segments of the present epoch of this receive? Which bytes? */
static bool header_names(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header,
                         uint64_t *offset, uint64_t *length)
{
    const mca_part_ucx_map_t *map = &recv->super.map;

    if (PART_UCX_LINK_READY != mca_part_ucx_request_link(&recv->super)
        || header->epoch != atomic_load_explicit(&recv->super.epoch, memory_order_acquire)
        || header->segment >= map->segments || 0 == header->count
        || header->count > map->segments - header->segment
        || mca_part_ucx_map_unit_of(map, header->segment)
               != mca_part_ucx_map_unit_of(map, header->segment + header->count - 1)) {
        return false;
    }
    mca_part_ucx_map_range(map, header->segment, header->count, offset, length);
    return true;
}

/* The same, of `length` bytes. */
static bool header_fits(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header,
                        uint64_t length, uint64_t *offset)
{
    uint64_t expected;

    return header_names(recv, header, offset, &expected) && expected == length;
}

static void does_not_fit(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header)
{
    PART_UCX_VERBOSE(1, "a data message does not fit its channel (epoch %u segment %u)",
                     header->epoch, header->segment);
    mca_part_ucx_request_fail(&recv->super, MPI_ERR_INTERN);
}

static void recycle(rendezvous_t *record)
{
    record->next = record->path->rx_free;
    record->path->rx_free = record;
}

static void rendezvous_done(void *request, ucs_status_t status, size_t length, void *user_data)
{
    rendezvous_t *record = user_data;
    mca_part_ucx_recv_t *recv = find_recv(record->header.key);

    (void) length;
    if (NULL != request) {
        ucp_request_free(request);
    }
    if (NULL != recv) {
        atomic_fetch_sub_explicit(&recv->fetching, 1, memory_order_release);
        if (UCS_OK == status) {
            mca_part_ucx_recv_arrived(recv, record->header.epoch, record->header.segment,
                                      record->header.count);
        } else {
            mca_part_ucx_request_fail(&recv->super, MPI_ERR_OTHER);
        }
    }
    recycle(record);
}

/* A record for an offer; NULL: no memory, and the receive has failed. */
static rendezvous_t *new_record(mca_part_ucx_path_t *path, mca_part_ucx_recv_t *recv,
                                const mca_part_ucx_data_header_t *header, void *descriptor,
                                size_t length)
{
    rendezvous_t *record = path->rx_free;

    if (NULL != record) {
        path->rx_free = record->next;
    } else {
        record = malloc(sizeof(*record));
    }
    if (NULL == record) {
        mca_part_ucx_request_fail(&recv->super, MPI_ERR_NO_MEM);
        return NULL;
    }
    *record = (rendezvous_t) {
        .path = path, .header = *header, .descriptor = descriptor, .length = length};
    return record;
}

/* Fetch a large unit straight into the user's buffer. */
static void fetch(rendezvous_t *record, mca_part_ucx_recv_t *recv, uint64_t offset)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.recv_am = rendezvous_done,
                                 .user_data = record};
    ucs_status_ptr_t status;

    atomic_fetch_add_explicit(&recv->fetching, 1, memory_order_relaxed);
    status = ucp_am_recv_data_nbx(record->path->worker, record->descriptor,
                                  mca_part_ucx_request_at(&recv->super, offset), record->length,
                                  &param);
    if (!UCS_PTR_IS_PTR(status)) {
        rendezvous_done(NULL, UCS_PTR_RAW_STATUS(status), record->length, record);
    }
}

/* Is this an offer of the next epoch? The receive has not started it, or does so right now. */
static bool is_early(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header)
{
    uint32_t armed = atomic_load_explicit(&recv->armed, memory_order_acquire);

    return PART_UCX_LINK_READY == mca_part_ucx_request_link(&recv->super)
           && header->epoch == mca_part_ucx_epoch_next(armed);
}

/* Deal with an early offer; true when it is off the list. */
static bool settle_early(mca_part_ucx_path_t *path, rendezvous_t *record)
{
    mca_part_ucx_recv_t *recv = find_recv(record->header.key);
    uint64_t offset;

    if (NULL != recv && is_early(recv, &record->header)) {
        return false;
    }
    if (NULL != recv && header_fits(recv, &record->header, record->length, &offset)) {
        recv->fetched = record->header.epoch;
        fetch(record, recv, offset);
    } else {
        ucp_am_data_release(path->worker, record->descriptor); /* freed, or failed */
        recycle(record);
    }
    return true;
}

void mca_part_ucx_recv_forget_early(mca_part_ucx_path_t *path)
{
    while (NULL != path->early) {
        rendezvous_t *record = path->early;

        path->early = record->next;
        ucp_am_data_release(path->worker, record->descriptor);
        recycle(record);
    }
}

int mca_part_ucx_recv_early(mca_part_ucx_path_t *path)
{
    rendezvous_t **link = &path->early;
    int events = 0;

    while (NULL != *link) {
        rendezvous_t *record = *link;
        rendezvous_t *next = record->next;

        if (settle_early(path, record)) {
            *link = next;
            ++events;
        } else {
            link = &record->next;
        }
    }
    return events;
}

/* Which of the channel's pairs came over this path: convertors are per pair. */
static opal_convertor_t *convertor_of(mca_part_ucx_recv_t *recv,
                                      const mca_part_ucx_data_header_t *header)
{
    uint32_t unit = mca_part_ucx_map_unit_of(&recv->super.map, header->segment);

    return &recv->super.convertor[mca_part_ucx_map_path(&recv->super.map, unit)];
}

/*
 * Unpack into the user's buffer. One path at a time: where a slice ends inside a basic element, the
 * convertor reads and writes the whole element, and another path may hold the other half.
 */
static bool unpack(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *head,
                   uint64_t offset, uint64_t length, const void *data)
{
    bool good;

    mca_part_ucx_lock_wait(&recv->unpacking);
    good = mca_part_ucx_datatype_unpack(convertor_of(recv, head), offset, length, data);
    mca_part_ucx_lock_release(&recv->unpacking);
    return good;
}

static ucs_status_t start_rendezvous(mca_part_ucx_path_t *path, mca_part_ucx_recv_t *recv,
                                     const mca_part_ucx_data_header_t *header, uint64_t offset,
                                     void *descriptor, size_t length)
{
    rendezvous_t *record = new_record(path, recv, header, descriptor, length);

    if (NULL == record) {
        return UCS_ERR_NO_MEMORY;
    }
    fetch(record, recv, offset);
    return UCS_INPROGRESS;
}

/* Keep the offer until the receive has started. */
static ucs_status_t hold_early(mca_part_ucx_path_t *path, mca_part_ucx_recv_t *recv,
                               const mca_part_ucx_data_header_t *header, void *descriptor,
                               size_t length)
{
    rendezvous_t *record = new_record(path, recv, header, descriptor, length);

    if (NULL == record) {
        return UCS_ERR_NO_MEMORY;
    }
    record->next = path->early;
    path->early = record;
    return UCS_INPROGRESS;
}

/* What a handler returns for a message that it drops: a rendezvous must be refused. */
static ucs_status_t dropped(const ucp_am_recv_param_t *param)
{
    return 0 != (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) ? UCS_ERR_CANCELED : UCS_OK;
}

static ucs_status_t data_handler(void *arg, const void *header, size_t header_length, void *data,
                                 size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_path_t *path = arg;
    mca_part_ucx_data_header_t head;
    mca_part_ucx_recv_t *recv;
    uint64_t offset;

    if (sizeof(head) != header_length) {
        return dropped(param);
    }
    memcpy(&head, header, sizeof(head)); /* UCX does not promise alignment */
    recv = find_recv(head.key);
    if (NULL == recv) {
        return dropped(param);
    }
    if (0 != (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) && is_early(recv, &head)) {
        return hold_early(path, recv, &head, data, length);
    }
    if (!header_fits(recv, &head, length, &offset)) {
        does_not_fit(recv, &head);
        return dropped(param);
    }
    if (0 != (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) {
        return start_rendezvous(path, recv, &head, offset, data, length);
    }
    if (recv->super.contiguous) {
        if (0 != length) {
            memcpy(mca_part_ucx_request_at(&recv->super, offset), data, length);
        }
    } else if (!unpack(recv, &head, offset, length, data)) {
        mca_part_ucx_request_fail(&recv->super, MPI_ERR_INTERN);
        return UCS_OK;
    }
    mca_part_ucx_recv_arrived(recv, head.epoch, head.segment, head.count);
    return UCS_OK;
}

/* The sender has written into the user's buffer, and says so afterwards. */
static ucs_status_t placed_handler(void *arg, const void *header, size_t header_length,
                                   void *data, size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_data_header_t head;
    mca_part_ucx_recv_t *recv;
    uint64_t offset, bytes;

    (void) arg, (void) data, (void) length, (void) param;
    if (sizeof(head) == header_length) {
        memcpy(&head, header, sizeof(head));
        recv = find_recv(head.key);
        if (NULL != recv && header_names(recv, &head, &offset, &bytes)) {
            mca_part_ucx_recv_arrived(recv, head.epoch, head.segment, head.count);
        } else if (NULL != recv) {
            does_not_fit(recv, &head);
        }
    }
    return UCS_OK;
}

/* ---- events: READY, CLOSE, FAIL and LEAVE ---- */

static void ready(mca_part_ucx_request_t *request, const mca_part_ucx_wire_event_t *event)
{
    if (mca_part_ucx_request_is_send(request)) {
        mca_part_ucx_send_peer_ready((mca_part_ucx_send_t *) request, event->from, event->epoch);
    }
}

/* The peer goes no further than an epoch. */
static void closed(mca_part_ucx_request_t *request, const mca_part_ucx_wire_event_t *event)
{
    if (mca_part_ucx_request_is_send(request)) {
        mca_part_ucx_send_peer_closed((mca_part_ucx_send_t *) request, event->from, event->epoch);
    } else if (event->from == atomic_load(&request->peer_key)) {
        mca_part_ucx_request_peer_closed(request, event->epoch);
    }
}

/* Before its epoch is known, which else means that it touches nothing any more. */
static void note_busy(mca_part_ucx_request_t *request, const mca_part_ucx_wire_event_t *event)
{
    if (0 != event->busy) {
        atomic_store(&request->peer_busy, true);
    }
}

static void failed(mca_part_ucx_request_t *request, const mca_part_ucx_wire_event_t *event)
{
    atomic_store(&request->left_by, event->from);
    note_busy(request, event);
    closed(request, event);
    mca_part_ucx_watch_soon();
}

static void left(mca_part_ucx_request_t *request, const mca_part_ucx_wire_event_t *event)
{
    note_busy(request, event);
    mca_part_ucx_leave_told(request, event->from, event->epoch);
}

typedef struct event_kind_t {
    unsigned id;
    void (*heed)(mca_part_ucx_request_t *request, const mca_part_ucx_wire_event_t *event);
} event_kind_t;

static const event_kind_t event_kinds[] = {{PART_UCX_AM_READY, ready},
                                           {PART_UCX_AM_CLOSE, closed},
                                           {PART_UCX_AM_FAIL, failed},
                                           {PART_UCX_AM_LEAVE, left}};

static ucs_status_t event_handler(void *arg, const void *header, size_t header_length, void *data,
                                  size_t length, const ucp_am_recv_param_t *param)
{
    const event_kind_t *kind = arg;
    mca_part_ucx_wire_event_t event;
    mca_part_ucx_request_t *request;

    (void) data, (void) length, (void) param;
    if (sizeof(event) == header_length) {
        memcpy(&event, header, sizeof(event));
        request = mca_part_ucx_table_find(&mca_part_ucx.table, event.key);
        if (NULL != request) { /* else it is gone */
            kind->heed(request, &event);
        }
    }
    return UCS_OK;
}

static ucs_status_t install(mca_part_ucx_path_t *path, unsigned id, ucp_am_recv_callback_t handler,
                            void *arg)
{
    ucp_am_handler_param_t param = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID
                                                  | UCP_AM_HANDLER_PARAM_FIELD_FLAGS
                                                  | UCP_AM_HANDLER_PARAM_FIELD_CB
                                                  | UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                    .id = id,
                                    .flags = UCP_AM_FLAG_WHOLE_MSG,
                                    .cb = handler,
                                    .arg = arg};

    return ucp_worker_set_am_recv_handler(path->worker, &param);
}

int mca_part_ucx_handlers_install(mca_part_ucx_path_t *path)
{
    bool good = UCS_OK == install(path, PART_UCX_AM_DATA, data_handler, path)
                && UCS_OK == install(path, PART_UCX_AM_PLACED, placed_handler, path);

    for (unsigned i = 0; good && i < sizeof(event_kinds) / sizeof(event_kinds[0]); ++i) {
        good = UCS_OK == install(path, event_kinds[i].id, event_handler, (void *) &event_kinds[i]);
    }
    return good ? OMPI_SUCCESS : OMPI_ERROR;
}
