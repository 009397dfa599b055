/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The path of shared memory with other jobs (see part_ucx_guests.h).
 */
#include "path/part_ucx_guests.h"

#include "path/part_ucx_helper.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_log.h"

#include "ompi/constants.h"

/* So many endpoints make it worth while: one keeps about 1 MB, and to open the path takes some
 * milliseconds. */
#define CLOSE_AFTER 8u

/* Channels to guests, announcements of them, messages under way. */
static atomic_uint used;

void mca_part_ucx_guests_use(const mca_part_ucx_peer_t *peer)
{
    if (peer->guest) {
        atomic_fetch_add(&used, 1);
    }
}

void mca_part_ucx_guests_leave(const mca_part_ucx_peer_t *peer)
{
    if (peer->guest) {
        atomic_fetch_sub(&used, 1);
    }
}

void mca_part_ucx_guests_open(void)
{
    mca_part_ucx_path_t *path = mca_part_ucx_paths.guests;

    if (NULL != path && !mca_part_ucx_path_is_open(path)
        && OMPI_SUCCESS == mca_part_ucx_path_open(path, mca_part_ucx_helper_wanted())) {
        mca_part_ucx_helper_add(path);
    }
}

void mca_part_ucx_guests_close(void)
{
    mca_part_ucx_path_t *path = mca_part_ucx_paths.guests;
    uint32_t endpoints = NULL == path ? 0 : path->endpoints;

    if (endpoints < CLOSE_AFTER || 0 != atomic_load(&used)
        || !mca_part_ucx_path_flush_done(path) || !mca_part_ucx_path_close(path)) {
        return;
    }
    PART_UCX_VERBOSE(1, "path %d: closed, after %u endpoints to processes of other jobs",
                     path->index, endpoints);
    mca_part_ucx_peers_forget_guests();
}
