/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Active messages from peers, or from strangers: whoever reaches this host may send them. Handlers
 * run inside ucp_worker_progress(), under the lock of the path they came over, and find their
 * channel by key and nonce. What names no channel, and what comes again, is dropped and counted.
 */
#include "channel/part_ucx_handlers.h"

#include "channel/part_ucx_bundle_read.h"
#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_failover_dedup.h"
#include "channel/part_ucx_failover_news.h"
#include "channel/part_ucx_fetch.h"
#include "channel/part_ucx_gate.h"
#include "channel/part_ucx_incoming.h"
#include "channel/part_ucx_rate_message.h"
#include "path/part_ucx_prefault.h"
#include "process/part_ucx_process.h"

#include <string.h>

#include "ompi/constants.h"

/* Data of an epoch that their receive has not started, as far as this has been looked at. True:
 * that was so, and they have been kept or refused. */
static bool keep_if_later(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *head,
                          const void *data, size_t length)
{
    mca_part_ucx_verdict_t verdict;
    bool kept;

    if (NULL == recv->credit || !mca_part_ucx_credit_covers(recv, head->epoch)) {
        return false;
    }
    verdict = mca_part_ucx_credit_keep(recv, head, data, length, &kept);
    if (PART_UCX_TAKE != verdict) {
        mca_part_ucx_recv_refuse(recv, head, verdict);
        return true;
    }
    return kept;
}

static ucs_status_t data_handler(void *arg, const void *header, size_t header_length, void *data,
                                 size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_path_t *path = arg;
    mca_part_ucx_data_header_t head;
    mca_part_ucx_recv_t *recv = mca_part_ucx_incoming_recv(header, header_length, &head);
    mca_part_ucx_verdict_t verdict;
    uint64_t offset, bytes = length;

    if (NULL == recv) {
        return mca_part_ucx_incoming_stray(head.key, param);
    }
    if (mca_part_ucx_incoming_is_offered(param)) {
        return mca_part_ucx_incoming_refused(PART_UCX_WRONG, recv, &head, param);
    }
    mca_part_ucx_rate_message_note(recv, path, &head, length);
    if (recv->super.fails_over) {
        mca_part_ucx_failover_dedup_take(recv, path, &head, data, length);
        return UCS_OK;
    }
    if (keep_if_later(recv, &head, data, length)) {
        return UCS_OK;
    }
    verdict = mca_part_ucx_recv_judge(recv, path, &head, &bytes, &offset);
    if (PART_UCX_TAKE != verdict) {
        return mca_part_ucx_incoming_refused(verdict, recv, &head, param);
    }
    if (mca_part_ucx_recv_store(recv, head.segment, offset, length, data)) {
        mca_part_ucx_recv_arrived(recv, head.epoch, head.segment, head.count);
    }
    return UCS_OK;
}

/* May a sender write into the buffer, and tell afterwards? Not where its data are messages. */
static bool takes_placed(const mca_part_ucx_recv_t *recv)
{
    return recv->writable && recv->super.contiguous && !recv->super.fails_over;
}

/* The sender has written into the user's buffer, and says so afterwards. */
static ucs_status_t placed_handler(void *arg, const void *header, size_t header_length,
                                   void *data, size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_data_header_t head;
    mca_part_ucx_recv_t *recv = mca_part_ucx_incoming_recv(header, header_length, &head);
    mca_part_ucx_verdict_t verdict;
    uint64_t offset;

    (void) data;
    if (NULL == recv) {
        return mca_part_ucx_incoming_stray(head.key, param);
    }
    verdict = 0 != length || !takes_placed(recv) || mca_part_ucx_incoming_is_offered(param)
                  ? PART_UCX_WRONG
                  : mca_part_ucx_recv_judge(recv, arg, &head, NULL, &offset);
    if (PART_UCX_TAKE != verdict) {
        return mca_part_ucx_incoming_refused(verdict, recv, &head, param);
    }
    mca_part_ucx_recv_arrived(recv, head.epoch, head.segment, head.count);
    return UCS_OK;
}

/* Put the fresh pieces where they belong, and tell of each when its bytes are there. */
static void unpack_bundle(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *head,
                          const void *data, uint64_t fresh)
{
    const char *bytes = (const char *) data + mca_part_ucx_bundle_list_bytes(head->count);

    for (uint32_t i = 0; i < head->count; ++i) {
        mca_part_ucx_bundled_t entry = mca_part_ucx_bundle_entry(data, i);

        if (0 != (fresh >> i & 1)) {
            mca_part_ucx_piece_store(&recv->super.piece[entry.piece], bytes);
            mca_part_ucx_recv_arrived(recv, head->epoch, entry.piece, 1);
        } else {
            atomic_fetch_add_explicit(&mca_part_ucx_process.repeats, 1, memory_order_relaxed);
        }
        bytes += entry.length;
    }
}

static ucs_status_t bundle_handler(void *arg, const void *header, size_t header_length,
                                   void *data, size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_data_header_t head;
    mca_part_ucx_recv_t *recv = mca_part_ucx_incoming_recv(header, header_length, &head);
    mca_part_ucx_verdict_t verdict;
    uint64_t fresh;

    if (NULL == recv) {
        return mca_part_ucx_incoming_stray(head.key, param);
    }
    if (mca_part_ucx_incoming_is_offered(param)) {
        return mca_part_ucx_incoming_refused(PART_UCX_WRONG, recv, &head, param);
    }
    mca_part_ucx_rate_message_note(recv, arg, &head, length);
    if (recv->super.fails_over) {
        mca_part_ucx_failover_dedup_take_bundle(recv, arg, &head, data, length);
        return UCS_OK;
    }
    if (keep_if_later(recv, &head, data, length)) {
        return UCS_OK;
    }
    verdict = mca_part_ucx_recv_judge_bundle(recv, &head, data, length, &fresh);
    if (PART_UCX_TAKE != verdict) {
        return mca_part_ucx_incoming_refused(verdict, recv, &head, param);
    }
    unpack_bundle(recv, &head, data, fresh);
    return UCS_OK;
}

/* ---- of a channel: READY, ASK and END ---- */

static mca_part_ucx_channel_t *addressed(const void *header, size_t header_length,
                                         const ucp_am_recv_param_t *param,
                                         mca_part_ucx_event_t *event)
{
    if (sizeof(*event) != header_length || mca_part_ucx_incoming_is_offered(param)) {
        event->key = 0;
        return NULL;
    }
    memcpy(event, header, sizeof(*event));
    if (0 == event->from) { /* no channel has that key: it stands for "not met yet" */
        return NULL;
    }
    return mca_part_ucx_channel_find(event->key, event->nonce); /* NULL: it is gone */
}

static ucs_status_t ready_handler(void *arg, const void *header, size_t header_length, void *data,
                                  size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_event_t event;
    mca_part_ucx_channel_t *channel = addressed(header, header_length, param, &event);
    mca_part_ucx_send_t *send = NULL == channel ? NULL : mca_part_ucx_send_check(channel);

    (void) arg;
    if (NULL == send) {
        return mca_part_ucx_incoming_stray(event.key, param);
    }
    if (0 != length && event.from == atomic_load(&channel->peer_key)) {
        mca_part_ucx_rate_message_heed(send, data, length);
    }
    mca_part_ucx_gate_ready(send, event.from, event.epoch);
    if (0 != event.done && event.from == atomic_load(&channel->peer_key) && channel->fails_over) {
        channel->side->acknowledged(channel, event.done);
    }
    return UCS_OK;
}

static ucs_status_t ask_handler(void *arg, const void *header, size_t header_length, void *data,
                                size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_event_t event;
    mca_part_ucx_channel_t *channel = addressed(header, header_length, param, &event);
    mca_part_ucx_recv_t *recv = NULL == channel ? NULL : mca_part_ucx_recv_check(channel);

    (void) data, (void) length;
    /* By the path whose lock keeps READY. */
    if (NULL == recv || event.from != atomic_load(&channel->peer_key) || NULL == recv->endpoint
        || arg != recv->endpoint->path) {
        return mca_part_ucx_incoming_stray(event.key, param);
    }
    mca_part_ucx_credit_asked(recv);
    return UCS_OK;
}

static ucs_status_t end_handler(void *arg, const void *header, size_t header_length, void *data,
                                size_t length, const ucp_am_recv_param_t *param)
{
    mca_part_ucx_event_t event;
    mca_part_ucx_channel_t *channel = addressed(header, header_length, param, &event);

    (void) arg, (void) data, (void) length;
    if (NULL == channel) {
        return mca_part_ucx_incoming_stray(event.key, param);
    }
    mca_part_ucx_channel_heard_end(channel, &event);
    return UCS_OK;
}

/* ---- of an endpoint: DOWN, BACK, PROBE and PREFAULT ---- */

static ucs_status_t news(unsigned id, const void *header, size_t header_length,
                         const ucp_am_recv_param_t *param)
{
    if (mca_part_ucx_incoming_is_offered(param)
        || !mca_part_ucx_failover_news_heard(id, header, header_length)) {
        return mca_part_ucx_incoming_stray(0, param);
    }
    return UCS_OK;
}

static ucs_status_t down_handler(void *arg, const void *header, size_t header_length, void *data,
                                 size_t length, const ucp_am_recv_param_t *param)
{
    (void) arg, (void) data, (void) length;
    return news(PART_UCX_AM_DOWN, header, header_length, param);
}

static ucs_status_t back_handler(void *arg, const void *header, size_t header_length, void *data,
                                 size_t length, const ucp_am_recv_param_t *param)
{
    (void) arg, (void) data, (void) length;
    return news(PART_UCX_AM_BACK, header, header_length, param);
}

static ucs_status_t probe_handler(void *arg, const void *header, size_t header_length, void *data,
                                  size_t length, const ucp_am_recv_param_t *param)
{
    (void) arg, (void) header, (void) header_length, (void) data, (void) length;
    return mca_part_ucx_incoming_dropped(param);
}

/* Of a peer that will send more. All peers write to the same memory. */
static ucs_status_t prefault_handler(void *arg, const void *header, size_t header_length,
                                     void *data, size_t length, const ucp_am_recv_param_t *param)
{
    static atomic_bool done;

    (void) arg, (void) header, (void) header_length, (void) length;
    if (!mca_part_ucx_incoming_is_offered(param) && !atomic_exchange(&done, true)) {
        mca_part_ucx_prefault(data);
    }
    return mca_part_ucx_incoming_dropped(param);
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
                && UCS_OK == install(path, PART_UCX_AM_OFFER, mca_part_ucx_fetch_offered)
                && UCS_OK == install(path, PART_UCX_AM_PLACED, placed_handler)
                && UCS_OK == install(path, PART_UCX_AM_READY, ready_handler)
                && UCS_OK == install(path, PART_UCX_AM_ASK, ask_handler)
                && UCS_OK == install(path, PART_UCX_AM_END, end_handler)
                && UCS_OK == install(path, PART_UCX_AM_BUNDLE, bundle_handler)
                && UCS_OK == install(path, PART_UCX_AM_DOWN, down_handler)
                && UCS_OK == install(path, PART_UCX_AM_BACK, back_handler)
                && UCS_OK == install(path, PART_UCX_AM_PROBE, probe_handler)
                && (PART_UCX_DEVICE_SHARED != path->device.kind
                    || UCS_OK == install(path, PART_UCX_AM_PREFAULT, prefault_handler));

    return good ? OMPI_SUCCESS : OMPI_ERROR;
}
