/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * PROBE (see part_ucx_event.h).
 */
#include "channel/part_ucx_event.h"

static void probed(void *request, ucs_status_t status, void *context)
{
    (void) status, (void) context; /* of an endpoint that is lost UCX tells itself */
    mca_part_ucx_path_free_request(request);
}

void mca_part_ucx_event_probe(mca_part_ucx_endpoint_t *endpoint)
{
    mca_part_ucx_path_lock(endpoint->path);
    if (mca_part_ucx_endpoint_is_up(endpoint)) {
        mca_part_ucx_event_post(endpoint, PART_UCX_AM_PROBE, NULL, 0, NULL, 0, probed, NULL);
    }
    mca_part_ucx_path_unlock(endpoint->path);
}
