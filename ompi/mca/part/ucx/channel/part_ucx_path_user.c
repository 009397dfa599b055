/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What channels do on a path (see part_ucx_path_user.h): after UCX has made progress, and after
 * queued work has been posted.
 */
#include "channel/part_ucx_path_user.h"

#include "channel/part_ucx_fastbox.h"
#include "channel/part_ucx_fetch.h"
#include "channel/part_ucx_handlers.h"
#include "channel/part_ucx_post.h"
#include "channel/part_ucx_put.h"
#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_traffic.h"
#include "channel/part_ucx_transfer.h"

#include <stdlib.h>

#include "ompi/constants.h"

static int attach(mca_part_ucx_path_t *path)
{
    mca_part_ucx_traffic_t *traffic = calloc(1, sizeof(*traffic));

    path->traffic = traffic;
    if (NULL == traffic) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    traffic->partial_tail = &traffic->partial;
    return mca_part_ucx_handlers_install(path);
}

static int posted(mca_part_ucx_path_t *path)
{
    const mca_part_ucx_traffic_t *traffic = mca_part_ucx_traffic_of(path);
    int events = 0;

    if (NULL != traffic->flush) {
        events += mca_part_ucx_put_flush(path);
    }
    if (NULL != traffic->polled) {
        events += mca_part_ucx_recv_poll(path);
    }
    if (NULL != traffic->partial) {
        events += mca_part_ucx_post_release(path);
    }
    return events;
}

static bool waits(const mca_part_ucx_path_t *path)
{
    const mca_part_ucx_traffic_t *traffic = mca_part_ucx_traffic_of(path);

    return NULL != traffic->early || NULL != traffic->flush || NULL != traffic->polled
           || NULL != traffic->partial;
}

static void detach(mca_part_ucx_path_t *path)
{
    if (NULL != path->traffic) {
        mca_part_ucx_fetch_forget(path);
        free(path->traffic);
        path->traffic = NULL;
    }
}

const mca_part_ucx_path_user_t mca_part_ucx_channels_on_path = {.op_bytes =
                                                                    sizeof(mca_part_ucx_transfer_t),
                                                                .attach = attach,
                                                                .look = mca_part_ucx_fastbox_poll,
                                                                .step = mca_part_ucx_fetch_early,
                                                                .posted = posted,
                                                                .waits = waits,
                                                                .doze = mca_part_ucx_fastbox_doze,
                                                                .detach = detach};
