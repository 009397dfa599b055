/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Active messages from peers. Handlers run inside ucp_worker_progress(), under the lock of the path
 * they came over, and find their channel by its key; a key that is no longer known is a late
 * message for a channel that is gone, and is dropped.
 */
#include "channel/part_ucx_handlers.h"

#include "channel/part_ucx_datatype.h"
#include "channel/part_ucx_fetch.h"
#include "path/part_ucx_touch.h"
#include "process/part_ucx_log.h"

#include <string.h>

#include "ompi/constants.h"

static void does_not_fit(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header)
{
    PART_UCX_VERBOSE(1, "a data message does not fit its channel (epoch %u segment %u)",
                     header->epoch, header->segment);
    mca_part_ucx_channel_fail(&recv->super, MPI_ERR_INTERN);
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
    recv = mca_part_ucx_recv_find(head.key);
    if (NULL == recv) {
        return dropped(param);
    }
    if (0 != (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)
        && mca_part_ucx_fetch_is_early(recv, &head)) {
        return mca_part_ucx_fetch_hold(path, recv, &head, data, length);
    }
    if (!mca_part_ucx_recv_fits(recv, &head, length, &offset)) {
        does_not_fit(recv, &head);
        return dropped(param);
    }
    if (0 != (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) {
        return mca_part_ucx_fetch_start(path, recv, &head, offset, data, length);
    }
    if (recv->super.contiguous) {
        if (0 != length) {
            memcpy(mca_part_ucx_channel_at(&recv->super, offset), data, length);
        }
    } else if (!unpack(recv, &head, offset, length, data)) {
        mca_part_ucx_channel_fail(&recv->super, MPI_ERR_INTERN);
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
        recv = mca_part_ucx_recv_find(head.key);
        if (NULL != recv && mca_part_ucx_recv_names(recv, &head, &offset, &bytes)) {
            mca_part_ucx_recv_arrived(recv, head.epoch, head.segment, head.count);
        } else if (NULL != recv) {
            does_not_fit(recv, &head);
        }
    }
    return UCS_OK;
}

/* ---- events: READY and END ---- */

static mca_part_ucx_channel_t *addressed(const void *header, size_t header_length,
                                         mca_part_ucx_event_t *event)
{
    if (sizeof(*event) != header_length) {
        return NULL;
    }
    memcpy(event, header, sizeof(*event));
    return mca_part_ucx_table_find(&mca_part_ucx_channels, event->key); /* NULL: it is gone */
}

static ucs_status_t ready_handler(void *arg, const void *header, size_t header_length, void *data,
                                  size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_event_t event;
    mca_part_ucx_channel_t *channel = addressed(header, header_length, &event);

    (void) arg, (void) data, (void) length, (void) param;
    if (NULL != channel && NULL != channel->side->ready) {
        channel->side->ready(channel, event.from, event.epoch);
    }
    return UCS_OK;
}

static ucs_status_t end_handler(void *arg, const void *header, size_t header_length, void *data,
                                size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_event_t event;
    mca_part_ucx_channel_t *channel = addressed(header, header_length, &event);

    (void) arg, (void) data, (void) length, (void) param;
    if (NULL != channel) {
        mca_part_ucx_channel_ended(channel, &event);
    }
    return UCS_OK;
}

/* Of a peer that will send more. All peers write to the same memory. */
static ucs_status_t touch_handler(void *arg, const void *header, size_t header_length, void *data,
                                  size_t length, const ucp_am_recv_param_t *param)
{
    static atomic_bool touched;

    (void) arg, (void) header, (void) header_length, (void) length, (void) param;
    if (!atomic_exchange(&touched, true)) {
        mca_part_ucx_touch(data);
    }
    return UCS_OK;
}

static ucs_status_t install(mca_part_ucx_path_t *path, unsigned id, ucp_am_recv_callback_t handler)
{
    ucp_am_handler_param_t param = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID
                                                  | UCP_AM_HANDLER_PARAM_FIELD_FLAGS
                                                  | UCP_AM_HANDLER_PARAM_FIELD_CB
                                                  | UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                    .id = id,
                                    .flags = UCP_AM_FLAG_WHOLE_MSG,
                                    .cb = handler,
                                    .arg = path};

    return ucp_worker_set_am_recv_handler(path->worker, &param);
}

int mca_part_ucx_handlers_install(mca_part_ucx_path_t *path)
{
    bool good = UCS_OK == install(path, PART_UCX_AM_DATA, data_handler)
                && UCS_OK == install(path, PART_UCX_AM_PLACED, placed_handler)
                && UCS_OK == install(path, PART_UCX_AM_READY, ready_handler)
                && UCS_OK == install(path, PART_UCX_AM_END, end_handler)
                && UCS_OK == install(path, PART_UCX_AM_TOUCH, touch_handler);

    return good ? OMPI_SUCCESS : OMPI_ERROR;
}
