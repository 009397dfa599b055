/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Asking for READY in each epoch (see part_ucx_ask.h). The message may outlive the channel, so it
 * has its own memory.
 */
#include "channel/part_ucx_ask.h"

#include "channel/part_ucx_event.h"
#include "path/part_ucx_guests.h"

#include <stdlib.h>

typedef struct asking_t {
    mca_part_ucx_event_t event;
    uint32_t nonce; /* of the end that asks; its key is event.from */
    const mca_part_ucx_peer_t *peer;
} asking_t;

/* Under the path's lock, so the channel stays if it is still there. */
static void ask_sent(void *request, ucs_status_t status, void *user_data)
{
    asking_t *asking = user_data;
    mca_part_ucx_channel_t *channel
        = mca_part_ucx_channel_find(asking->event.from, asking->nonce);

    mca_part_ucx_path_free_request(request);
    /* What is cancelled is cancelled by the end of MPI. */
    if (UCS_OK != status && UCS_ERR_CANCELED != status && NULL != channel) {
        mca_part_ucx_channel_fail(channel, MPI_ERR_OTHER);
    }
    mca_part_ucx_guests_leave(asking->peer);
    free(asking);
}

void mca_part_ucx_ask(mca_part_ucx_send_t *send)
{
    mca_part_ucx_endpoint_t *endpoint = send->endpoint[0];
    asking_t *asking;

    if (send->has_asked) {
        return;
    }
    asking = calloc(1, sizeof(*asking));
    if (NULL == asking) {
        mca_part_ucx_channel_fail(&send->super, MPI_ERR_NO_MEM);
        return;
    }
    send->has_asked = true;
    asking->event = (mca_part_ucx_event_t) {.key = atomic_load(&send->super.peer_key),
                                            .nonce = atomic_load(&send->super.peer_nonce),
                                            .from = send->super.key,
                                            .epoch = mca_part_ucx_send_epoch(send)};
    asking->nonce = send->super.nonce;
    asking->peer = send->super.peer;
    mca_part_ucx_guests_use(asking->peer); /* the message needs the endpoint */
    mca_part_ucx_path_lock(endpoint->path);
    if (mca_part_ucx_endpoint_is_open(endpoint)) {
        mca_part_ucx_event_post(endpoint, PART_UCX_AM_ASK, &asking->event, sizeof(asking->event),
                                NULL, 0, ask_sent, asking);
    } else {
        ask_sent(NULL, UCS_ERR_UNREACHABLE, asking);
    }
    mca_part_ucx_path_unlock(endpoint->path);
}
