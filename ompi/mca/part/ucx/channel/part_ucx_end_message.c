/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sending END (see part_ucx_end_message.h). The message outlives the channel, so it has its own
 * memory. A channel may end because a path has failed, so a message that fails takes the next path.
 * Of a channel that fails over it takes all of them: what a path had taken when it died is not
 * known. Also one that is only tried: that may be all that is left, and what the other end believes
 * in.
 */
#include "channel/part_ucx_end_message.h"

#include "channel/part_ucx_event.h"
#include "path/part_ucx_guests.h"
#include "path/part_ucx_helper.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_reserve.h"

#include <assert.h>

typedef struct ending_t {
    mca_part_ucx_work_t work;
    mca_part_ucx_event_t event;
    const mca_part_ucx_peer_t *peer;
    uint32_t turn, endpoints;
    mca_part_ucx_endpoint_t *endpoint[PART_UCX_MAX_PATHS]; /* to be tried in this order */
} ending_t;

static_assert(sizeof(ending_t) <= PART_UCX_RESERVE_BYTES, "END can always be said");

static void end_sent(void *request, ucs_status_t status, void *user_data)
{
    ending_t *ending = user_data;

    mca_part_ucx_path_free_request(request);
    /* What is cancelled is cancelled by the end of MPI. */
    if (UCS_OK != status && UCS_ERR_CANCELED != status && ++ending->turn < ending->endpoints) {
        mca_part_ucx_path_push(ending->endpoint[ending->turn]->path, &ending->work);
        mca_part_ucx_helper_wake_for_work(); /* this thread may not look at that path for long */
    } else {
        mca_part_ucx_guests_leave(ending->peer);
        mca_part_ucx_reserve_free(ending); /* a peer that cannot be told has other troubles */
    }
}

static bool end_post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    ending_t *ending = PART_UCX_CONTAINER(work, ending_t, work);

    (void) path;
    if (mca_part_ucx_endpoint_is_open(ending->endpoint[ending->turn])) {
        mca_part_ucx_event_post(ending->endpoint[ending->turn], PART_UCX_AM_END, &ending->event,
                                sizeof(ending->event), NULL, 0, end_sent, ending);
    } else {
        end_sent(NULL, UCS_ERR_UNREACHABLE, ending);
    }
    return true;
}

/* The last epoch that the peer may bring to its end. A channel that has failed may have been
 * started again, for nothing. A link is given up at once, and the epoch of its collective, too. */
static uint32_t last_epoch(mca_part_ucx_channel_t *channel)
{
    uint32_t epoch = atomic_load(&channel->epoch);

    if (!mca_part_ucx_channel_is_over(channel)) {
        return epoch;
    }
    if (NULL != channel->piece) {
        return 0 != epoch ? epoch - 1 : 0;
    }
    return atomic_load(&channel->good_epoch);
}

/* By one of these endpoints, from the first on. */
static void send_by(const mca_part_ucx_channel_t *channel, const mca_part_ucx_event_t *event,
                    mca_part_ucx_endpoint_t *const *endpoint, uint32_t endpoints)
{
    ending_t *ending = mca_part_ucx_reserve_calloc(sizeof(*ending));
    mca_part_ucx_path_t *path;

    if (NULL == ending) {
        mca_part_ucx_help("setup-lost", channel->peer_rank);
        return;
    }
    for (uint32_t i = 0; i < endpoints; ++i) {
        ending->endpoint[i] = endpoint[i];
    }
    ending->endpoints = endpoints;
    ending->peer = channel->peer;
    mca_part_ucx_guests_use(ending->peer); /* the message needs the endpoints */
    ending->work.post = end_post;
    ending->work.urgent = true;
    ending->event = *event;
    /* Now, not when the path is driven next: an early offer must not be released before it. */
    path = ending->endpoint[0]->path;
    mca_part_ucx_path_lock(path);
    (void) end_post(path, &ending->work);
    mca_part_ucx_path_unlock(path);
}

void mca_part_ucx_end_send(mca_part_ucx_channel_t *channel, mca_part_ucx_reason_t reason, bool busy)
{
    mca_part_ucx_event_t event = {.key = atomic_load(&channel->peer_key),
                                  .nonce = atomic_load(&channel->peer_nonce),
                                  .from = channel->key,
                                  .epoch = last_epoch(channel),
                                  .reason = (uint16_t) reason,
                                  .busy = busy};
    mca_part_ucx_endpoint_t *endpoint[PART_UCX_MAX_PATHS];
    uint32_t endpoints = channel->side->endpoints(channel, endpoint);

    if (!channel->fails_over && 0 != endpoints) {
        send_by(channel, &event, endpoint, endpoints);
    }
    for (uint32_t i = 0; channel->fails_over && i < endpoints; ++i) {
        send_by(channel, &event, &endpoint[i], 1);
    }
}

void mca_part_ucx_end_freed(mca_part_ucx_channel_t *channel)
{
    mca_part_ucx_state_t state = mca_part_ucx_channel_state(channel);
    uint32_t epoch;

    if (PART_UCX_LEFT == state || PART_UCX_ORPHANED == state
        || 0 == atomic_load(&channel->peer_key)) {
        return;
    }
    if (PART_UCX_MATCHED == state && mca_part_ucx_channel_is_revoked(channel)) {
        /* Before it has been looked after. */
        mca_part_ucx_end_send(channel, PART_UCX_END_REVOKED, false);
    } else if (!mca_part_ucx_channel_peer_ended(channel, &epoch)
               || mca_part_ucx_channel_owes_end(channel)) {
        mca_part_ucx_end_send(channel, PART_UCX_END_FREED, false);
    }
}
